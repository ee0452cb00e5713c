"""A target that aborts or hangs on some of its calls: does a hunt wait, and does it end in time?

``python benchmarks/dying.py --budget 120 --repetitions 20`` hunts that often, each time with
another seed, and prints for each hunt the longest stretch without a judged trial and by how much
it went over its budget. The goals: at most 5 s, and at most 5% or 10 s, whichever is more.
"""

import argparse
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from assay.campaign.events import (
    CampaignFinished,
    CampaignStarted,
    Notice,
    Summary,
    TargetChanged,
    TrialFinished,
)
from assay.campaign.hunt.hunting import hunt
from assay.campaign.hunt.options import HuntOptions
from assay.targets import Target, builtin_targets

LONGEST_STRETCH = 5.0
#: Half of the calls that go wrong abort, half never end. In a script of a finding, which runs
#: without a worker, nothing does.
PRELUDE = """
import os, random, time
try:
    from assay_worker import marker
except ImportError:
    marker = None
luck = random.SystemRandom()  # workers are forks: whatever is drawn from a state, all would draw

def misbehaving(mark):
    def marked(stage, node):
        mark(stage, node)
        if stage == "forward" and luck.random() < {share}:
            if luck.random() < 0.5:
                os.abort()
            time.sleep(3600)
    return marked

if marker is not None:
    marker.mark = misbehaving(marker.mark)
"""


class Figures(msgspec.Struct, frozen=True):
    """What one hunt showed, in seconds."""

    seed: int
    summary: Summary
    deaths: dict[str, int]
    stretch: float
    overrun: float


def overrun_allowed(budget: float) -> float:
    """5% of the budget, at least 10 s."""
    return max(10.0, budget / 20)


def measured(seed: int, options: argparse.Namespace, directory: Path) -> Figures:
    """One hunt with a target that dies."""
    known = builtin_targets()
    prelude = directory / "dying.py"
    prelude.write_text(PRELUDE.format(share=options.share))
    dying = Target("dying", "keras", "torch", prelude=str(prelude))
    others = tuple(known[name] for name in options.targets.split(","))
    asked = HuntOptions(
        targets=(dying, *others),
        seed=seed,
        budget_seconds=options.budget,
        store=str(directory / f"{seed}.db"),
    )
    began = time.monotonic()
    judged, told = [], began
    deaths: dict[str, int] = {}
    for event in hunt(asked):
        now = time.monotonic()
        if isinstance(event, (CampaignStarted, TrialFinished)):
            judged.append(now)
            told = 0.0
        elif isinstance(event, TargetChanged) and event.target == "dying":
            deaths = event.deaths
        elif isinstance(event, (Notice, CampaignFinished)):
            told = told or now  # the first after the last trial: the trials are over
        if isinstance(event, CampaignFinished):
            stretch = max(after - before for before, after in pairwise([*judged, told]))
            return Figures(seed, event.summary, deaths, stretch, now - began - options.budget)
    raise AssertionError("a hunt ends with CampaignFinished")


def main() -> int:
    """Hunt, print, and end with 1 if a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budget", type=float, default=120.0)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--share", type=float, default=0.01)
    parser.add_argument("--targets", default="keras-tensorflow,keras-jax")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    columns = ("seed", "trials", "aborts", "hangs", "bugs", "longest stretch", "overrun", "cores")
    table = Table(*columns, box=None)
    missed = 0
    for seed in range(options.seed, options.seed + options.repetitions):
        with tempfile.TemporaryDirectory(prefix="dying-") as directory:
            figures = measured(seed, options, Path(directory))
        bugs = sum(finding.category == "bug" for finding in figures.summary.findings)
        table.add_row(
            f"{seed}",
            f"{figures.summary.trials:,}",
            f"{figures.deaths.get('SIGABRT', 0)}",
            f"{figures.deaths.get('timeout', 0)}",
            f"{bugs}",
            f"{figures.stretch:.1f} s",
            f"{figures.overrun:+.1f} s",
            f"{figures.summary.cores:.0%}",
        )
        late = figures.overrun > overrun_allowed(options.budget)
        missed += figures.stretch > LONGEST_STRETCH or late
        print(f"seed {seed} done", file=sys.stderr, flush=True)
    Console(width=100).print(table)
    print(f"goals missed in {missed} of {options.repetitions} hunts")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
