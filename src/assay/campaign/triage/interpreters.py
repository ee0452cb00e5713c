"""Interpreters that have imported Keras and done nothing else: each script runs in a fork.

As good as a fresh interpreter, and without the seconds that the import takes.
"""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from assay.campaign.triage.reproducer import QUIET, Outcome, outcome, verify
from assay.targets import Target

#: What the import of a library may take on top of that; an interpreter that is silent for longer
#: is ended.
_START_SECONDS = 120
#: A script that takes longer is ended; one that shows a call without end takes a minute.
SECONDS = 90
#: For any Python that a target may name, hence no ``os.waitstatus_to_exitcode``.
_SERVER = """
import json, os, signal, sys, traceback
import keras
for line in sys.stdin:
    path, seconds = json.loads(line)
    child = os.fork()
    if not child:
        signal.alarm(seconds)
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(path + "." + name, os.O_WRONLY | os.O_CREAT), number)
        code = 0
        try:
            sys.argv = [path]
            source = open(path, encoding="utf-8").read()
            exec(compile(source, path, "exec"), {"__name__": "__main__", "__file__": path})
        except SystemExit as ending:
            code = ending.code if isinstance(ending.code, int) else 0
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    status = os.waitpid(child, 0)[1]
    print(-(status & 127) if status & 127 else status >> 8, flush=True)
"""


class _Place(msgspec.Struct, frozen=True):
    """Where a script runs; targets that differ in their names only share one."""

    backend: str
    python: str = sys.executable
    environment: tuple[tuple[str, str], ...] = ()


class Interpreters:
    """A waiting interpreter for each place that targets name: Python, environment, backend.

    Its methods are a ``Run``: a script runs as the very target it is about does. A target
    that is not given here runs it in Assay's own interpreter. A place runs one script
    at a time. Where its interpreter cannot start or does not answer, the script runs in
    a fresh one.
    """

    def __init__(self, targets: Sequence[Target] = ()) -> None:
        self._targets = {target.name: target for target in targets}
        self._closed = False
        self._servers: dict[_Place, subprocess.Popen[str]] = {}
        self._locks: dict[_Place, threading.Lock] = {}
        self._guard = threading.Lock()

    def verify(self, script: str, target: str, backend: str) -> Outcome:
        """As ``assay.campaign.triage.reproducer.verify``."""
        place = self._place(target, backend)
        with self._guard:
            lock = self._locks.setdefault(place, threading.Lock())
        with lock, tempfile.TemporaryDirectory(prefix="assay-verify-") as folder:
            path = Path(folder, "repro.py")
            path.write_text(script, encoding="utf-8")
            answer = self._ask(place, path)
            if not answer:
                return self.verify_fresh(script, target, backend)
            output, error = (
                Path(f"{path}.{name}").read_text(encoding="utf-8", errors="backslashreplace")
                for name in ("out", "err")
            )
        return outcome(int(answer), output, error)

    def changed(self, targets: Sequence[str]) -> bool:
        """Does one of these targets change the library before use?"""
        return any(self._targets[name].prelude for name in targets if name in self._targets)

    def verify_fresh(self, script: str, target: str, backend: str) -> Outcome:
        """The same in an interpreter of its own."""
        if self._closed:
            return Outcome(None, "", "nothing is run any more")
        place = self._place(target, backend)
        return verify(script, backend, place.python, environment=dict(place.environment))

    def _place(self, name: str, backend: str) -> _Place:
        target = self._targets.get(name)
        if target is None or target.backend != backend:  # another one had this name then
            return _Place(backend)
        python = target.python or sys.executable
        return _Place(backend, python, tuple(sorted(target.env.items())))

    def _ask(self, place: _Place, path: Path) -> str:
        """The exit code as the waiting interpreter reports it; "" if it is not there any more."""
        with self._guard:
            if self._closed:
                return ""
            try:
                server = self._servers.get(place) or self._start(place)
            except OSError:  # as the fresh one will say
                return ""
        assert server.stdin
        assert server.stdout
        try:
            server.stdin.write(json.dumps([str(path), SECONDS]) + "\n")
            server.stdin.flush()
        except BrokenPipeError:
            return ""
        if not select.select([server.stdout], [], [], SECONDS + _START_SECONDS)[0]:
            with self._guard:
                self._servers.pop(place, None)
            _end(server)
            return ""
        return server.stdout.readline().strip()

    def _start(self, place: _Place) -> "subprocess.Popen[str]":
        chosen = {**dict(place.environment), **QUIET, "KERAS_BACKEND": place.backend}
        self._servers[place] = subprocess.Popen(
            [place.python, "-c", _SERVER],
            env={**os.environ, **chosen},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        return self._servers[place]

    def close(self) -> None:
        """End the interpreters and whatever script runs in one; none starts any more."""
        with self._guard:
            self._closed = True
        for server in self._servers.values():
            _end(server)


def _end(server: "subprocess.Popen[str]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()
