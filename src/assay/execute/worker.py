"""One worker process: spawned, talked to, watched, and buried.

The host never waits for a worker without a deadline, and reads its death from
the end of its pipe. What the library prints goes to a log of its own.
"""

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

import assay_worker
from assay.execute.limits import Limits
from assay.execute.nursery import Nursery
from assay.execute.process import Process, end_of, options_of, started
from assay.execute.scratch import scratch
from assay.ir import Machine
from assay.targets import Target
from assay_worker import marker
from assay_worker.protocol import Arena, FrameReader, ProtocolError

_WORKER_MAIN = Path(assay_worker.__file__).with_name("__main__.py")
_LOG_LIMIT = 1 << 20
#: A process that closed its pipe has this long to be gone before it is killed.
_LINGER_SECONDS = 5.0


class Death(msgspec.Struct, frozen=True):
    """How a worker ended.

    ``cause`` is a signal's name, ``"exit N"``, ``"timeout"``, ``"memory"`` or
    ``"protocol"`` (it sent what is no message). ``log`` is the end of what it
    printed; ``stage`` and ``node`` say what it was doing.
    """

    cause: str
    log: str = ""
    stage: str = ""
    node: str = ""


class Hello(msgspec.Struct, frozen=True):
    """What a worker says when it is ready."""

    versions: dict[str, str]
    capabilities: tuple[str, ...]
    cpu_seconds: float
    machine: Machine = Machine()


class StartFailure(msgspec.Struct, frozen=True):
    """A worker that could not import its library. ``missing`` names the module not found."""

    message: str
    missing: str = ""
    log: str = ""


def _shared_file() -> BinaryIO:
    """A nameless file, in shared memory where there is some."""
    for directory in ("/dev/shm", None):
        with contextlib.suppress(OSError):
            return tempfile.TemporaryFile(dir=directory)
    raise OSError("no temporary directory is writable")


class Worker:
    """A worker process, of a nursery if there is one. Owned by one supervisor; not thread-safe.

    Starts at once; ``receive`` gives its ``Hello`` or ``StartFailure`` first,
    then one answer per ``send``, and ``Death`` when it ended, once.
    """

    def __init__(self, target: Target, limits: Limits, nursery: Nursery | None = None) -> None:
        self.target = target
        self.limits = limits
        self._nursery = nursery
        self.ready = False
        self.busy = True  # until it said hello
        self.deadline = time.monotonic() + limits.start_seconds
        self._reader = FrameReader()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the worker
        fcntl.fcntl(self._log, fcntl.F_SETFL, os.O_APPEND)
        # What libraries leave in the directory for temporary files goes with the worker.
        self._scratch = scratch("worker")
        self._files = (_shared_file(), _shared_file(), _shared_file())
        requests, responses, marks = (file.fileno() for file in self._files)
        os.ftruncate(marks, marker.SIZE)
        self._outgoing, self._incoming = Arena(requests), Arena(responses)
        request_read, self._request_write = os.pipe()
        self._response_read, response_write = os.pipe()
        os.set_blocking(self._request_write, False)
        descriptors = (request_read, response_write, requests, responses, marks)
        try:
            self._process: Process
            if nursery is not None:
                told = (*descriptors, self._log.fileno())
                self._process = nursery.bear(told, self._scratch.name)
            else:
                options = options_of(target, limits)
                self._process = started(target, options, descriptors, self._log, self._scratch.name)
        except OSError:
            self._close()
            raise
        finally:
            os.close(request_read)
            os.close(response_write)

    def fileno(self) -> int:
        """The descriptor that becomes readable when ``receive`` has something."""
        return self._response_read

    @property
    def pid(self) -> int:
        """The process id; 0 as long as it is not known."""
        return self._process.pid

    def send(self, request: dict[str, Any], seconds: float | None = None) -> Death | None:
        """Hand over a request; ``Death`` if the worker is gone. The deadline starts now."""
        self._trim_log()
        self.deadline = time.monotonic() + (seconds or self.limits.run_seconds)
        data = memoryview(self._outgoing.pack(request))
        try:
            while data:
                try:
                    data = data[os.write(self._request_write, data) :]
                except BlockingIOError:
                    remaining = self.deadline - time.monotonic()
                    if remaining <= 0:
                        return self.bury("timeout")
                    select.select([], [self._request_write], [], remaining)
        except BrokenPipeError:
            return self.bury()
        self.busy = True
        return None

    def receive(self) -> dict[str, Any] | Hello | StartFailure | Death | None:
        """What has arrived, if it is whole."""
        data = os.read(self._response_read, 1 << 20)
        if not data:
            return self.bury()
        self._reader.feed(data)
        try:
            payload = self._reader.frame()
            if payload is None:
                return None
            message: dict[str, Any] = self._incoming.unpack(payload)
        except ProtocolError as error:
            return self.bury("protocol", str(error))
        self.busy = False
        if self.ready:
            return message
        return self._greeting(message)

    def _greeting(self, message: dict[str, Any]) -> Hello | StartFailure:
        if not message["ready"]:
            failure = StartFailure(
                message=f"{message['exception']}: {message['message']}",
                missing=message["missing"],
                log=message["stack"],
            )
            self.bury()
            return failure
        self.ready = True
        return Hello(
            versions=message["versions"],
            capabilities=tuple(message["capabilities"]),
            cpu_seconds=message["cpu_seconds"],
            machine=msgspec.convert(message["machine"], Machine),
        )

    def overdue(self) -> bool:
        """Has a busy worker passed its deadline?"""
        return self.busy and time.monotonic() > self.deadline

    def exited(self) -> bool:
        """Is the process gone, though its pipe may be held open by a child of its own?"""
        return self._process.poll() is not None

    def bury(self, cause: str = "", detail: str = "") -> Death:
        """Make sure the process is gone and everything of it is released.

        Without a ``cause``, its exit status tells.
        """
        if not cause:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_LINGER_SECONDS)
        # With its group: a library may have started processes of its own.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self._process.pid:
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        code = self._process.wait()
        log = self._tail() + detail
        stage, node = marker.read(os.pread(self._files[2].fileno(), marker.SIZE, 0))
        if not cause:
            cause = signal.Signals(-code).name if code < 0 else f"exit {code}"
            if cause == "SIGABRT" and _ran_out_of_memory(log):
                cause = "memory"
        self._close()
        self.busy = False
        return Death(cause, log, stage, node)

    def _close(self) -> None:
        for file in (self._log, *self._files):
            file.close()
        for descriptor in (self._request_write, self._response_read):
            os.close(descriptor)
        self._scratch.cleanup()

    def _tail(self) -> str:
        # What was printed while the library was imported, the nursery has.
        before = "" if self.ready or self._nursery is None else self._nursery.printed()
        return before + end_of(self._log)

    def _trim_log(self) -> None:
        if os.fstat(self._log.fileno()).st_size > _LOG_LIMIT:
            os.ftruncate(self._log.fileno(), 0)


def _ran_out_of_memory(log: str) -> bool:
    """Did a C++ library abort because an allocation failed?"""
    return any(word in log for word in ("bad_alloc", "MemoryError", "annot allocate memory"))
