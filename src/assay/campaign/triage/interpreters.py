"""Interpreters that have imported a library and done nothing else: each script runs in a fork.

As good as a fresh interpreter, and without the seconds that the import takes.
"""

import hashlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

import msgspec

from assay.campaign.triage.reproducer import QUIET, Outcome, outcome, verify
from assay.campaign.triage.waiting import SERVER, called, later
from assay.execute import compilations, scratch
from assay.ir import Platform
from assay.libraries import libraries
from assay.libraries.kernels import INSTRUCTIONS
from assay.libraries.kernels import chosen as chosen_kernels
from assay.targets import Target

#: What the import of a library may take on top of that; an interpreter that is silent for longer
#: is ended.
_START_SECONDS = 120
#: A script that takes longer is ended; one that shows a call without end takes a minute.
SECONDS = 90
#: Python runs a module of this name when it starts: the library and then what changes it. Also in
#: processes that a script starts.
_CHANGES = "sitecustomize"
_CHANGING = """
import importlib, os, sys, traceback, types
try:
    for module in {modules!r}:
        importlib.import_module(module)
    prelude = sys.modules["prelude"] = types.ModuleType("prelude")
    prelude.__file__ = {path!r}
    with open({path!r}) as file:
        exec(compile(file.read(), {path!r}, "exec"), prelude.__dict__)
except BaseException:
    traceback.print_exc()
    sys.stderr.flush()
    os._exit(3)  # else Python would go on without it
"""


class _Place(msgspec.Struct, frozen=True):
    """Where a script runs; targets that differ in their names only share one.

    ``modules`` are those of the library, ``prelude`` is the file that changes it.
    """

    modules: tuple[str, ...]
    backend: str = ""
    python: str = sys.executable
    environment: tuple[tuple[str, str], ...] = ()
    prelude: str = ""


class _Server(NamedTuple):
    """An interpreter that waits for scripts, and where it says how they ended."""

    process: "subprocess.Popen[str]"
    answers: IO[str]


