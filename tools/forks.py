"""Run scripts in forks of interpreters that have imported Keras and done nothing else.

As good as a fresh interpreter, and without the seconds that the import takes.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from assay.campaign.reproducer import Outcome, outcome

SECONDS = 120
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
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Forks:
    """One waiting interpreter per backend; a backend runs one script at a time."""

    def __init__(self) -> None:
        self._servers: dict[str, subprocess.Popen[str]] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def verify(self, script: str, backend: str) -> Outcome:
        """As ``assay.campaign.reproducer.verify``."""
        with self._guard:
            lock = self._locks.setdefault(backend, threading.Lock())
        with lock, tempfile.TemporaryDirectory(prefix="assay-verify-") as folder:
            server = self._servers.get(backend) or self._start(backend)
            path = Path(folder, "repro.py")
            path.write_text(script, encoding="utf-8")
            assert server.stdin
            assert server.stdout
            server.stdin.write(json.dumps([str(path), SECONDS]) + "\n")
            server.stdin.flush()
            code = int(server.stdout.readline())
            output, error = (
                Path(f"{path}.{name}").read_text(encoding="utf-8", errors="backslashreplace")
                for name in ("out", "err")
            )
        return outcome(code, output, error)

    def _start(self, backend: str) -> "subprocess.Popen[str]":
        quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
        self._servers[backend] = subprocess.Popen(
            [sys.executable, "-c", _SERVER],
            env={**os.environ, **quiet, "KERAS_BACKEND": backend},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self._servers[backend]

    def close(self) -> None:
        """End the interpreters."""
        for server in self._servers.values():
            server.kill()
            server.wait()
