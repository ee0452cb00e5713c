"""Findings about cases of a suite: what a target made of a case, confirmed, identified."""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from assay.campaign.suite.reviewing import Reviewed
from assay.execute import Hello
from assay.ir import Array, Evidence, Finding, Kind, Observation, Stage, content_hash, normalised
from assay.ir.cause import made
from assay.ir.causes import effect_of
from assay.ir.suite import CASE, EXPECTED, Difference, SuiteCase, Value, suite_case
from assay.judge.suite.comparing import apart as differing
from assay.judge.suite.verdicts import Voice
from assay.targets import Target

#: The oracle in the record of a finding about a case of a suite.
ORACLE = "suite"
_ID_LENGTH = 8
#: What is no fault is counted and told in the table, and no finding.
RECORDED = ("bug", "undecided", "rounding", "convention")
_WORKS = "works"
#: More units in the last place than these are no measure of anything.
_COUNTED = 1e5


def grouped(reviewed: Sequence[Reviewed], targets: Mapping[str, Target]) -> list[list[Reviewed]]:
    """What is to be recorded: what one implementation made of a case, in whatever mode, is one."""
    groups: dict[tuple[str, ...], list[Reviewed]] = {}
    for item in reviewed:
        if not recorded(item):
            continue
        apart, judgement = item.outcome.difference, item.judgement
        key = (
            item.case.name,
            targets[item.target].implementation,
            item.outcome.status,
            apart.what if apart else "",
            judgement.category if judgement else "",
        )
        groups.setdefault(key, []).append(item)
    return list(groups.values())


def recorded(item: Reviewed) -> bool:
    """Does a finding tell of it?"""
    return item.judgement is not None and item.judgement.category in RECORDED


def kind_of(reviewed: Reviewed) -> Kind:
    """The kind of a finding."""
    if reviewed.outcome.status in ("crashes", "hangs"):
        return "crash"
    if reviewed.outcome.status == "refuses":
        return "error"
    apart = reviewed.outcome.difference
    return "nan" if apart is not None and apart.what == "special" else "inconsistency"


def finding_of(
    group: Sequence[Reviewed],
    suspect: str,
    targets: Mapping[str, Target],
    hellos: Mapping[str, Hello],
    again: Reviewed | None,
    campaign: str,
    trial: int,
) -> tuple[Finding, dict[str, Array]]:
    """The finding about what targets of one implementation made of a case, and its arrays.

    ``suspect`` is the attribute or input that tells it from what passes. ``again`` is what the
    first made of it when it was asked once more, in another process.
    """
    reviewed = group[0]
    judgement, outcome = reviewed.judgement, reviewed.outcome
    assert judgement is not None  # callers look first
    shows = again is not None and again.outcome.status == outcome.status
    category = judgement.category if shows or again is None else "flaky"
    wavers = shows and again is not None and not _alike(reviewed, again)
    blamed = tuple(item.target for item in group) if judgement.blamed else ()
    implementation = targets[reviewed.target].implementation
    kind = kind_of(reviewed)
    failure = reviewed.answered.failure
    stage: Stage = "build" if failure is not None and failure.stage == "build" else "forward"
    asked = [name for name in targets if name in reviewed.voices]
    message = outcome.message if failure is not None else told(outcome.difference)
    identity = content_hash(
        {
            "case": reviewed.case.name,
            "kind": kind,
            "category": category,
            "implementation": implementation,
            "message": normalised(outcome.message),
        }
    )
    versions = {name: hellos[name].versions for name in asked}
    apart = outcome.difference
    finding = Finding(
        id=identity[:_ID_LENGTH],
        fingerprint=identity,
        kind=kind,
        category=category,
        stage=stage,
        op=reviewed.case.op,
        params=reviewed.case.attributes,
        responsible=(suspect,) if suspect in reviewed.case.attributes else (),
        node=CASE,
        targets=tuple(asked),
        blamed=blamed,
        evidence=Evidence(
            observations=observations(reviewed),
            reason=judgement.reason + ("; two runs give two answers" if wavers else ""),
            where=f"output:{reviewed.case.names.outputs[apart.output]}" if apart else "",
            position=apart.position if apart else (),
            message=message,
            stack=failure.stack if failure else "",
            confirmations=int(shows),
            attempts=int(again is not None),
            anew=shows,
            believed=tuple(n for n in asked if reviewed.voices[n].status == "passes"),
            rule=judgement.rule,
        ),
        magnitude=apart.deviation if apart else float("inf"),
        oracle=ORACLE,
        case=suite_case(reviewed.case),
        original=suite_case(reviewed.case),
        intent="valid",
        spoilt="",
        versions=versions,
        platforms={
            name: targets[name].platform(known, hellos[name].machine)
            for name, known in versions.items()
        },
        campaign=campaign,
        trial=trial,
        seed=0,
        flaky=category == "flaky",
    )
    detail = normalised(outcome.message)
    if failure is None and apart is not None:
        detail = f"{apart.what} {suspect}".strip()
    cause = made(
        finding.op,
        effect_of(finding),
        "forward",
        (implementation,),
        detail,
        message=normalised(outcome.message),
    )
    return msgspec.structs.replace(finding, cause=cause), _arrays(reviewed)


