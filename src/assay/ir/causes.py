"""Findings by cause: how many bugs there are, and what else each of them affects."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

import msgspec

from assay.ir.cause import Cause, made
from assay.ir.finding import CATEGORIES, Finding, platform_of
from assay.ir.message import normalised
from assay.ir.severity import severity_rank

#: What a finding does to whoever meets it. NaN or not often depends on the input alone.
_EFFECTS = {
    "crash": "death",
    "error": "error",
    "validation": "accepted",
    "nan": "numbers",
    "inconsistency": "numbers",
}
#: ``AveragePooling2D`` and ``AveragePooling3D`` share their code.
_DIMENSIONS = re.compile(r"[123]D$")
#: Effects of which calls on the way tell nothing but their names.
_UNSEEN = ("numbers", "nondeterminism", "death", "error")
#: Two messages that are this alike say the same. Measured on stored hunts: wordings of one
#: error reach 0.97, different errors of one op 0.68 at most.
ALIKE = 0.8


class Group(msgspec.Struct, frozen=True):
    """The findings of one cause; the first stands for all."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The one that stands for all: the worst, and of those the simplest."""
        return self.findings[0]

    @property
    def category(self) -> str:
        """The category, which all of them have."""
        return self.first.category

    @property
    def affects(self) -> tuple[str, ...]:
        """The other ops that show it, each once."""
        others = (item.op for item in self.findings[1:] if item.op != self.first.op)
        return tuple(dict.fromkeys(others))

    @property
    def count(self) -> int:
        """How many trials showed it."""
        return sum(item.count for item in self.findings)


def effect_of(finding: Finding) -> str:
    """The class of what it does: numbers, error, death, accepted, or its kind."""
    return _EFFECTS.get(finding.kind, finding.kind)


def stage_class(finding: Finding) -> str:
    """Building and calling are one; gradients and updates are others."""
    return finding.stage if finding.stage in ("gradient", "update") else "forward"


def implementations(finding: Finding) -> tuple[str, ...]:
    """What is blamed, by what computes: ``torch``, ``tensorflow+xla`` where only that is wrong."""
    platforms = [platform_of(finding, target) for target in finding.blamed]
    eager = {item.backend or item.library for item in platforms if item.eager}
    others = {
        f"{item.backend or item.library}+{item.mode}"
        for item in platforms
        if not item.eager and (item.backend or item.library) not in eager
    }
    return tuple(sorted(eager | others))


def cause_of(finding: Finding) -> Cause:
    """The cause that was found, or what a record of before says of it."""
    if finding.cause is not None:
        return finding.cause
    effect, who = effect_of(finding), implementations(finding)
    message = normalised(finding.evidence.message)
    if finding.rule:
        return made(finding.op, effect, stage_class(finding), who, message)
    if effect in ("error", "death", "equivalence") and message:
        # Whatever the op: the same words are said at the same place.
        return made("", effect, stage_class(finding), who, message)
    detail = " ".join(sorted(finding.responsible)) if effect == "accepted" else ""
    op = _DIMENSIONS.sub("", finding.op)
    return made(op, effect, stage_class(finding), who, detail)


def grouped(findings: Sequence[Finding]) -> tuple[Group, ...]:
    """The findings by cause: the categories in their order, the worst first.

    A group never mixes categories. Findings are of one cause if they have one id, or are
    siblings: exceptions of one wording that came through one function or from one line that
    stands twice in a file, or faults of a gradient of which one is of a function of the backend
    and the other calls it.
    """
    groups: list[list[Finding]] = []
    for finding in findings:
        related = [group for group in groups if any(_one_cause(finding, item) for item in group)]
        merged = [item for group in related for item in group] + [finding]
        groups = [group for group in groups if group not in related] + [merged]
    ordered = [Group(tuple(sorted(group, key=_simplest_first))) for group in groups]
    return tuple(sorted(ordered, key=_worst_first))


def siblings_of(finding: Finding, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Those of the findings that have its cause, itself included; none if it is not among them."""
    groups = (group.findings for group in grouped(findings))
    return next((group for group in groups if finding.id in {item.id for item in group}), ())


def _one_cause(first: Finding, second: Finding) -> bool:
    mine, other = cause_of(first), cause_of(second)
    apart = first.category != second.category or _effect(mine) != _effect(other)
    if apart or not (mine.id == other.id or _siblings(mine, other)):
        return False
    return _alike(mine.message, other.message)  # one line may raise for two reasons


def _effect(cause: Cause) -> tuple[str, str, tuple[str, ...]]:
    return cause.effect, cause.stage, cause.who


def _siblings(first: Cause, second: Cause) -> bool:
    return _same_way(first, second) or _contains(first, second) or _contains(second, first)


def _alike(first: str, second: str) -> bool:
    """Do two messages say the same?"""
    return first == second or SequenceMatcher(None, first, second).ratio() >= ALIKE


def _same_way(first: Cause, second: Cause) -> bool:
    """Exceptions that came through one function, or from a line that stands twice in a file."""
    repeated = (
        bool(first.frames)
        and first.detail == second.detail
        and first.place.partition(":")[0] == second.place.partition(":")[0]
    )
    return repeated or not set(first.frames).isdisjoint(second.frames)


def _contains(first: Cause, second: Cause) -> bool:
    """Does the one call the backend's function that the other is about, and nothing else?"""
    unseen = first.stage == "gradient" and first.effect in _UNSEEN
    return unseen and second.functions == (second.place,) and second.place in first.functions


def _simplest_first(finding: Finding) -> tuple[int, bool, int, str]:
    """The worst first; of those the function that the place is named after, then the shortest."""
    own = cause_of(finding).place.rpartition(":")[2] == finding.op.rpartition(".")[2]
    return severity_rank(finding), not own, len(finding.params), finding.id


def _worst_first(group: Group) -> tuple[int, int, str]:
    category = CATEGORIES.index(group.first.category)
    return category, severity_rank(group.first), group.first.op
