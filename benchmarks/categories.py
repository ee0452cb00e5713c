"""Are findings called what they are? Hand-labelled findings, judged anew.

``python benchmarks/categories.py [--half tuning|held_out]`` runs every labelled case on the
real targets, judges and explains what they disagree on as a hunt does, and compares the
category with the label. Prints the confusion matrix, one row per label, and each that is
called something else with the reason of either side. The goal: of each label 90% are called so.

A label counts where two readers, each by themselves, gave the same: what they disagree on is shown
in a matrix of its own, and in how often the second says what the first does, which is the most
that anybody could reach.

The labels were given by readers who did not know what Assay says; see ``labelled/README.md`` for
the definitions. Rules may be made with ``labelled/tuning.toml``. ``labelled/held_out.toml``, if
there is one, is for measuring only, and joins the other once its mistakes are read.
"""

import argparse
import math
import sys
import tomllib
from collections import Counter
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from assay.campaign.explain import explain
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.running.trials import trial_of
from assay.campaign.triage.replay import laboratory_for
from assay.ir import Finding, Verdict
from assay.ir.serial import from_json
from assay.judge import Observed, oracles
from assay.targets import DEFAULT_TARGETS, REFERENCE, builtin_targets

FOLDER = Path(__file__).parent / "labelled"
GOAL = 0.9
CATEGORIES = ("bug", "rounding", "convention", "unsupported")
#: What Assay sees no disagreement in; as good as "rounding", which nobody is shown either.
NOTHING = "nothing"
_NUMBERS = ("nan", "inconsistency", "precision")
_FAILURES = ("error", "validation", "crash", "hang")


class Label(msgspec.Struct, frozen=True):
    """What a reader says a finding is."""

    id: str
    label: str
    reason: str
    sure: bool = True
    #: What a second reader says, who knew neither the first label nor Assay's; "": there is none.
    second: str = ""

    @property
    def disputed(self) -> bool:
        """Do the readers differ?"""
        return bool(self.second) and self.second != self.label


def labels(half: str) -> list[Label]:
    """The labels of one half."""
    path = FOLDER / f"{half}.toml"
    if not path.exists():
        raise SystemExit(f"{path.name}: nothing is left to measure with; label new findings first")
    text = path.read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text)["label"], list[Label])


def finding_of(label: Label) -> Finding:
    """The finding that was labelled, without what Assay said of it."""
    text = (FOLDER / "cases" / f"{label.id}.json").read_text(encoding="utf-8")
    return from_json(text, Finding)


def judged(finding: Finding, laboratory: Laboratory) -> tuple[str, str]:
    """What Assay says of a finding's case today: category and reason."""
    own = finding.targets
    everyone = tuple(dict.fromkeys((*own, *laboratory.targets)))
    targets = everyone if any(name.startswith("keras") for name in own) else own
    observed, best = seen(finding, laboratory, targets)
    if targets != own and (best is None or not as_large(best, finding)):
        # Others may disagree on another element by more, which hides the one in question.
        few, first = seen(finding, laboratory, own)
        if first is not None and (best is None or as_large(first, finding)):
            observed, best = few, first
    if best is None:
        return NOTHING, "no disagreement"
    told = explain(observed, best, laboratory.observe, laboratory.run).verdict
    return told.category, told.evidence.reason


def seen(
    finding: Finding, laboratory: Laboratory, targets: tuple[str, ...]
) -> tuple[Observed, Verdict | None]:
    """What these targets do, and the verdict on it that is most like what was labelled."""
    trial = trial_of(finding, finding.case, () if finding.arms else targets)
    assert len(trial.cases) == 1, "labelled findings have one case"
    observed = laboratory.observe(trial)
    found = [
        verdict
        for oracle in oracles("")
        for verdict in oracle.judge(observed)
        if alike(verdict, finding)
    ]
    return observed, max(
        found,
        key=lambda item: (
            item.stage == finding.stage,
            item.kind == finding.kind,
            len({*item.blamed} & {*finding.blamed}),
        ),
        default=None,
    )


def as_large(verdict: Verdict, finding: Finding) -> bool:
    """Do they deviate by the same? Then it is the same element that differs."""
    return math.isclose(verdict.magnitude, finding.magnitude, rel_tol=0.01)


def alike(verdict: Verdict, finding: Finding) -> bool:
    """Is the verdict about what was labelled: the op, and numbers or failures?"""
    groups = (_NUMBERS, _FAILURES)
    same = verdict.kind == finding.kind or any(
        verdict.kind in group and finding.kind in group for group in groups
    )
    return same and verdict.op == finding.op


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=("tuning", "held_out"), default="held_out")
    parser.add_argument("--only", default="", metavar="ID,…", help="only these")
    options = parser.parse_args(arguments)
    wanted = [item for item in labels(options.half) if item.id in options.only or not options.only]
    known = builtin_targets()
    counts: Counter[tuple[str, str, bool]] = Counter()
    wrong = Table("id", "op", "label", "called", "the reader says", "Assay says", box=None)
    findings = {item.id: finding_of(item) for item in wanted}
    # Whoever would be asked in a hunt is asked here.
    with laboratory_for([*findings.values(), _with(DEFAULT_TARGETS, findings)], known) as room:
        for item in wanted:
            finding = findings[item.id]
            category, reason = judged(finding, room)
            counts[item.label, category, item.disputed] += 1
            if not right(item.label, category):
                wrong.add_row(item.id, finding.op, item.label, category, item.reason, reason)
            print(f"{item.id} {item.label} {category}", file=sys.stderr, flush=True)
    console = Console(width=160)
    console.print(wrong)
    agreed, disputed = (
        Counter({pair[:2]: n for pair, n in counts.items() if pair[2] == kind})
        for kind in (False, True)
    )
    matrix, missed = confusion(agreed)
    console.print(matrix)
    if disputed:
        console.print("\nof which two readers said different things (first reader's label):")
        console.print(confusion(disputed)[0])
    if any(item.second for item in wanted):
        console.print("\nwhat a second reader says of the same, who did not know the first one:")
        console.print(
            confusion(Counter((item.label, item.second) for item in wanted if item.second))[0]
        )
    return 1 if missed else 0


def confusion(counts: Counter[tuple[str, str]]) -> tuple[Table, int]:
    """Labels beside what each was called, and of how many labels too few were called so."""
    called = [*CATEGORIES, *sorted({name for _, name in counts} - {*CATEGORIES})]
    matrix = Table("label", *called, "right", box=None)
    missed = 0
    for label in CATEGORIES:
        row = {name: counts[label, name] for name in called}
        total = sum(row.values())
        share = sum(n for name, n in row.items() if right(label, name)) / max(1, total)
        missed += share < GOAL and total > 0
        matrix.add_row(
            label, *(str(row[name] or "–") for name in called), f"{share:.0%} of {total}"
        )
    return matrix, missed


def right(label: str, category: str) -> bool:
    """Is it called what it is?"""
    return category == label or (label == "rounding" and category == NOTHING)


def _with(targets: tuple[str, ...], findings: dict[str, Finding]) -> Finding:
    """Any finding, as if these targets had been compared."""
    some = next(iter(findings.values()))
    return msgspec.structs.replace(some, targets=(*targets, REFERENCE.name), platforms={})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
