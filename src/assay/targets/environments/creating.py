"""Make an environment: whole, or not at all."""

import errno
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from assay.errors import TargetError
from assay.targets.environments.definitions import Definition
from assay.targets.environments.interpreters import Interpreter, needed
from assay.targets.environments.locking import locked
from assay.targets.environments.places import (
    Made,
    current,
    discard,
    home,
    lock_of,
    log_of,
    read,
    write,
)
from assay.targets.environments.running import Log, run
from assay.targets.environments.steps import STEPS

#: Says what is there once everything is installed.
_INVENTORY = """
import json, pkgutil, sysconfig
places = [sysconfig.get_paths()[name] for name in ("purelib", "platlib")]
print(json.dumps(sorted({item[1] for item in pkgutil.iter_modules(places)})))
"""
#: Less than this is left on a disk that something failed on: it is full.
_FULL_BYTES = 1 << 20
_FULL_WORDS = ("No space left on device", "Disk quota exceeded", "[Errno 28]")


class Stage(msgspec.Struct, frozen=True):
    """Where the making is: step ``number`` of ``total``, and the newest line of its command."""

    number: int
    total: int
    what: str
    detail: str = ""


Tell = Callable[[Stage], None]


def create(definition: Definition, tell: Tell) -> tuple[Made, bool]:
    """The environment of a definition, and whether it was made now.

    Everything happens at its final place (virtual environments cannot be moved), under a
    lock, and counts only once the manifest is written; until then a failure or an
    interruption takes it away again, and what a killed process left is taken away by the
    next. Of two processes the second waits and gets what the first made. ``TargetError``
    says what went wrong in one line; the log stays.
    """
    made = current(definition)
    if made is not None:
        return made, False
    total = 2 + len(definition.made_of.pip) + len(definition.made_of.steps)
    tell(Stage(0, total, f"looking for Python {definition.made_of.python}"))
    interpreter = needed(definition.made_of.python, definition.name)
    for name in definition.made_of.steps:
        lacking = STEPS[name].lacks()
        if lacking:  # said now, not after minutes of installing
            raise TargetError(f"{definition.name}: the step {name} {lacking}")
    prefix = home() / definition.address(interpreter.version)

    def wait() -> None:
        tell(Stage(0, total, f"another process is making {definition.name}: waiting for it"))

    with locked(lock_of(prefix), wait) as held:
        made = read(prefix)
        if made is not None:
            return msgspec.structs.replace(made, made_of=definition.made_of), False
        discard(prefix)
        log = Log(log_of(prefix))
        try:
            with log:
                making = _Making(definition, interpreter, prefix, log, held, total, tell)
                return making.whole(), True
        except BaseException as error:
            # Asked before anything is taken away: afterwards there is room again.
            full = _full_disk(prefix, log, error)
            discard(prefix)
            if full:
                raise TargetError(
                    f"no space left on the disk of {full}: {definition.name} could not be made, "
                    "and nothing was left of it. Make room, or name another disk with "
                    "ASSAY_CACHE or TMPDIR."
                ) from error
            raise


class _Making:
    """One attempt, in a folder that is nobody else's as long as the lock is held."""

    def __init__(
        self,
        definition: Definition,
        interpreter: Interpreter,
        prefix: Path,
        log: Log,
        held: int,
        total: int,
        tell: Tell,
    ) -> None:
        self._definition = definition
        self._interpreter = interpreter
        self._prefix = prefix
        self._python = str(prefix / "bin" / "python")
        self._log = log
        self._held = held
        self._total = total
        self._tell = tell
        self._number = 0

    def whole(self) -> Made:
        began = time.monotonic()
        made_of = self._definition.made_of
        self._next(f"Python {self._interpreter.version} from {self._interpreter.path}")
        self._must([self._interpreter.path, "-m", "venv", str(self._prefix)], "make it with venv")
        for step in made_of.pip:
            self._next(f"pip install {' '.join(step)}")
            self._must([self._python, "-m", "pip", "install", *step], f"install {' '.join(step)}")
        for name in made_of.steps:
            self._next(name)
            self._log.line(STEPS[name].run(self._prefix))
        self._next("looking at what is there")
        packages = self._lines([self._python, "-m", "pip", "freeze", "--all"], "list its packages")
        modules = self._lines([self._python, "-I", "-c", _INVENTORY], "list its modules")
        made = Made(
            name=self._definition.name,
            made_of=made_of,
            origin=self._definition.origin,
            version=self._interpreter.version,
            base=self._interpreter.base,
            packages=dict(line.split("==", 1) for line in packages if "==" in line),
            modules=tuple(json.loads(modules[-1])),
            seconds=round(time.monotonic() - began, 1),
            bytes=_size(self._prefix),
            created=time.time(),
            prefix=str(self._prefix),
        )
        write(made)
        return made

    def _next(self, what: str) -> None:
        self._number += 1
        self._stage = Stage(self._number, self._total, what)
        self._tell(self._stage)

    def _must(self, command: list[str], purpose: str, shown: bool = True) -> None:
        def on_line(text: str) -> None:
            if shown:
                self._tell(msgspec.structs.replace(self._stage, detail=text))

        code = run(command, self._log, self._held, on_line)
        if code != 0:
            raise TargetError(
                f"{self._definition.name}: cannot {purpose} for Python "
                f"{self._interpreter.version}: {self._log.reason()} (exit code {code}). Nothing "
                f"was left of it; everything that was printed is in {self._log.path}"
            )

    def _lines(self, command: list[str], purpose: str) -> list[str]:
        self._log.tail.clear()
        self._must(command, purpose, shown=False)
        return list(self._log.tail)[1:]  # the first is the command


def _full_disk(prefix: Path, log: Log, error: BaseException) -> str:
    """The folder whose disk is full, if that is what an installation failed of; else ""."""
    if not isinstance(error, OSError | TargetError):
        return ""
    folders = [str(prefix.parent), tempfile.gettempdir()]
    full = [folder for folder in folders if shutil.disk_usage(folder).free < _FULL_BYTES]
    if isinstance(error, OSError):
        said = error.errno in (errno.ENOSPC, errno.EDQUOT)
    else:
        # pip says it; venv hides what its own pip said.
        said = bool(full) or log.mentions(*_FULL_WORDS)
    return (full or folders)[0] if said else ""


def _size(prefix: Path) -> int:
    """Bytes on the disk; what is linked from elsewhere is not ours."""
    return sum(
        os.lstat(os.path.join(folder, name)).st_size
        for folder, _, files in os.walk(prefix)
        for name in files
    )
