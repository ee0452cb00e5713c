"""Faults of Assay's own: each is told and counted, and what it spoiled is left out.

No single trial or finding may end a campaign, and none of our faults may pass in silence.
"""

import errno
import traceback
from collections.abc import Callable
from pathlib import PurePath

from assay.errors import AssayError, Interrupted
from assay.execute import Closed, InternalWorkerError
from assay.judge import HarnessError

#: What the machine has no more of, or does not allow: whatever comes next would meet it too.
_REFUSED = frozenset(
    {
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EROFS,
        errno.EACCES,
        errno.EPERM,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOMEM,
    }
)
#: These say themselves what went wrong, and on which target.
_TELLING = (HarnessError, InternalWorkerError)


class Faults:
    """Counts the faults of a campaign, and tells each in one line.

    ``tell`` is called on the thread that met the fault; ``count`` is how many came before.
    """

    def __init__(self, tell: Callable[[str], None], count: int = 0) -> None:
        self._tell = tell
        self.count = count

    def excused(self, what: str) -> "_Excused":
        """Go on after a fault of ours; ``what`` says what is left out: "trial 3 was not judged".

        Errors that a user can act on, an interruption and what the machine refuses (a full
        disk) are passed on.
        """
        return _Excused(self, what)

    def add(self, what: str, error: Exception) -> None:
        """Count a fault, and tell it."""
        self.count += 1
        self._tell(f"{what}, by a fault of Assay's own: {described(error)}")


class _Excused:
    """A class, and no generator: type checkers must know that it ends exceptions."""

    def __init__(self, faults: Faults, what: str) -> None:
        self._faults = faults
        self._what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, Exception) or not ours(error):
            return False
        self._faults.add(self._what, error)
        return True


def ours(error: Exception) -> bool:
    """Is it a fault of Assay's own, met by one trial or finding?"""
    if isinstance(error, OSError):
        return error.errno not in _REFUSED
    return not isinstance(error, (AssayError, Interrupted, Closed, MemoryError))


def described(error: Exception) -> str:
    """The fault in one line: what was raised, and where."""
    line = str(error).partition("\n")[0]
    if isinstance(error, _TELLING):
        return line
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({PurePath(frames[-1].filename).name} line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {line}{place}"
