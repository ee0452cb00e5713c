"""One process at a time for a folder: a lock that ends with its last holder, killed or not."""

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

_POLL_SECONDS = 0.2


class Busy(Exception):
    """Somebody else holds the lock."""


@contextlib.contextmanager
def locked(path: Path, waiting: Callable[[], None] | None = None) -> Iterator[int]:
    """Hold the lock file at ``path``; what is given is its descriptor.

    A child that inherits the descriptor holds the lock too: an orphan that still writes
    keeps others out. ``waiting`` is called once if somebody else holds it; without it,
    ``Busy`` is raised then. The file goes with its holder, unless that is killed.
    """
    descriptor = _take(path)
    if descriptor is None:
        if waiting is None:
            raise Busy
        waiting()
    while descriptor is None:
        time.sleep(_POLL_SECONDS)
        descriptor = _take(path)
    try:
        yield descriptor
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _take(path: Path) -> int | None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    with contextlib.suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Its last holder may have removed the file: a lock on that keeps nobody out.
        if os.fstat(descriptor).st_ino == os.stat(path).st_ino:
            return descriptor
    os.close(descriptor)
    return None


def is_locked(path: Path) -> bool:
    """Does somebody hold the lock now? Nothing is written."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
