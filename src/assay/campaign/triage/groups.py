"""Findings that look like one cause: the same message on several ops, or ops of one family."""

import re
from collections.abc import Sequence

import msgspec

from assay.ir import Finding, blamed_platforms
from assay.judge.identity import normalised

#: Kinds whose message says what went wrong, whatever the op.
_TELLING = ("error", "crash", "equivalence")
#: ``AveragePooling2D`` and ``AveragePooling3D`` share their code, as do forward and gradient.
_DIMENSIONS = re.compile(r"[123]D$")


class Group(msgspec.Struct, frozen=True):
    """Findings that probably have one cause, in the order they were given."""

    key: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The one that stands for all."""
        return self.findings[0]


def grouped(findings: Sequence[Finding]) -> tuple[Group, ...]:
    """The findings by probable cause; groups in the order of their first finding.

    A group never mixes categories or blamed platforms; names of targets mean nothing.
    """
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault(cause(finding), []).append(finding)
    return tuple(Group(key, tuple(items)) for key, items in groups.items())


def cause(finding: Finding) -> tuple[str, ...]:
    """What findings of one cause have in common."""
    who = (finding.category, *blamed_platforms(finding))
    message = normalised(finding.evidence.message)
    if finding.kind in _TELLING and message:
        return (finding.kind, message, *who)
    # Wrong numbers forward are wrong backward too; NaN or not depends on the input.
    kind = "numbers" if finding.kind in ("nan", "inconsistency", "precision") else finding.kind
    return (kind, _DIMENSIONS.sub("", finding.op), " ".join(sorted(finding.responsible)), *who)
