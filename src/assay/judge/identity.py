"""Which disagreements are the same one."""

import re
from collections.abc import Iterable

from rapidfuzz import fuzz

from assay.ir import Failure, Finding, Verdict, blamed_platforms, content_hash

_NOISE = (
    # TensorFlow says which kernel failed, and the name of its node.
    (re.compile(r"\s*\[Op:\w*\].*", re.DOTALL), ""),
    (re.compile(r"0x[0-9a-fA-F]+"), "ADDRESS"),
    (re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`"), "NAME"),
    # [] is the shape of a scalar; () is not taken for one, since names are followed by it.
    (re.compile(r"\[\]|[\[(][^\[\]()]*\d[^\[\]()]*[\])]"), "SHAPE"),
    (re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?"), "N"),
    (re.compile(r"\s+"), " "),
)
_MESSAGE_LENGTH = 160
#: Keras wraps what a backend raised in a line that says nothing new.
_WRAPPER = "Exception encountered when calling"
#: TensorFlow's node names, and terminal escapes that Keras puts around messages.
_DECORATION = re.compile(r"\{\{[^}]*\}\}\s*|\x1b\[[0-9;]*m")


def headline(failure: Failure) -> str:
    """One line that says what was raised: the exception's name and its first telling line."""
    name = failure.exception.rpartition(".")[2]
    lines = [_DECORATION.sub("", line).strip() for line in failure.message.splitlines()]
    telling = [line for line in lines if line and not line.startswith(_WRAPPER)]
    return f"{name}: {telling[0] if telling else ''}"[:300]


def normalised(message: str) -> str:
    """A message without what changes from case to case: numbers, shapes, names, addresses."""
    for pattern, replacement in _NOISE:
        message = pattern.sub(replacement, message)
    return message.strip()[:_MESSAGE_LENGTH]


def fingerprint(verdict: Verdict, blamed_implementations: frozenset[str]) -> str:
    """Hex hash of what makes a disagreement this one and no other.

    Equal for the same defect across seeds; made of kind, category, stage, op,
    blamed implementations, and the message or parameter that characterises it.
    """
    what = verdict.evidence.message if verdict.kind != "validation" else ""
    return content_hash(
        {
            "kind": verdict.kind,
            "category": verdict.category,
            "stage": verdict.stage,
            "op": verdict.op,
            "blamed": sorted(blamed_implementations),
            "message": normalised(what),
            "parameter": list(verdict.responsible) if verdict.kind == "validation" else [],
        }
    )


#: Two messages that are this alike, of 100, say the same. Measured on stored hunts:
#: wordings of one error reach 97 and more, different errors of one op 68 at most.
ALIKE = 90


def nearly_equal(finding: Finding, others: Iterable[Finding]) -> Finding | None:
    """The one of the others that differs from a finding only in the wording of its message."""
    mine = normalised(finding.evidence.message)
    for other in others:
        if (
            mine
            and finding.kind != "validation"
            and _place(other) == _place(finding)
            and fuzz.ratio(mine, normalised(other.evidence.message)) >= ALIKE
        ):
            return other
    return None


def _place(finding: Finding) -> tuple[object, ...]:
    where = (finding.kind, finding.category, finding.stage, finding.op)
    return (*where, blamed_platforms(finding))
