"""Who is wrong about a case: the runtime, the case, or nobody.

Voices are what the case expects and what implementations give. The case and the evaluator of the
onnx package are of one author, so that they are one voice where they agree: a runtime that
contradicts both is wrong unless another, independent one gives the same as it does. Then nobody
is blamed: the case may be wrong.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

from assay.ir import Category
from assay.ir.suite import Difference, Status, SuiteCase, Value
from assay.judge.suite.comparing import apart

#: The implementation whose author also wrote the cases.
AUTHOR = "onnx"
Rule = Literal[
    "death",
    "lacks",
    "clear refusal",
    "fails alone",
    "fails with all",
    "rounding",
    "not measured",
    "undefined",
    "doubtful case",
    "others confirm",
    "author confirms",
    "others contradict",
    "author contradicts itself",
    "case alone",
]


class Voice(msgspec.Struct, frozen=True):
    """What a target made of a case."""

    target: str
    implementation: str
    status: Status
    outputs: tuple[Value, ...] | None = None
    difference: Difference | None = None


class Measured(msgspec.Struct, frozen=True):
    """What is known of an answer before it is judged.

    ``alike`` are the other implementations that give the same. ``rounds``: can rounding explain
    the difference (None: not measured)? ``refusal`` is why a failure is a clear refusal,
    ``undefined`` why nothing is defined where the answer differs, ``doubt`` why the case is
    doubtful; empty if that is not so.
    """

    alike: tuple[str, ...] = ()
    rounds: bool | None = None
    refusal: str = ""
    undefined: str = ""
    doubt: str = ""


class Judgement(msgspec.Struct, frozen=True):
    """The category of what a target did, why, by which rule, and whether it is to blame."""

    category: Category
    reason: str
    rule: Rule
    blamed: bool


def judged(voice: Voice, voices: Mapping[str, Voice], known: Measured) -> Judgement | None:
    """What to make of a voice among all voices (by target); None for one that passes.

    Another mode of the same runtime that passes contradicts it, too.
    """
    right = [item for item in voices.values() if item.status == "passes"]
    passing = tuple(
        dict.fromkeys(
            item.target if item.implementation == voice.implementation else item.implementation
            for item in right
        )
    )
    match voice.status:
        case "passes" | "not run":
            return None
        case "not implemented":
            return Judgement("unsupported", "it says that it lacks this", "lacks", False)
        case "crashes" | "hangs":
            ends = "die" if voice.status == "crashes" else "hang"
            return Judgement("bug", f"a process must not {ends} of a valid model", "death", True)
        case "refuses":
            return _failed(passing, known.refusal)
        case "differs":
            return _differing(voice, passing, known)


def _failed(passing: tuple[str, ...], refusal: str) -> Judgement:
    if refusal:
        return Judgement("unsupported", refusal, "clear refusal", False)
    if not passing:
        reason = "ONNX's own case is to run, but nobody else runs it"
        return Judgement("undecided", reason, "fails with all", False)
    reason = f"ONNX's own case is to run, and does on {_listed(passing)}"
    return Judgement("bug", reason, "fails alone", True)


def _differing(voice: Voice, passing: tuple[str, ...], known: Measured) -> Judgement:
    if known.doubt:
        return Judgement("undecided", known.doubt, "doubtful case", False)
    if known.undefined:
        return Judgement("convention", known.undefined, "undefined", False)
    if known.rounds:
        reason = "inputs moved by one unit in the last place move the answer as far"
        return Judgement("rounding", reason, "rounding", False)
    independent = tuple(name for name in passing if name != AUTHOR)
    against = tuple(name for name in known.alike if AUTHOR not in (name, voice.implementation))
    if against:
        said = f"{_listed((*against, voice.implementation))} agree against the case"
        return Judgement("undecided", said, "others contradict", False)
    if known.rounds is None and passing and _numbers(voice):
        reason = "who gives what the case expects cannot be asked with inputs that are moved"
        return Judgement("undecided", reason, "not measured", False)
    if independent:
        reason = f"the case, and {_listed(passing)} give the same"
        return Judgement("bug", reason, "others confirm", True)
    if voice.implementation == AUTHOR:
        reason = "the onnx package's evaluator contradicts its case, and nobody else answers"
        return Judgement("undecided", reason, "author contradicts itself", False)
    if AUTHOR in passing:
        reason = "ONNX's case and its reference evaluator give another result"
        return Judgement("bug", reason, "author confirms", True)
    reason = "nobody gives what the case expects"
    return Judgement("undecided", reason, "case alone", False)


def _numbers(voice: Voice) -> bool:
    return voice.difference is not None and voice.difference.what == "number"


def _listed(names: tuple[str, ...]) -> str:
    told = tuple("onnx's evaluator" if name == AUTHOR else name for name in names)
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"


def alike_to(case: SuiteCase, voice: Voice, voices: Mapping[str, Voice]) -> tuple[str, ...]:
    """The other implementations that differ from the case as this one does."""
    found = []
    for other in voices.values():
        if other.implementation == voice.implementation or other.status != "differs":
            continue
        assert voice.outputs is not None  # both differ
        assert other.outputs is not None
        same = len(voice.outputs) == len(other.outputs) and all(
            apart(one, two, place, case) is None
            for place, (one, two) in enumerate(zip(voice.outputs, other.outputs, strict=True))
        )
        if same:
            found.append(other.implementation)
    return tuple(dict.fromkeys(found))