class Interpreters:
    """A waiting interpreter for each place that targets name: Python, environment, library.

    Its methods are a ``Run``: a script runs as the very target it is about does, with the
    library as its prelude leaves it. A target that is not given here, or that is something
    else by now, runs it in Assay's own interpreter. A place runs one script at a time. Where
    its interpreter cannot start or does not answer, the script runs in a fresh one.
    """

    def __init__(self, targets: Sequence[Target] = ()) -> None:
        self._targets = {target.name: target for target in targets}
        self._closed = False
        self._servers: dict[_Place, _Server] = {}
        self._locks: dict[_Place, threading.Lock] = {}
        self._guard = threading.Lock()
        self._alone: list[subprocess.Popen[str]] = []
        self._folders = scratch("preludes")

    def verify(self, script: str, target: str, platform: Platform) -> Outcome:
        """As ``assay.campaign.triage.reproducer.verify``."""
        return self._forked(script, self._place(target, platform))

    def verify_fresh(self, script: str, target: str, platform: Platform) -> Outcome:
        """The same in an interpreter of its own."""
        return self._fresh(script, self._place(target, platform))

    def verify_denied(self, script: str, target: str, platform: Platform) -> Outcome:
        """The same, unless a fork shows the fault, and so need not be doubted."""
        told = self.verify(script, target, platform)
        return told if told.code == 0 else self.verify_fresh(script, target, platform)

    def verify_unchanged(self, script: str, target: str, platform: Platform) -> Outcome:
        """The same with the library as it is, without the target's prelude."""
        place = self._place(target, platform)
        return self._forked(script, msgspec.structs.replace(place, prelude=""))

    def changed(self, targets: Sequence[str]) -> bool:
        """Does one of these targets change the library before use?"""
        return any(self._targets[name].prelude for name in targets if name in self._targets)

    def _forked(self, script: str, place: _Place) -> Outcome:
        with self._guard:
            lock = self._locks.setdefault(place, threading.Lock())
        with lock, scratch("verify") as folder:
            path = Path(folder, "repro.py")
            path.write_text(script, encoding="utf-8")
            answer = self._ask(place, path, called(script))
            if not answer:
                return self._fresh(script, place)
            output, error = (
                Path(f"{path}.{name}").read_text(encoding="utf-8", errors="backslashreplace")
                for name in ("out", "err")
            )
        return outcome(int(answer), output, error)

    def _fresh(self, script: str, place: _Place) -> Outcome:
        if self._closed:
            return Outcome(None, "", "nothing is run any more")
        return verify(
            script,
            place.backend,
            place.python,
            environment=self._environment(place),
            started=self._started,
        )

    def _started(self, process: "subprocess.Popen[str]") -> None:
        """A script runs in an interpreter of its own, which ends with us."""
        with self._guard:
            self._alone = [item for item in self._alone if item.poll() is None] + [process]
            if self._closed:
                _kill(process)

    def _place(self, name: str, platform: Platform) -> _Place:
        target = self._targets.get(name)
        known = libraries().get(platform.library)
        chosen = known is not None and known.dialect is not None and known.dialect.chosen
        backend = platform.backend if chosen else ""
        modules = modules_of(platform.library)
        made_of = (platform.library, platform.backend)
        # Another one may have had this name then.
        if target is None or (target.library, target.backend) != made_of:
            return _Place(modules, backend, environment=tuple(chosen_kernels(platform).items()))
        python = target.python or sys.executable
        environment = tuple(sorted(target.env.items()))
        return _Place(modules, backend, python, environment, target.prelude)

    def _environment(self, place: _Place) -> dict[str, str]:
        """What a place adds to the environment of this process."""
        environment = dict(place.environment)
        if not place.prelude:
            return environment
        folder = Path(self._folders.name, hashlib.sha256(repr(place).encode()).hexdigest()[:16])
        folder.mkdir(exist_ok=True)
        changing = _CHANGING.format(modules=place.modules, path=place.prelude)
        Path(folder, f"{_CHANGES}.py").write_text(changing, encoding="utf-8")
        paths = (str(folder), environment.get("PYTHONPATH", os.environ.get("PYTHONPATH", "")))
        return {**environment, "PYTHONPATH": os.pathsep.join(filter(None, paths))}

    def _ask(self, place: _Place, path: Path, modules: Sequence[str]) -> str:
        """The exit code as the waiting interpreter reports it; "" if it is not there any more.

        ``modules`` are what the script will import.
        """
        with self._guard:
            if self._closed:
                return ""
            try:
                server = self._servers.get(place) or self._start(place)
            except OSError:  # as the fresh one will say
                return ""
        asked = server.process.stdin
        assert asked
        try:
            asked.write(json.dumps([str(path), SECONDS, list(modules)]) + "\n")
            asked.flush()
        except BrokenPipeError:
            return ""
        if not select.select([server.answers], [], [], SECONDS + _START_SECONDS)[0]:
            with self._guard:
                self._servers.pop(place, None)
            _end(server)
            return ""
        return server.answers.readline().strip()

    def _start(self, place: _Place) -> _Server:
        backend = {"KERAS_BACKEND": place.backend} if place.backend else {}
        chosen = {**self._environment(place), **QUIET, **backend}
        modules = place.modules, later(place.backend, place.modules)
        reading, writing = os.pipe()
        answers = os.fdopen(reading, encoding="utf-8")
        try:
            process = subprocess.Popen(
                [place.python, "-c", SERVER, str(writing), *map(json.dumps, modules)],
                # What lies where Assay was started is no library's.
                cwd=self._folders.name,
                env={**INSTRUCTIONS, **compilations(place.backend), **os.environ, **chosen},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
                pass_fds=(writing,),
            )
        except OSError:
            answers.close()
            raise
        finally:
            os.close(writing)
        self._servers[place] = _Server(process, answers)
        return self._servers[place]

    def close(self) -> None:
        """End the interpreters and whatever script runs in one; none starts any more."""
        with self._guard:
            self._closed = True
            for process in self._alone:
                if process.poll() is None:
                    _kill(process)
        for server in self._servers.values():
            _end(server)
        self._folders.cleanup()


def modules_of(library: str) -> tuple[str, ...]:
    """The modules that scripts of a library import beside numpy."""
    known = libraries().get(library)
    if known is None or known.dialect is None:
        return ()
    return tuple(dict.fromkeys(item.partition(" ")[0] for item in known.dialect.imports))


def _kill(process: "subprocess.Popen[str]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _end(server: _Server) -> None:
    _kill(server.process)
    server.process.wait()
    server.answers.close()
