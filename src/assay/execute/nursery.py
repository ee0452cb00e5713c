"""Where workers of a target come from once its library is imported: see ``assay_worker.nursery``.

Importing takes seconds of CPU time, a fork milliseconds. A library that dies often, or needs
several workers, costs its import once.
"""

import array
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Sequence

from assay.execute.limits import Limits
from assay.execute.process import end_of, options_of, started
from assay.execute.scratch import scratch
from assay.targets import Target

_MESSAGE = 1 << 16
#: A process of the kernel's own making: nobody else can tell how it ended.
_KILLED = -signal.SIGKILL


def possible(target: Target) -> bool:
    """Can this target have one? Lines are counted from a process's own beginning."""
    return sys.platform.startswith("linux") and "ASSAY_LINES" not in target.env


class Nursery:
    """The process that bears the workers of a target. Not thread-safe; starts at once."""

    def __init__(self, target: Target, limits: Limits) -> None:
        self._options = options_of(target, limits)
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._channel.setblocking(False)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the nursery
        self._scratch = scratch("nursery")
        self._unborn: deque[Birth] = deque()
        self._living: dict[int, Birth] = {}
        self._ended = False
        self._printed = ""
        #: CPU time of the import, once it is done.
        self.cpu_seconds = 0.0
        try:
            options = {**self._options, "nursery": True}
            self._process = started(
                target, options, (theirs.fileno(),), self._log, self._scratch.name
            )
        except OSError:
            self._release()
            raise
        finally:
            theirs.close()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Can it still bear?"""
        self.collect()
        return not self._ended

    def bear(self, descriptors: Sequence[int], scratch: str) -> "Birth":
        """A worker with these descriptors, the last one for what it prints.

        It may take until the library is imported; if it cannot be, the worker says so. If the
        nursery is gone, the worker is gone too.
        """
        text = json.dumps({**self._options, "scratch": scratch}).encode("utf-8")
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
        birth = Birth(self)
        self._unborn.append(birth)
        try:
            self._channel.sendmsg([text], rights)
        except (BlockingIOError, BrokenPipeError, ConnectionResetError):
            self.close()
        return birth

    def collect(self, timeout: float = 0.0) -> None:
        """Take in what it tells; waits so long for the first of it."""
        if self._ended or not select.select([self._channel], [], [], timeout)[0]:
            return
        while not self._ended:
            try:
                text = self._channel.recv(_MESSAGE)
            except BlockingIOError:
                return
            except ConnectionResetError:
                text = b""
            if not text:
                self.close()
                return
            message = json.loads(text)
            if "loaded" in message:
                self.cpu_seconds = message["loaded"]
            elif "born" in message:
                birth = self._unborn.popleft()
                birth.pid = message["born"]
                self._living[birth.pid] = birth
            elif message["gone"] in self._living:  # else a process of the library's
                self._living.pop(message["gone"]).code = message["code"]

    def printed(self) -> str:
        """The last of what it printed."""
        return self._printed if self._ended else end_of(self._log)

    def close(self) -> None:
        """Kill it, and with it every worker that it bore."""
        if self._ended:
            return
        self._ended = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        self._printed = end_of(self._log)
        self._release()
        # Who was not born yet dies of what it died of.
        for birth in self._unborn:
            birth.code = code
        for birth in self._living.values():
            birth.code = _KILLED
        self._unborn.clear()
        self._living.clear()

    def _release(self) -> None:
        self._channel.close()
        self._log.close()
        self._scratch.cleanup()


class Birth:
    """A worker's process that a nursery bears: what ``Process`` asks for."""

    def __init__(self, nursery: Nursery) -> None:
        self._nursery = nursery
        self.pid = 0
        self.code: int | None = None

    def poll(self) -> int | None:
        """See ``Process``."""
        self._nursery.collect()
        return self.code

    def wait(self, timeout: float | None = None) -> int:
        """See ``Process``."""
        end = None if timeout is None else time.monotonic() + timeout
        while self.poll() is None:
            if end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired("worker", timeout or 0.0)
            self._nursery.collect(0.1)
        assert self.code is not None
        return self.code

    def kill(self) -> None:
        """See ``Process``; one that is not born yet hangs in the import, as its nursery does."""
        self._nursery.collect()
        if self.code is not None:
            return
        if not self.pid:
            self._nursery.close()
            return
        # It may not have had the time to open a session of its own.
        for end in (os.kill, os.killpg):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                end(self.pid, signal.SIGKILL)
