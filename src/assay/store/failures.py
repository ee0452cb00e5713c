"""What the disk and the database refuse, said in one line a user can act on."""

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from assay.errors import StoreError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
#: Less free space than this means that a failed write failed for lack of it:
#: SQLite's shared-memory index grows by 32 KiB and reports an I/O error, not a full disk.
_NEARLY_FULL = 32 * 1024


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise ``StoreError`` about ``path`` for what is not our own mistake.

    A broken constraint or wrong SQL is our mistake and passes unchanged.
    """
    try:
        yield
    except DBAPIError as error:
        explained = _from_sqlite(error.orig, path)
        if explained is None:
            raise
        raise explained from error
    except sqlite3.Error as error:
        explained = _from_sqlite(error, path)
        if explained is None:
            raise
        raise explained from error
    except OSError as error:
        raise _from_system(error, path) from error


def _from_sqlite(error: BaseException | None, path: Path) -> StoreError | None:
    name: str = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_FULL":
        return _full(path)
    if name.startswith(("SQLITE_READONLY", "SQLITE_PERM")):
        return _read_only(path)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreError(
            f"{path} is locked by another process. Wait until that has finished "
            "(or end it), then try again."
        )
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StoreError(
            f"{path} is damaged ({error}). Restore it from a backup, or choose another --store."
        )
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_IOERR")):
        if _free(path) < _NEARLY_FULL:
            return _full(path)
        if not os.access(path.parent, os.W_OK):
            return _read_only(path)
        return StoreError(f"{path} cannot be used ({error}). Check the disk and the directory.")
    return None


def _from_system(error: OSError, path: Path) -> StoreError:
    if error.errno in _FULL:
        return _full(path)
    if error.errno in _READ_ONLY:
        return _read_only(path)
    reason = error.strerror or str(error)
    return StoreError(f"{path} cannot be used ({reason}). Check the path, or choose another.")


def _full(path: Path) -> StoreError:
    return StoreError(
        f"no space left on the disk of {path}. Everything recorded so far is kept: "
        "free some space, then continue with --resume."
    )


def _read_only(path: Path) -> StoreError:
    return StoreError(
        f"{path} cannot be written: the file or its directory is read-only. "
        "Make it writable, or choose another --store."
    )


def _free(path: Path) -> int:
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:  # cannot be asked: do not claim that it is full
        return _NEARLY_FULL
