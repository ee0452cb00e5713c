"""The cause of a finding: asked of the libraries themselves, once for each."""

from collections.abc import Mapping, Sequence

import msgspec

from assay.campaign.running.cheapest import cheapest_first
from assay.campaign.running.laboratory import Laboratory
from assay.ir import REFERENCE, Array, Cause, Finding, believed, normalised, platform_of
from assay.ir.cause import made
from assay.ir.causes import effect_of, implementations, stage_class
from assay.ir.model import model_of
from assay.localize.inside import Inside, backend_functions, culprit, innermost, way_in
from assay.localize.special import special_values

#: The package in which a library's own code lies, where its name is another.
_PACKAGES = {"keras2": "keras"}
_KERAS = "keras/"
#: The package of a library that leaves computing to others.
_FRONT_END = "keras"
_NUMBERS = ("nan", "inconsistency", "precision")
#: What the oracle of rules calls apart in numbers; whether some are NaN depends on the input.
_OF_NUMBERS = ("another result", "NaN or infinity")
#: So many operators at most stand for what calls them.
_TOGETHER = 3


def with_cause(
    finding: Finding, laboratory: Laboratory, arrays: Mapping[str, Array] | None = None
) -> Finding:
    """The finding with its cause; as it was, if it is no bug or of a whole model.

    ``arrays`` are those that are stored with it: of a case that was not reduced yet, they say
    what is special about the elements that are wrong.
    """
    if finding.category != "bug" or model_of(finding.case) is not None:
        return finding
    cause = found_cause(finding, laboratory)
    values = _values(finding, arrays or {})
    return msgspec.structs.replace(finding, cause=msgspec.structs.replace(cause, values=values))


def _values(finding: Finding, arrays: Mapping[str, Array]) -> str:
    """What is special about the elements that are wrong; "" if nothing is, or nobody knows."""
    where = finding.evidence.where
    wrong = [arrays[f"{t}/{where}"] for t in finding.blamed if f"{t}/{where}" in arrays]
    right = [arrays[f"{t}/{where}"] for t in believed(finding) if f"{t}/{where}" in arrays]
    if not wrong or not right or effect_of(finding) != "numbers":
        return ""
    inputs = [array for name, array in arrays.items() if name.startswith("input:")]
    return special_values(wrong[0], right[0], inputs)


def found_cause(finding: Finding, laboratory: Laboratory) -> Cause:
    """Where inside of the library the finding comes from.

    Depends on the case, the targets' platforms and what they do, and on nothing that a
    reduction finds out: a reduced case goes the same way.
    """
    effect = effect_of(finding)
    if effect == "error" and stage_class(finding) == "forward":
        return _of_error(finding, laboratory)
    if finding.rule and effect != "death":
        return _of_rule(finding, laboratory)
    if effect == "equivalence" or finding.others:
        return _cause(finding, finding.op, normalised(finding.evidence.message))
    return _of_calls(finding, laboratory)


def _of_error(finding: Finding, laboratory: Laboratory) -> Cause:
    """An exception comes from the innermost line of the library."""
    message = normalised(finding.evidence.message)
    raising = [target for target in finding.blamed if target != REFERENCE]
    for target, seen in laboratory.inside(finding.case, raising[:1]).items():
        package = _package(finding, target)
        frame = innermost(seen.frames, package)
        if frame is None:
            continue
        frames = [
            f"{item.file}:{item.function}"
            for item in seen.frames
            if item.file.startswith(f"{package}/") and not item.plumbing
        ]
        return _cause(
            finding,
            f"{frame.file}:{frame.function}",
            # A line that goes on on the next one is cut off: what it says is enough.
            " ".join(frame.line.split()),
            frames=tuple(dict.fromkeys(frames)),
            message=message,
        )
    return _cause(finding, finding.op, message)


