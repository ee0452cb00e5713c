"""The tables. ``migrations`` creates them; a test keeps the two equal.

Records are kept whole, as JSON text; a column of its own has only what a query
filters or sorts by. Plain SQLAlchemy Core: nothing here is SQLite's own.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

#: The newest migration. Four digits, so that versions compare as text.
SCHEMA_VERSION = "0002"

#: Names for constraints, so that later migrations can refer to them.
metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

campaigns = Table(
    "campaigns",
    metadata,
    Column("position", Integer, primary_key=True),
    Column("id", String(40), nullable=False, unique=True),
    Column("config_hash", String(64), nullable=False, index=True),
    # Text, because a seed may be any whole number and databases end at 64 bits.
    Column("seed", Text, nullable=False),
    Column("config", Text, nullable=False),
    Column("versions", Text, nullable=False),
    Column("started", String(40), nullable=False),
    Column("next_trial", BigInteger, nullable=False),
    Column("elapsed_seconds", Float, nullable=False),
    Column("finished", Boolean, nullable=False),
    Column("statistics", Text, nullable=False),
    # Nothing in campaigns that are older than the column.
    Column("machines", Text, nullable=True),
)

findings = Table(
    "findings",
    metadata,
    Column("position", Integer, primary_key=True),
    Column("fingerprint", String(128), nullable=False, unique=True),
    Column("id", String(128), nullable=False, unique=True),
    Column("kind", String(40), nullable=False),
    Column("category", String(40), nullable=False),
    Column("op", Text, nullable=False, index=True),
    # How many arrays the artefact holds; with 0 there is no artefact.
    Column("arrays", Integer, nullable=False),
    Column("record", Text, nullable=False),
)

occurrences = Table(
    "occurrences",
    metadata,
    Column("fingerprint", String(128), ForeignKey(findings.c.fingerprint), primary_key=True),
    Column("campaign", String(40), ForeignKey(campaigns.c.id), primary_key=True, index=True),
    Column("trial", BigInteger, primary_key=True),
    Column("record", Text, nullable=True),
)
