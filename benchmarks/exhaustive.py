"""What it costs to try every number of float32: tanh on PyTorch, by some blocks of all.

    python benchmarks/exhaustive.py [BLOCKS]

Ours and a bare loop in turn over the same blocks; prints CPU seconds and their ratio, minutes for
all blocks, and the most memory that the worker had.
"""

import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from workers import active_pid, cpu_of

from assay.campaign.precision.asking import question
from assay.campaign.precision.presets import Operator
from assay.campaign.precision.sweeping import BLOCK
from assay.execute import Supervisor
from assay.execute.process import environment_of
from assay.libraries import everything
from assay.sources.precision import Wishes, drawn
from assay.targets import builtin_targets

EVERY = 2**32 // BLOCK
OP, TARGET = "keras.ops.tanh", "torch"
ROUNDS = 3
BLOCKS = 32


class Cost(NamedTuple):
    """CPU seconds for the blocks, ours and bare ones; minutes for all; MB of the worker."""

    own: float
    bare: float
    without_errors: float
    ratio: float
    minutes: float
    megabytes: float


def exhaustive_cost(blocks: int = BLOCKS) -> Cost:
    """Measure; blocks are spread over the format: each has the numbers of one exponent."""
    target = builtin_targets()[TARGET]
    operator = Operator(OP, OP, Wishes())
    asked = question(drawn(everything()[OP], operator.wishes, 0), target, "float32", "float32")
    places = [EVERY * turn // blocks * BLOCK for turn in range(blocks)]
    owns, bares, withouts = [], [], []
    with Supervisor([target], standbys=False) as supervisor:
        supervisor.start()
        supervisor.ask(TARGET, asked.sweep(("x0",), 0, 1000))
        pid = active_pid(supervisor, TARGET)
        for _ in range(ROUNDS):
            before = time.process_time() + cpu_of(pid)
            for place in places:
                answer = supervisor.ask(TARGET, asked.sweep(("x0",), place, place + BLOCK))
                assert answer["status"] == "ok", answer
            owns.append(time.process_time() + cpu_of(pid) - before)
            done = subprocess.run(
                [sys.executable, str(Path(__file__).with_name("bare_exhaustive.py"))]
                + [str(place) for place in places],
                capture_output=True,
                text=True,
                check=True,
                env=environment_of(target),
            )
            told = done.stdout.split()
            bares.append(float(told[0]))
            withouts.append(float(told[1]))
        most = _most_memory(pid)
    ratio = median(own / bare for own, bare in zip(owns, bares, strict=True))
    minutes = median(owns) * EVERY / blocks / 60
    return Cost(median(owns), median(bares), median(withouts), ratio, minutes, most)


def _most_memory(pid: int) -> float:
    """The most resident memory that a process had, in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def main() -> None:
    """Print it."""
    blocks = int(sys.argv[1]) if len(sys.argv) > 1 else BLOCKS
    cost = exhaustive_cost(blocks)
    print(f"{OP} on {TARGET}, {blocks} of {EVERY} blocks of {BLOCK:,} float32 numbers")
    print(f"CPU seconds: {cost.own:.2f}; of a bare loop {cost.bare:.2f}: {cost.ratio:.2f} times")
    print(f"without errors in units, the bare loop takes {cost.without_errors:.2f}")
    print(f"all of float32: {cost.minutes:.1f} CPU minutes; worker: {cost.megabytes:.0f} MB")


if __name__ == "__main__":
    main()
