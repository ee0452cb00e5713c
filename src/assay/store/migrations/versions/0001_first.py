"""The first schema: campaigns, findings, occurrences."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table."""
    op.create_table(
        "campaigns",
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("config_hash", sa.String(64), nullable=False),
        sa.Column("seed", sa.Text(), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("versions", sa.Text(), nullable=False),
        sa.Column("started", sa.String(40), nullable=False),
        sa.Column("next_trial", sa.BigInteger(), nullable=False),
        sa.Column("elapsed_seconds", sa.Float(), nullable=False),
        sa.Column("finished", sa.Boolean(), nullable=False),
        sa.Column("statistics", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_campaigns"),
        sa.UniqueConstraint("id", name="uq_campaigns_id"),
    )
    op.create_index("ix_campaigns_config_hash", "campaigns", ["config_hash"])
    op.create_table(
        "findings",
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(128), nullable=False),
        sa.Column("id", sa.String(128), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("category", sa.String(40), nullable=False),
        sa.Column("op", sa.Text(), nullable=False),
        sa.Column("arrays", sa.Integer(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("position", name="pk_findings"),
        sa.UniqueConstraint("fingerprint", name="uq_findings_fingerprint"),
        sa.UniqueConstraint("id", name="uq_findings_id"),
    )
    op.create_index("ix_findings_op", "findings", ["op"])
    op.create_table(
        "occurrences",
        sa.Column("fingerprint", sa.String(128), nullable=False),
        sa.Column("campaign", sa.String(40), nullable=False),
        sa.Column("trial", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["fingerprint"], ["findings.fingerprint"], name="fk_occurrences_fingerprint"
        ),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name="fk_occurrences_campaign"),
        sa.PrimaryKeyConstraint("fingerprint", "campaign", "trial", name="pk_occurrences"),
    )
    op.create_index("ix_occurrences_campaign", "occurrences", ["campaign"])
