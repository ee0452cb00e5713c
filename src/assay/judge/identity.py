"""Which disagreements are the same one."""

import re
from collections.abc import Iterable, Sequence

import msgspec
from rapidfuzz import fuzz

from assay.ir import Failure, Finding, Verdict, blamed_platforms, content_hash, normalised

#: Keras wraps what a backend raised in a line that says nothing new.
_WRAPPER = "Exception encountered when calling"
#: OpenVINO tells a story of its own sources before, and after, the line that says what is wrong
#: with a model that it reads.
_READING_A_MODEL = "FrontEnd API failed with"
_STORY = re.compile(
    r"Exception from |FrontEnd API failed with|Model wasn't fully converted|-- .* with a message:$"
    r"|While validating |Shape inference input shapes |Summary:$|-- Conversion is failed for: "
    r"|Check '.*' failed at "
)
#: TensorFlow's node names, and terminal escapes that Keras puts around messages.
_DECORATION = re.compile(r"\{\{[^}]*\}\}\s*|\x1b\[[0-9;]*m")


def headline(failure: Failure) -> str:
    """One line that says what was raised: the exception's name and its first telling line."""
    name = failure.exception.rpartition(".")[2]
    lines = [_DECORATION.sub("", line).strip() for line in failure.message.splitlines()]
    telling = [line for line in lines if line and not line.startswith(_WRAPPER)]
    if any(line.startswith(_READING_A_MODEL) for line in telling):
        checks = [line for line in telling if "Check '" in line]
        said = [line.removeprefix("-- ") for line in telling if not _STORY.match(line)]
        telling = said or checks[-1:] or telling  # a check may fail without a word
    return f"{name}: {telling[0] if telling else ''}"[:300]


#: What is compared of two disagreements, from little to all. Confirmation, reduction and replay
#: ask for the blame to be the same; what a reduction may not change is all of it.
SYMPTOM = ("kind", "stage", "op")
BLAME = (*SYMPTOM, "blamed")
MEANING = (*BLAME, "category", "message", "parameters")
EVERYTHING = (*MEANING, "place")


class Identity(msgspec.Struct, frozen=True):
    """What makes a disagreement this one and no other.

    ``message`` is normalised, and empty for an invalid value that is accepted: there the
    parameter says it, and each library rejects it in words of its own. ``place`` is what
    kind of array differs.
    """

    kind: str
    stage: str
    op: str
    blamed: tuple[str, ...]
    category: str
    message: str
    parameters: tuple[str, ...]
    place: tuple[str, ...]


def identity_of(item: Verdict | Finding) -> Identity:
    """The identity of a verdict, or of the finding it became."""
    where = item.evidence.where.split(":")
    accepted = item.kind == "validation"
    return Identity(
        kind=item.kind,
        stage=item.stage,
        op=item.op,
        blamed=tuple(sorted(item.blamed)),
        category=item.category,
        message="" if accepted else normalised(item.evidence.message),
        parameters=tuple(item.responsible) if accepted else (),
        place=tuple(where[:2] if where[0] == "gradient" else where[:1]),
    )


def same(
    first: Verdict | Finding, second: Verdict | Finding, aspects: Sequence[str] = BLAME
) -> bool:
    """Are two disagreements the same, so far as these aspects go?

    Where only the reference dissents from both, blame is open: what supports it decides.
    """
    mine, other = identity_of(first), identity_of(second)
    alone = first.evidence.reference_alone and second.evidence.reference_alone
    return all(
        getattr(mine, aspect) == getattr(other, aspect) or (aspect == "blamed" and alone)
        for aspect in aspects
    )


def fingerprint(verdict: Verdict, blamed_implementations: frozenset[str]) -> str:
    """Hex hash of what makes a disagreement this one and no other.

    Equal for the same defect across seeds and names of targets: implementations are
    blamed here.
    """
    identity = identity_of(verdict)
    # What nobody can decide was called a convention at first: ids stay.
    category = "convention" if identity.category == "undecided" else identity.category
    return content_hash(
        {
            "kind": identity.kind,
            "category": category,
            "stage": identity.stage,
            "op": identity.op,
            "blamed": sorted(blamed_implementations),
            "message": identity.message,
            "parameter": list(identity.parameters),
        }
    )


#: Two messages that are this alike, of 100, say the same. Measured on stored hunts:
#: wordings of one error reach 97 and more, different errors of one op 68 at most.
ALIKE = 90


def nearly_equal(finding: Finding, others: Iterable[Finding]) -> Finding | None:
    """The one of the others that differs from a finding only in the wording of its message.

    Whatever the targets are called: platforms are blamed here.
    """
    mine = identity_of(finding).message
    for other in others:
        if (
            mine
            and same(finding, other, (*SYMPTOM, "category"))
            and blamed_platforms(finding) == blamed_platforms(other)
            and fuzz.ratio(mine, identity_of(other).message) >= ALIKE
        ):
            return other
    return None