def suspects(case: SuiteCase, sound: Sequence[SuiteCase]) -> tuple[str, ...]:
    """What a case has and no case of the operator that passes there: attributes, else values of
    attributes, by the attribute's name; and inputs beyond those of others.

    Nothing of cases that are written out, whose operators are others.
    """
    plain = [other for other in sound if not other.expanded]
    if case.expanded:
        return ()
    known = {name for other in plain for name in other.attributes}
    own = [
        name
        for name, value in case.attributes.items()
        if not any(other.attributes.get(name) == value for other in plain)
    ]
    new = [name for name in own if name not in known]
    most = max((len(other.inputs) for other in plain), default=len(case.inputs))
    return (*sorted(new or own), *(f"input {place}" for place in range(most, len(case.inputs))))


def telling(groups: Sequence[Sequence[str]]) -> list[str]:
    """Of the suspects of each, one: the fewest that are enough for all. "" where there is none."""
    found = [""] * len(groups)
    left = {place for place, names in enumerate(groups) if names}
    while left:
        counts = Counter(name for place in sorted(left) for name in groups[place])
        most = min(counts, key=lambda name: (-counts[name], name))
        for place in [place for place in sorted(left) if most in groups[place]]:
            found[place] = most
            left.discard(place)
    return found


def _alike(first: Reviewed, second: Reviewed) -> bool:
    """Did a target give the same twice?"""
    one, other = first.answered.outputs, second.answered.outputs
    if one is None or other is None:
        return True
    return all(
        differing(left, right, place, first.case) is None
        for place, (left, right) in enumerate(zip(one, other, strict=True))
    )


def told(apart: Difference | None) -> str:
    """A difference in words, without the place."""
    if apart is None:
        return ""
    if apart.what in ("shape", "type"):
        return f"gives {apart.given} where {apart.expected} is expected"
    units = f"{apart.units:,.0f} units in the last place"
    far = f", {units} off" if 1 <= apart.units < _COUNTED else ""
    return f"gives {apart.given} where {apart.expected} is expected{far}"


def observations(reviewed: Reviewed) -> tuple[Observation, ...]:
    """What the case expects and every target gave, at the element that is furthest off."""
    apart = reviewed.outcome.difference
    first = Observation(EXPECTED, "the case", *_at(reviewed.case.told.outputs, apart))
    return (first, *(_observed(voice, reviewed, apart) for voice in reviewed.voices.values()))


def _observed(voice: Voice, reviewed: Reviewed, apart: Difference | None) -> Observation:
    if voice.outputs is None:
        said = reviewed.outcome.message if voice.target == reviewed.target else voice.status
        return Observation(voice.target, voice.implementation, said)
    if apart is None:
        summary = _WORKS if voice.status == "passes" else voice.status
        return Observation(voice.target, voice.implementation, summary)
    return Observation(voice.target, voice.implementation, *_at(voice.outputs, apart))


def _at(outputs: Sequence[Value], apart: Difference | None) -> tuple[str, float | None]:
    """What outputs hold at the place of a difference: in words, and as a number."""
    if apart is None or apart.output >= len(outputs):
        return "", None
    value = outputs[apart.output]
    kinds = f"shape {value.kind}" if apart.what == "shape" else value.kind
    array = value.array
    if apart.what in ("shape", "type") or array is None or len(apart.position) != array.ndim:
        return kinds, None
    if any(place >= size for place, size in zip(apart.position, array.shape, strict=True)):
        return kinds, None
    return "", float(array[apart.position].real)


def _arrays(reviewed: Reviewed) -> dict[str, Array]:
    names = reviewed.case.names
    found = _tensors("input:", names.inputs, reviewed.case.told.inputs)
    found |= _tensors(f"{EXPECTED}/output:", names.outputs, reviewed.case.told.outputs)
    for voice in reviewed.voices.values():
        found |= _tensors(f"{voice.target}/output:", names.outputs, voice.outputs or ())
    return found


def _tensors(begin: str, names: Sequence[str], values: Sequence[Value]) -> dict[str, Array]:
    return {
        f"{begin}{name}": value.array
        for name, value in zip(names, values, strict=False)
        if value.array is not None
    }
