"""Worker processes as benchmarks ask and measure them."""

import os
from pathlib import Path

from assay.execute import Supervisor

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_of(pid: int) -> float:
    """CPU seconds of another process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def active_pid(supervisor: Supervisor, target: str) -> int:
    """The process that takes a target's trials."""
    seat = supervisor._slots[target].seat("active")
    assert seat is not None
    return seat.worker.pid


def run_cases(supervisor: Supervisor, target: str, requests: list[dict[str, object]]) -> list:
    """Every request on the active worker, all answers."""
    for key, request in enumerate(requests):
        supervisor.submit(key, target, request)
    answers: list = []
    while len(answers) < len(requests):
        answers += supervisor.completed(60)
    return [answer for _, answer in sorted(answers, key=lambda item: item[0])]