def _of_rule(finding: Finding, laboratory: Laboratory) -> Cause:
    """Two programs differ by the operator that gives them different things for the same.

    Where none does, they rest on the same operators, which stand for all that do, unless the
    library has a front end of its own, which may be at fault itself. What raises comes from the
    innermost line of the library.
    """
    message = normalised(finding.evidence.message)
    raised = ": " in message.partition(": ")[2]
    place, target = finding.op, finding.blamed[0]
    for seen in laboratory.inside(finding.case, [target], finding.rule).values():
        package = _package(finding, target)
        frame = innermost(seen.frames, package)
        if frame is not None:
            place = f"{frame.file}:{frame.function}"
        elif package != _FRONT_END:
            found = culprit(seen.others, seen.calls)
            alone = tuple(dict.fromkeys(call.function for call in seen.calls if call.outputs))
            named = (found.function,) if found is not None else alone
            place = ", ".join(named) if 0 < len(named) <= _TOGETHER else place
    return _cause(finding, place, message if raised else _told(finding))


def _told(finding: Finding) -> str:
    """The rule, and what is apart: numbers, or what the result is made of."""
    what = finding.evidence.message.partition(": ")[2]
    return f"{finding.rule}: {'numbers' if what in _OF_NUMBERS else what}"


def _of_calls(finding: Finding, laboratory: Laboratory) -> Cause:
    """Wrong numbers come from the innermost call that gives others; all else from the way in."""
    effect, stage = effect_of(finding), stage_class(finding)
    wrong = _by_cost(finding, finding.blamed) or _by_cost(finding, _accepting(finding))
    right = [t for t in _by_cost(finding, believed(finding)) if t not in finding.blamed]
    if not right and finding.kind in _NUMBERS and len(implementations(finding)) > 1:
        # Nobody's calls are there to hold theirs against: that they go the same way tells nothing.
        return _cause(finding, finding.op, _detail(finding))
    place, functions = "", tuple[str, ...]()
    # Who dies of it tells nothing.
    seen = _first(laboratory, finding, right if effect == "death" else wrong)
    if seen is not None:
        if effect == "numbers" and stage == "forward":
            sound = _first(laboratory, finding, right)
            found = culprit(seen.calls, sound.calls) if sound is not None else None
            place = found.shared if found is not None else ""
        one = len(finding.case.graph.nodes) == 1
        way = way_in(seen.calls) if one and not place else None
        place = place or (way.shared if way is not None else "")
        functions = backend_functions(seen.calls)
    who = implementations(finding)
    return _cause(
        finding,
        _located(place, who) if place else finding.op,
        _detail(finding),
        functions=tuple(_located(name, who) for name in functions),
        message=normalised(finding.evidence.message) if effect == "error" else "",
    )


def _first(laboratory: Laboratory, finding: Finding, targets: Sequence[str]) -> Inside | None:
    """What the first of the targets that tells something tells; None if none does."""
    for target in targets:
        for seen in laboratory.inside(finding.case, [target]).values():
            if seen.calls:
                return seen
    return None


def _by_cost(finding: Finding, targets: Sequence[str]) -> list[str]:
    """Targets whose calls can be compared, the cheapest first."""
    known = [(target, platform_of(finding, target)) for target in targets if target != REFERENCE]
    asked = [target for target, item in known if item.library == "keras" and item.eager]
    return cheapest_first(finding, asked)


def _accepting(finding: Finding) -> list[str]:
    """Who worked, where nobody is blamed for it."""
    return [item.target for item in finding.evidence.observations if item.summary == "works"]


def _package(finding: Finding, target: str) -> str:
    library = platform_of(finding, target).library
    return _PACKAGES.get(library, library)


def _located(shared: str, who: Sequence[str]) -> str:
    """The place in its package; with the backend's name, where one is to blame."""
    return _KERAS + (shared.replace("*", who[0]) if len(who) == 1 else shared)


def _detail(finding: Finding) -> str:
    """What tells two faults of one place apart."""
    if finding.kind in ("error", "crash"):
        return normalised(finding.evidence.message)
    if finding.kind == "validation":
        return finding.spoilt or " ".join(sorted(finding.responsible))
    if finding.evidence.message:  # another shape, or another number of arrays
        return "shape"
    empty = any(0 in item.shape for item in finding.case.graph.inputs)
    return "empty" if empty else ""


def _cause(
    finding: Finding,
    place: str,
    detail: str,
    functions: tuple[str, ...] = (),
    frames: tuple[str, ...] = (),
    message: str = "",
) -> Cause:
    effect, stage = effect_of(finding), stage_class(finding)
    return made(place, effect, stage, implementations(finding), detail, functions, frames, message)
