"""Models against single layers: which ops show a bug in which of them, on an equal budget?

``python benchmarks/units.py --cpu 300`` hunts with ``synthesize`` and with
``synthesize-unit``, in portions until each has used that many CPU seconds, and
prints how many distinct ops have a bug at each stage, and which ops only one of
the two found.
"""

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from assay.campaign.hunt.hunting import hunt, summary_of
from assay.campaign.hunt.options import HuntOptions
from assay.ir import Finding
from assay.targets import builtin_targets

STAGES = ("build", "forward", "loss", "gradient")
TECHNIQUES = ("synthesize", "synthesize-unit")
#: Cases between two looks at the clock.
_PORTION = 20


def stage_of(finding: Finding) -> str:
    """The stage of a training step: whatever a loss computes is the stage of the loss."""
    return "loss" if finding.op.startswith("keras.losses.") else finding.stage


def found(technique: str, options: argparse.Namespace, directory: Path) -> tuple[Finding, ...]:
    """The bugs of a hunt of that many CPU seconds, workers' start excluded."""
    known = builtin_targets()
    cases = 0
    while True:
        cases += _PORTION
        asked = HuntOptions(
            techniques=(technique,),
            targets=tuple(known[name] for name in options.targets.split(",")),
            seed=options.seed,
            cases=cases,
            resume=True,
            witnesses=False,
            store=str(directory / f"{technique}.db"),
        )
        summary = summary_of(hunt(asked))
        spent = summary.cpu_seconds
        used = spent.generate + spent.execute + spent.judge + spent.explain
        print(f"{technique}: {cases} cases, {used:.0f} CPU s", file=sys.stderr, flush=True)
        if used >= options.cpu:
            return tuple(item for item in summary.findings if item.category == "bug")


def compared(bugs: Mapping[str, Sequence[Finding]]) -> Table:
    """Distinct ops with bugs, by stage and technique, and those only one of them found."""
    table = Table("stage", *TECHNIQUES, *(f"only {name}" for name in TECHNIQUES), box=None)
    for stage in STAGES:
        ops = [{bug.op for bug in bugs[name] if stage_of(bug) == stage} for name in TECHNIQUES]
        only = [sorted(ops[0] - ops[1]), sorted(ops[1] - ops[0])]
        shown = [", ".join(name.removeprefix("keras.") for name in names) for names in only]
        table.add_row(stage, *(str(len(names)) for names in ops), *shown)
    return table


def main() -> int:
    """Hunt twice and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cpu", type=float, default=300, help="CPU seconds of each technique")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--targets", default="keras-tensorflow,keras-torch")
    parser.add_argument("--keep", help="directory for the stores; what is there is continued")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(options.keep or temporary)
        directory.mkdir(parents=True, exist_ok=True)
        bugs = {name: found(name, options, directory) for name in TECHNIQUES}
    Console(width=200).print(compared(bugs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
