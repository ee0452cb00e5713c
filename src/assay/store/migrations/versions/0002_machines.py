"""Campaigns keep what their workers said of the machine."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; campaigns of before have nothing in it."""
    op.add_column("campaigns", sa.Column("machines", sa.Text(), nullable=True))
