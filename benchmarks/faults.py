"""Seeded faults: does Assay see them, call them bugs, blame the right target, and say it once?

``python benchmarks/faults.py --faults 100 --seed 1`` draws faults by seed from
template x op (``seeded/draw.py``), puts each into one target, and hunts with
``single-op`` for a fixed number of cases per op. Several faults share a hunt,
each on an op of its own; clean ops are hunted beside them. A finding belongs to
a fault if it goes away when the same case runs without faults; what stays is the
library's own bug. ``--beside``: the unpatched target is an arm too.
With native targets (``--targets torch,tensorflow,jax``) the first one is faulty.
``--technique synthesize`` draws 30 faults of ops that stand in models, puts them all
into one target, and hunts with 600 models over the whole vocabulary.
``--scripts`` runs the exported script of each bug in the library with the fault, where it
must end with 0, and in the same library without it, where it must end with 1.

Prints one row per fault and the totals; exits 1 if a goal is missed.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table
from seeded.draw import Fault, templates_for
from seeded.probe import drawn, probing
from seeded.score import Score, scores
from seeded.scripts import told
from seeded.targets import faulty, name_of
from seeded.without import library_own

from assay.campaign.hunt.hunting import hunt, summary_of
from assay.campaign.hunt.options import HuntOptions
from assay.ir import Finding, LossOp, Trial, derive
from assay.libraries import SHARED, vocabulary
from assay.ops import Draw, OpSpec
from assay.sources import create
from assay.sources.synthesize.roles import roles
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
        self.models: bool = options.technique == "synthesize"
        self.technique: str = options.technique
        self.cases: int = options.cases or (600 if self.models else 40)
        usual = "keras-tensorflow,keras-torch" + ("" if self.models else ",keras-numpy")
        self.targets: tuple[str, ...] = tuple((options.targets or usual).split(","))
        # Whoever has gradients; without a third implementation nobody could say who is right
        # where one accepts what another refuses.
        one = options.beside or self.models
        self.wrong = ("keras-torch",) if one else self.targets[:2]
        library = builtin_targets()[self.targets[0]].library
        self.native = library != SHARED
        if self.native:
            self.wrong = self.targets[:1]
        self.beside: bool = options.beside
        self.scripts: bool = options.scripts
        self.group: int = options.group or (1000 if self.models else GROUP)
        self.directory = directory
        self.vocabulary: Mapping[str, OpSpec] = vocabulary((library,))

    def draw(self, count: int) -> list[Fault]:
        """The faults."""
        able = self.vocabulary
        if self.models:
            inside = roles(self.vocabulary, ("layers", "ops", "activations")).all()
            able = {spec.name: spec for spec in inside}
        templates = templates_for(self.technique, self.native)
        found, passed = drawn(
            count,
            self.seed,
            able,
            self.wrong if self.native else self.targets,
            self.wrong,
            self.directory,
            templates,
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
        """The ops of a hunt: the faulty ones, and clean ones drawn to go with them.

        Models are made of all ops.
        """
        if self.models:
            return ()
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
            techniques=(self.technique,),
            targets=tuple(known[name] for name in self.arms(target)),
            ops=ops,
            seed=self.seed + number,
            cases=self.cases * max(1, len(ops)),
            resume=True,
            store=str(self.store(number)),
        )
        began = time.monotonic()
        summary = summary_of(hunt(options))
        seconds = time.monotonic() - began
        say(
            f"hunt {number}: {len(group)} faults on {target}, {summary.cases} cases, "
            f"{len(summary.findings)} findings, {seconds:.0f} s"
        )
        return summary.findings

    def store(self, number: int) -> Path:
        """Where a hunt keeps what it finds."""
        return self.directory / f"group{number}.db"

    def told(self, number: int, found: Sequence[Score]) -> list[Score]:
        """The scores with how the scripts of their bugs end."""
        target = found[0].fault.target
        double = faulty(target, [score.fault for score in found], self.directory)
        return told(found, double, self.store(number))

    def reached(
        self, number: int, group: Sequence[Fault], missed: Sequence[Fault]
    ) -> dict[str, str]:
        """For faults that were missed: how many cases of the hunt they changed."""
        ops = self.ops(group)
        drawn_from = {name: self.vocabulary[name] for name in ops or self.vocabulary}
        source = create(self.technique, self.seed + number, ("probe",), drawn_from)
        trials = [source.ask(index) for index in range(self.cases * max(1, len(ops)))]
        found = {}
        with probing(missed, self.wrong if self.native else self.targets, self.directory) as probe:
            for fault in missed:
                met = [t for t in trials if fault.op in _ops(t)]
                changed = [t.index for t in met if probe.changes(fault, t)]
                shown = ", ".join(map(str, changed[:8]))
                found[fault.op] = f"changed {len(changed)} of {len(met)} cases ({shown})"
        return found


def _ops(trial: Trial) -> set[str]:
    loss = trial.case.loss
    own = {loss.op} if isinstance(loss, LossOp) else set()
    return own | {node.op for node in trial.case.graph.nodes}


def run(bench: Bench, count: int) -> tuple[list[Score], list[Finding]]:
    """All hunts."""
    scored: list[Score] = []
    false: list[Finding] = []
    for number, group in enumerate(bench.groups(bench.draw(count)), start=1):
        findings = bench.hunt(number, group)
        own = library_own(group[0].target, findings)
        found, elsewhere = scores(group, findings, own)
        if bench.scripts:
            found = bench.told(number, found)
        missed = [score.fault for score in found if not score.category_right]
        reasons = bench.reached(number, group, missed) if missed else {}
        for score in found:
            note = " · ".join(filter(None, (score.note, reasons.get(score.fault.op))))
            scored.append(msgspec.structs.replace(score, note=note))
        false += elsewhere
    return scored, false


def _outcome(finding: Finding) -> str:
    return f"{finding.id} {finding.category} {finding.kind}/{finding.stage}"


def show(scored: Sequence[Score], false: Sequence[Finding], scripts: bool) -> bool:
    """Print everything; are the goals met? ``scripts``: those of the scripts too."""
    console = Console(width=220)
    columns = ("fault", "op", "on", "seen", "bug", "blame", "bugs", "scripts", "what was said")
    table = Table(*columns, box=None)
    for score in sorted(scored, key=lambda s: (s.fault.template, s.fault.op)):
        said = "; ".join(_outcome(f) + f" {f.evidence.reason[:60]}" for f in score.findings)
        marks = (score.detected, score.category_right, score.blamed_right)
        table.add_row(
            score.fault.shown(),
            score.fault.op,
            score.fault.target,
            *("yes" if mark else "NO" for mark in marks),
            str(len(score.bugs)),
            ", ".join(end.shown() for end in score.ends) or "–",
            " · ".join(filter(None, (said, score.note))) or "–",
        )
    console.print(table)
    total = len(scored)
    detected = sum(score.detected for score in scored)
    category = sum(score.category_right for score in scored)
    blamed = sum(score.blamed_right for score in scored)
    single = sum(score.one_finding for score in scored)
    present = sum(score.script_present for score in scored)
    absent = sum(score.script_absent for score in scored)
    rows = [
        ("detected", detected, total),
        ("called a bug", category, total),
        ("called a bug, of those detected", category, detected),
        ("blamed right, of those called a bug", blamed, category),
        ("reported as one bug, of those called a bug", single, category),
    ]
    if scripts:
        rows += [
            ("script ends 0 with the fault", present, category),
            ("script ends 1 without it", absent, category),
        ]
    for what, good, of in rows:
        print(f"{what:45} {good:4} of {of:4}  {good / max(1, of):7.1%}")
    print(f"{'bugs reported on ops that are not faulty':45} {len(false):4}")
    for finding in false:
        print(f"    {_outcome(finding)} {finding.op} {', '.join(finding.blamed)}")
    return (
        category >= CATEGORY_GOAL * total
        and blamed >= BLAME_GOAL * category
        and single == category
        and not false
        and (not scripts or present == absent == category)
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--technique", choices=("single-op", "synthesize"), default="single-op")
    parser.add_argument("--faults", type=int, help="[default: 100; 30 for synthesize]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, help="cases per op [40], or models [600]")
    parser.add_argument("--targets", help="[default: keras-tensorflow,keras-torch and keras-numpy]")
    parser.add_argument("--group", type=int, help="faults that share a hunt")
    parser.add_argument("--beside", action="store_true", help="the unpatched target is an arm too")
    parser.add_argument("--scripts", action="store_true", help="run the script of each bug too")
    parser.add_argument("--keep", help="directory for the hunts; what is there is not run again")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(options.keep or temporary)
        directory.mkdir(parents=True, exist_ok=True)
        bench = Bench(options, directory)
        scored, false = run(bench, options.faults or (30 if bench.models else 100))
        met = show(scored, false, bench.scripts)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
