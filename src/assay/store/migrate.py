"""Which schema version a database has, and how it gets to ours.

Alembic is imported only when there is something to migrate: it costs more than
everything else an opening does.
"""

import threading
from pathlib import Path

from sqlalchemy import Connection, column, inspect, select, table

from assay.errors import StoreError
from assay.store.schema import SCHEMA_VERSION

MIGRATIONS = Path(__file__).parent / "migrations"


def is_current(connection: Connection, path: Path) -> bool:
    """Whether the schema is ours; ``StoreError`` if it is newer, or if there is none."""
    found = _version(connection)
    if found is None:
        raise StoreError(
            f"{path} is damaged: it has no schema version. "
            "Restore it from a backup, or choose another --store."
        )
    if found > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer Assay (schema {found}; this Assay reads up to "
            f"{SCHEMA_VERSION}). Upgrade with: pip install -U assay-dl"
        )
    return found == SCHEMA_VERSION


#: Alembic keeps what it works on in its modules: one thread at a time.
_MIGRATING = threading.Lock()


def upgrade(connection: Connection) -> None:
    """Bring the database to our schema, inside the transaction that is open."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    # Alembic reads % as interpolation.
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    with _MIGRATING:
        command.upgrade(config, "head")


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.scalar(
        select(column("version_num")).select_from(table("alembic_version"))
    )
    return version
