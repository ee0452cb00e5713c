"""How much of the machine's cores a hunt uses while it runs."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path


class Cores:
    """Measures from the moment it is made. ``processes`` gives the workers there are."""

    def __init__(self, processes: Callable[[], Sequence[int]]) -> None:
        self._processes = processes
        self._began = time.monotonic()
        self._before = self._spent()

    def used(self) -> float:
        """The share of all cores that was used since: by this process and by its workers."""
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
        possible = (available or os.cpu_count() or 1) * (time.monotonic() - self._began)
        return (self._spent() - self._before) / possible if possible else 0.0

    def _spent(self) -> float:
        """CPU seconds of this process, of workers that ended, and of those that are there."""
        return cpu_with_children() + sum(map(_cpu_of, self._processes()))


def cpu_with_children() -> float:
    """CPU seconds of this process and of every worker that has ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _cpu_of(process: int) -> float:
    """CPU seconds of another process and of those it bore that ended; 0 if nobody tells."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
