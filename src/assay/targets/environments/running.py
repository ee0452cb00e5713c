"""Commands of an installation: what they print is kept, and none survives us by an interruption."""

import contextlib
import os
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

#: Lines kept for saying what went wrong.
_TAIL = 400
#: Variables that would send an installation elsewhere than into its environment.
_MISLEADING = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT")
_SETTINGS = {
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "PIP_NO_PYTHON_VERSION_WARNING": "1",
    "PIP_USER": "0",
    "PYTHONUNBUFFERED": "1",
}
_GOES_WRONG = ("ERROR:", "error:", "Error:")


class Log:
    """The file of all that was printed, and its end in memory.

    A disk that is full costs lines of the file, nothing else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tail: deque[str] = deque(maxlen=_TAIL)
        self._file = open(path, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115

    def line(self, text: str) -> None:
        """One line more."""
        self.tail.append(text)
        with contextlib.suppress(OSError):  # ENOSPC: whoever installs will say so
            self._file.write(text + "\n")
            self._file.flush()

    def __enter__(self) -> "Log":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with contextlib.suppress(OSError):
            self._file.close()

    def reason(self) -> str:
        """The line that says best what went wrong: the last error, else the last line."""
        lines = [line.strip() for line in self.tail if line.strip()]
        errors = [line for line in lines if line.startswith(_GOES_WRONG)]
        found = (errors or lines or ["it printed nothing"])[-1]
        return found.removeprefix("ERROR:").strip().rstrip(".")

    def mentions(self, *texts: str) -> bool:
        """Does one of the last lines hold one of these?"""
        return any(text in line for line in self.tail for text in texts)


def run(command: Sequence[str], log: Log, keep: int, on_line: Callable[[str], None]) -> int:
    """Run a command to its end; its exit code.

    ``keep`` is a descriptor that it holds as long as it runs. Whatever ends the wait, an
    interruption too, ends the command with all that it started.
    """
    log.line(f"$ {' '.join(command)}")
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**_inherited(), **_SETTINGS},
        cwd=log.path.parent,  # a project's own files must not be found from there
        pass_fds=(keep,),
        start_new_session=True,  # Ctrl-C is for us
        text=True,
        encoding="utf-8",
        errors="backslashreplace",
    )
    assert process.stdout is not None
    try:
        for text in process.stdout:
            log.line(text.rstrip("\n"))
            if text.strip():
                on_line(text.strip())
        return process.wait()
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def _inherited() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _MISLEADING}
