"""Which known bugs would a hunt of so many trials meet? Only the trials on their ops are run.

``python benchmarks/recall_draws.py INDEX.json [ID-PREFIX…] --seeds 202,203 --trials 18000`` draws
the single ops of default hunts of that many trials, keeps those with an op that the list of known
bugs names, and hunts with these alone: the same trials, judged in the same way, for a twentieth of
the time. Prints per seed how many of the bugs that show in the installed version were met, and
which were not. Models (an eighth of the trials of a default hunt) are left out.
"""

import argparse
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from recall import Known, known_bugs

from assay.campaign.events import CampaignFinished
from assay.campaign.hunt.hunting import hunt
from assay.campaign.hunt.options import HuntOptions
from assay.campaign.hunt.techniques import share
from assay.ir import Finding, Trial
from assay.libraries import vocabulary
from assay.sources import create, usual_techniques
from assay.sources._base import Memoryless, source
from assay.targets import DEFAULT_KERNELS, DEFAULT_TARGETS, REFERENCE, builtin_targets

NAME = "on-known-ops"
SINGLE = "single-op"


class OnKnownOps(Memoryless):
    """The trials of another source that have one of some ops, in its order."""

    name = NAME

    def __init__(self, trials: list[Trial]) -> None:
        self.trials = trials

    def ask(self, index: int) -> Trial:
        """The next of them."""
        return self.trials[index]

    def universe(self) -> frozenset:
        """What they hold."""
        return frozenset(triple for trial in self.trials for triple in trial.classes)


def drawn(seed: int, trials: int, ops: set[str]) -> list[Trial]:
    """The single ops of a default hunt of so many trials that have one of these ops."""
    techniques = usual_techniques()
    own = [share(techniques, index) for index in range(trials)]
    mine = [number for place, number in own if techniques[place] == SINGLE]
    known = builtin_targets()
    spoken = vocabulary(known[name].library for name in DEFAULT_TARGETS)
    arms = (*DEFAULT_TARGETS, *DEFAULT_KERNELS, REFERENCE.name)
    everything = create(SINGLE, seed, arms, spoken)
    asked = (everything.ask(number) for number in mine)
    return [trial for trial in asked if any(node.op in ops for node in trial.case.graph.nodes)]


def found_by(trials: list[Trial], seed: int, directory: str) -> tuple[Finding, ...]:
    """What a hunt with these trials finds."""
    registered[:] = trials
    known = builtin_targets()
    options = HuntOptions(
        techniques=(NAME,),
        targets=tuple(known[name] for name in DEFAULT_TARGETS),
        kernels=tuple(known[name] for name in DEFAULT_KERNELS),
        seed=seed,
        cases=len(trials),
        store=str(Path(directory) / f"{seed}.db"),
        reduce_share=0.0,
    )
    for event in hunt(options):
        if isinstance(event, CampaignFinished):
            return event.summary.findings
    raise AssertionError("a hunt ends with CampaignFinished")


registered: list[Trial] = []
source(NAME, usual=False)(lambda seed, targets, vocabulary: OnKnownOps(registered))


def main() -> int:
    """Hunt with each seed, print, and end with 1 if one of them misses the goal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("index")
    parser.add_argument("prefixes", nargs="*", help="only bugs whose ids begin so")
    parser.add_argument("--seeds", default="202,203")
    parser.add_argument("--trials", type=int, default=18_000)
    parser.add_argument("--goal", type=float, default=0.9)
    options = parser.parse_args()
    versions = {f"keras {version('keras')}"}
    bugs: list[Known] = [
        bug for bug in known_bugs(options.index, options.prefixes) if bug.shows_in(versions)
    ]
    ops = set().union(*(bug.ops() for bug in bugs))
    missed = 0
    for seed in map(int, options.seeds.split(",")):
        began = time.monotonic()
        trials = drawn(seed, options.trials, ops)
        with tempfile.TemporaryDirectory(prefix="recall-") as directory:
            findings = found_by(trials, seed, directory)
        unmet = [bug.id for bug in bugs if not any(bug.met_by(item) for item in findings)]
        met = len(bugs) - len(unmet)
        missed += met < options.goal * len(bugs)
        print(
            f"seed {seed}: {met} of {len(bugs)} met, {len(trials):,} of {options.trials:,} trials "
            f"run in {time.monotonic() - began:.0f} s; not met: {', '.join(unmet) or 'none'}",
            flush=True,
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
