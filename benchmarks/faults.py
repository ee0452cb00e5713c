"""Seeded faults: does Assay see them, call them bugs, blame the right target, and say it once?

``python benchmarks/faults.py --faults 100 --seed 1`` draws faults by seed from
template x op (``seeded/draw.py``), puts each into one target, and hunts with
``single-op`` for a fixed number of cases per op. Several faults share a hunt,
each on an op of its own; clean ops are hunted beside them. A finding belongs to
a fault if it goes away when the same case runs without faults; what stays is the
library's own bug. ``--beside``: the unpatched target is an arm too.

Prints one row per fault and the totals; exits 1 if a goal is missed.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from seeded.draw import Fault
from seeded.probe import drawn, probing
from seeded.score import Score, scores
from seeded.targets import faulty, name_of
from seeded.without import library_own

from assay.campaign.hunt import HuntOptions, hunt
from assay.ir import Finding, derive
from assay.ops import Draw, OpSpec, specs
from assay.sources import create
from assay.targets import builtin_targets

#: Faults that share a hunt, and clean ops beside them for each four of them.
GROUP = 20
CATEGORY_GOAL, BLAME_GOAL = 0.95, 0.98


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Bench:
    """The options of a run, and the hunts they amount to."""

    def __init__(self, options: argparse.Namespace, directory: Path) -> None:
        self.seed: int = options.seed
        self.cases: int = options.cases
        self.targets: tuple[str, ...] = tuple(options.targets.split(","))
        # Whoever has gradients; without a third implementation nobody could say who is right
        # where one accepts what another refuses.
        self.wrong = ("keras-torch",) if options.beside else self.targets[:2]
        self.beside: bool = options.beside
        self.group: int = options.group
        self.directory = directory
        self.vocabulary: Mapping[str, OpSpec] = specs()

    def draw(self, count: int) -> list[Fault]:
        """The faults."""
        found, passed = drawn(
            count, self.seed, self.vocabulary, self.targets, self.wrong, self.directory
        )
        say(f"{len(found)} faults drawn; {passed} others passed over: they change no answer")
        return found

    def groups(self, faults: Sequence[Fault]) -> list[list[Fault]]:
        """Faults of one target that share a hunt."""
        found = []
        for target in self.wrong:
            mine = [fault for fault in faults if fault.target == target]
            found += [mine[i : i + self.group] for i in range(0, len(mine), self.group)]
        return found

    def ops(self, group: Sequence[Fault]) -> tuple[str, ...]:
        """The ops of a hunt: the faulty ones, and clean ones drawn to go with them."""
        patched = [fault.op for fault in group]
        draw = Draw(derive(self.seed, "clean", *patched))
        clean = draw.order([name for name in sorted(self.vocabulary) if name not in patched])
        return (*patched, *clean[: max(1, len(group) // 4)])

    def arms(self, target: str) -> tuple[str, ...]:
        """Names of the targets of a hunt; the double stands in for its target, or beside it."""
        if self.beside:
            return (*self.targets, name_of(target))
        return tuple(name_of(name) if name == target else name for name in self.targets)

    def hunt(self, number: int, group: Sequence[Fault]) -> tuple[Finding, ...]:
        """Every finding of a hunt on a target with these faults."""
        target = group[0].target
        known = {**builtin_targets(), name_of(target): faulty(target, group, self.directory)}
        ops = self.ops(group)
        options = HuntOptions(
            techniques=("single-op",),
            targets=tuple(known[name] for name in self.arms(target)),
            ops=ops,
            seed=self.seed + number,
            cases=self.cases * len(ops),
            resume=True,
            store=str(self.directory / f"group{number}.db"),
        )
        began = time.monotonic()
        summary = hunt(options, [])
        seconds = time.monotonic() - began
        say(
            f"hunt {number}: {len(group)} faults on {target}, {summary.cases} cases, "
            f"{len(summary.findings)} findings, {seconds:.0f} s"
        )
        return summary.findings

    def reached(
        self, number: int, group: Sequence[Fault], missed: Sequence[Fault]
    ) -> dict[str, str]:
        """For faults that were missed: how many cases of the hunt they changed."""
        ops = self.ops(group)
        vocabulary = {name: self.vocabulary[name] for name in ops}
        source = create("single-op", self.seed + number, ("probe",), vocabulary)
        trials = [source.ask(index) for index in range(self.cases * len(ops))]
        found = {}
        with probing(missed, self.targets, self.directory) as probe:
            for fault in missed:
                met = [t for t in trials if any(n.op == fault.op for n in t.case.graph.nodes)]
                changed = [t.index for t in met if probe.changes(fault, t)]
                shown = ", ".join(map(str, changed[:8]))
                found[fault.op] = f"changed {len(changed)} of {len(met)} cases ({shown})"
        return found


def run(bench: Bench, count: int) -> tuple[list[Score], list[Finding]]:
    """All hunts."""
    scored: list[Score] = []
    false: list[Finding] = []
    for number, group in enumerate(bench.groups(bench.draw(count)), start=1):
        findings = bench.hunt(number, group)
        own = library_own(group[0].target, findings)
        found, elsewhere = scores(group, findings, own)
        missed = [score.fault for score in found if not score.category_right]
        reasons = bench.reached(number, group, missed) if missed else {}
        scored += [
            Score(s.fault, s.findings, " · ".join(filter(None, (s.note, reasons.get(s.fault.op)))))
            for s in found
        ]
        false += elsewhere
    return scored, false


def _outcome(finding: Finding) -> str:
    return f"{finding.id} {finding.category} {finding.kind}/{finding.stage}"


def show(scored: Sequence[Score], false: Sequence[Finding]) -> bool:
    """Print everything; are the goals met?"""
    console = Console(width=220)
    table = Table("fault", "op", "on", "seen", "bug", "blame", "bugs", "what was said", box=None)
    for score in sorted(scored, key=lambda s: (s.fault.template, s.fault.op)):
        said = "; ".join(_outcome(f) + f" {f.evidence.reason[:60]}" for f in score.findings)
        marks = (score.detected, score.category_right, score.blamed_right)
        table.add_row(
            score.fault.shown(),
            score.fault.op,
            score.fault.target,
            *("yes" if mark else "NO" for mark in marks),
            str(len(score.bugs)),
            " · ".join(filter(None, (said, score.note))) or "–",
        )
    console.print(table)
    total = len(scored)
    detected = sum(score.detected for score in scored)
    category = sum(score.category_right for score in scored)
    blamed = sum(score.blamed_right for score in scored)
    single = sum(score.one_finding for score in scored)
    for what, good, of in (
        ("detected", detected, total),
        ("called a bug", category, total),
        ("called a bug, of those detected", category, detected),
        ("blamed right, of those called a bug", blamed, category),
        ("reported as one bug, of those called a bug", single, category),
    ):
        print(f"{what:45} {good:4} of {of:4}  {good / max(1, of):7.1%}")
    print(f"{'bugs reported on ops that are not faulty':45} {len(false):4}")
    for finding in false:
        print(f"    {_outcome(finding)} {finding.op} {', '.join(finding.blamed)}")
    return (
        category >= CATEGORY_GOAL * total
        and blamed >= BLAME_GOAL * category
        and single == category
        and not false
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=40, help="cases per op")
    parser.add_argument("--targets", default="keras-tensorflow,keras-torch,keras-numpy")
    parser.add_argument("--group", type=int, default=GROUP, help="faults that share a hunt")
    parser.add_argument("--beside", action="store_true", help="the unpatched target is an arm too")
    parser.add_argument("--keep", help="directory for the hunts; what is there is not run again")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(options.keep or temporary)
        directory.mkdir(parents=True, exist_ok=True)
        met = show(*run(Bench(options, directory), options.faults))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
