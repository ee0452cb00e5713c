"""Everything that is SQLite's own: files, pragmas, transactions.

A second database needs a module like this one; the rest of the store is
portable SQL and relies on two promises made here: a read transaction sees one
state of the database, and write transactions (``WRITES``) run one after another.
"""

import os
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event

from assay.errors import StoreError

#: Execution options of a connection that will write.
WRITES: dict[str, Any] = {"assay_writes": True}

_MAGIC = b"SQLite format 3\x00"
#: "ASSY" in the file header tells our files from other SQLite files.
_APPLICATION_ID = 0x41535359


def create(path: Path, build: Callable[[Connection], None]) -> None:
    """Make a new database at ``path``, its tables by ``build``.

    It appears whole or not at all, whatever dies meanwhile; if another process
    was faster, its database stays.
    """
    with tempfile.TemporaryDirectory(prefix=".assay-new-", dir=path.parent) as directory:
        draft = Path(directory) / path.name
        sqlite3.connect(draft).close()
        engine = connect(draft, lock_timeout=0)
        try:
            with engine.execution_options(**WRITES).begin() as connection:
                build(connection)
                connection.exec_driver_sql(f"PRAGMA application_id = {_APPLICATION_ID}")
        finally:
            engine.dispose()
        settings = sqlite3.connect(draft)
        try:
            # Kept in the file: readers do not block the writer, nor it them.
            settings.execute("PRAGMA journal_mode = WAL")
        finally:
            settings.close()
        with suppress(FileExistsError):
            _move_if_absent(draft, path)


def require_ours(path: Path) -> None:
    """``StoreError`` if the file is no Assay store. Only reads its header."""
    if path.is_dir():
        raise StoreError(f"{path} is a directory; a store is a file, for example {path}/assay.db")
    with path.open("rb") as file:
        header = file.read(100)
    if not header.startswith(_MAGIC):
        what = "is not an Assay store (not a SQLite file)" if header else "is an empty file"
    elif int.from_bytes(header[68:72], "big") != _APPLICATION_ID:
        what = "is a SQLite file, but not an Assay store"
    else:
        return
    raise StoreError(f"{path} {what}. Choose another --store; Assay leaves this file as it is.")


def connect(path: Path, lock_timeout: float) -> Engine:
    """An engine for an existing database; never creates one."""
    # On a read-only medium SQLite cannot make the files that WAL mode needs. If
    # nothing waits in a log, the database can be read as what it is: unchanging.
    log = path.with_name(path.name + "-wal")
    unchanging = not os.access(path.parent, os.W_OK) and not log.exists()
    mode = "mode=ro&immutable=1" if unchanging else "mode=rw"

    def open_connection() -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"file:{quote(str(path))}?{mode}",
            uri=True,
            timeout=lock_timeout,
            isolation_level=None,  # we begin transactions ourselves, see begin
            check_same_thread=False,  # the pool gives a connection to one thread at a time
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            # NORMAL writes each commit to the log without waiting for the disk. The
            # death of the process loses nothing: the kernel has the bytes. A power
            # cut may lose the last trials, which a resumed hunt repeats; it cannot
            # damage the file. FULL would cost a disk flush per trial.
            connection.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    opened = path.stat()

    def begin(connection: Connection) -> None:
        if not connection.get_execution_options().get("assay_writes", False):
            connection.exec_driver_sql("BEGIN")
            return
        # In WAL mode SQLite does not notice, and would write into the void.
        if not path.exists() or not os.path.samestat(opened, path.stat()):
            raise StoreError(
                f"{path} was moved or deleted while it was in use. Put it back, or start again."
            )
        # A writer takes the lock at once: a transaction that reads first and wants
        # to write later fails, instead of waiting, when another wrote in between.
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    engine = create_engine("sqlite://", creator=open_connection, poolclass=QueuePool)
    event.listen(engine, "begin", begin)
    return engine


def _move_if_absent(source: Path, destination: Path) -> None:
    try:
        os.link(source, destination)  # unlike rename, never replaces a file
    except FileExistsError:
        raise
    except OSError:
        # A filesystem without hard links. Two processes that create the same
        # store in the same instant could meet here; everywhere else they cannot.
        if destination.exists():
            raise FileExistsError(str(destination)) from None
        source.rename(destination)
