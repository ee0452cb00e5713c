"""The processes of workers: how one is started, and with what environment."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Protocol

import assay_worker
from assay.config import cache_directory
from assay.execute.limits import Limits
from assay.libraries.kernels import INSTRUCTIONS, THREADS
from assay.targets import Target

_WORKER_MAIN = Path(assay_worker.__file__).with_name("__main__.py")

#: Quiet logs, no accelerators, and a thread each. Keras computes some layers with TensorFlow
#: whatever its backend: that one is not to choose kernels by the machine either.
_ENVIRONMENT = {
    **THREADS,
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "CUDA_VISIBLE_DEVICES": "-1",
    "JAX_PLATFORMS": "cpu",
    "PYTHONHASHSEED": "0",
    "PYTHONUNBUFFERED": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}


#: So much of what a process printed is kept.
_TAIL = 4000


class Process(Protocol):
    """What a worker needs of its process; ``subprocess.Popen`` has it."""

    @property
    def pid(self) -> int:
        """Its id; 0 as long as it is not known."""

    def poll(self) -> int | None:
        """The exit code, if it has ended; minus the number of the signal that ended it."""

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended; ``subprocess.TimeoutExpired`` if it does not."""

    def kill(self) -> None:
        """Make an end of it."""


def options_of(target: Target, limits: Limits) -> dict[str, Any]:
    """What a worker is told of its target."""
    return {
        "library": target.library,
        "backend": target.backend,
        "mode": target.execution,
        "prelude": target.prelude,
        "adapter": target.adapter,
        "memory": limits.memory_bytes,
        "parent": os.getpid(),
    }


def started(
    target: Target,
    options: dict[str, Any],
    descriptors: Sequence[int],
    log: IO[bytes],
    directory: str,
) -> "subprocess.Popen[bytes]":
    """A process that runs the package for workers, with these descriptors.

    Its temporary files go to ``directory``.
    """
    told = json.dumps({**options, "descriptors": list(descriptors)})
    return subprocess.Popen(
        [target.python or sys.executable, str(_WORKER_MAIN), told],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        pass_fds=descriptors,
        env=environment_of(target, directory),
        start_new_session=True,  # Ctrl-C is for the host
    )


def environment_of(target: Target, directory: str = "") -> dict[str, str]:
    """The environment of a target's processes; ``directory`` is theirs for temporary files."""
    environment = {**INSTRUCTIONS, **os.environ, **_ENVIRONMENT}
    if directory:
        environment["TMPDIR"] = directory
    if target.python:
        # Ours would poison another interpreter.
        for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"):
            environment.pop(name, None)
    environment = {**compilations(target.backend), **environment}
    if "jax" in (target.backend, target.library) and target.mode == "eager":
        # Op by op there is little to optimise, and what is compiled is what takes the time (1.2
        # instead of 1.9 CPU s per layer). Compiled modes, which are tested as such, optimise.
        environment.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
    return {**environment, **target.env}


def compilations(backend: str) -> dict[str, str]:
    """The environment in which a backend keeps what it compiled, for the processes after this.

    JAX compiles every (op, shape) once per process; from its cache on disk a new worker answers
    five times sooner (7.1 s -> 1.3 s CPU, seven-layer model).
    """
    if backend not in ("jax", "numpy"):
        return {}
    return {
        "JAX_COMPILATION_CACHE_DIR": os.path.join(cache_directory(), "jax"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }


def end_of(log: IO[bytes]) -> str:
    """The last of what a process printed."""
    size = os.fstat(log.fileno()).st_size
    start = max(0, size - _TAIL)
    return os.pread(log.fileno(), size - start, start).decode("utf-8", "replace")
