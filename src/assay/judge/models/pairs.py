"""From the numbers of a pair of targets, and where they part, to the verdict on it."""

from collections.abc import Sequence

import msgspec

from assay.ir.check import Located, ModelVerdict, Outside, PairResult, Suspect
from assay.judge.models.rules import Rule
from assay.judge.models.tally import Tally

_NOTHING: ModelVerdict = "nothing to compare"
_NOT_OPENED = "more than rounding explains; the layers could not be looked into"


class _Opinion(msgspec.Struct, frozen=True):
    """What is said of a pair that is suspicious."""

    verdict: ModelVerdict
    suspect: Suspect | None = None
    explanation: str = ""
    rounding: bool = False
    outside: Outside | None = None


def pair_result(
    rule: Rule,
    pair: tuple[str, str],
    tally: Tally,
    found: Located | None,
    nondeterministic: Sequence[str] = (),
) -> PairResult:
    """The verdict on a pair; ``found`` is where its targets part, if that was looked for.

    Nothing follows from what one that is ``nondeterministic`` gave.
    """
    if nondeterministic:
        verb = "differs from itself" if len(nondeterministic) == 1 else "differ from themselves"
        said = _Opinion(_NOTHING, explanation=f"{' and '.join(nondeterministic)} {verb}")
    elif not tally.comparable and not tally.exceeding:
        said = _Opinion(_NOTHING, explanation="no output has a finite number")
    else:
        said = _Opinion("consistent") if found is None else _opinion(rule, tally, found)
    worst = rule.worst(tally)
    classifier = tally.task == "classification"
    return PairResult(
        targets=pair,
        verdict=said.verdict,
        top1_agreement=tally.agreeing / tally.instances if classifier else None,
        max_abs=tally.max_abs,
        mean_abs=tally.sum_abs / max(1, tally.instances),
        max_rel=tally.max_rel,
        max_ulp=tally.max_ulp,
        d_class_max=tally.d_class_max if classifier else None,
        d_mad_max=tally.d_mad_max,
        share_class=tally.over_class / max(1, tally.instances),
        share_mad=tally.over_mad / max(1, tally.instances),
        accuracy_differences=tally.accuracy_differences,
        exceeded=rule.exceeded(tally) if said.verdict == "inconsistent" else (),
        histogram=tuple(int(n) for n in tally.histogram) if tally.histogram is not None else (),
        worst=worst.instance,
        labels=worst.labels,
        suspect=said.suspect,
        explanation=said.explanation,
        category=("rounding" if said.rounding else "bug") if said.verdict == "inconsistent" else "",
        ratio=tally.ratio,
        outside=said.outside,
        deviations=tuple(int(n) for n in tally.deviations),
    )


def _opinion(rule: Rule, tally: Tally, found: Located) -> _Opinion:
    if rule.published:
        suspect, explanation = _by_growth(found)
        # A threshold does not know what rounding does.
        near = found.suspect is None and tally.explained
        return _Opinion("inconsistent", suspect, explanation, rounding=near)
    if found.suspect is not None:
        return _Opinion("inconsistent", found.suspect)
    if tally.shapes:
        return _Opinion("inconsistent", explanation=f"outputs differ in shape: {tally.shapes}")
    if tally.flips and not tally.exceeding:
        explanation = (
            f"{tally.flips} predicted labels differ, but no output beyond rounding: "
            "near ties that rounding decides"
        )
        return _Opinion("inconsistent", explanation=explanation, rounding=True)
    if tally.explained:
        explanation = "rounding, added up over all layers, explains it"
        if tally.flips:
            explanation += f", and decides {tally.flips} near ties"
            return _Opinion("inconsistent", explanation=explanation, rounding=True)
        return _Opinion("consistent", explanation=explanation)
    if found.outside or found.complete:
        return _Opinion("inconsistent", outside=found.outside or _together(found))
    suspect, explanation = _by_growth(found)
    return _Opinion("inconsistent", suspect, explanation)


def _together(found: Located) -> Outside:
    """No layer and nothing between: differences that are small alone add up."""
    grows = f"; together they grow first at {found.by_growth.layer}" if found.by_growth else ""
    return Outside(f"no layer alone differs past the screen on identical input{grows}")


def _by_growth(found: Located) -> tuple[Suspect | None, str]:
    """The suspect of the rate of change; what the retrial alone says of it stands beside it."""
    if found.by_growth is None:
        return found.suspect, "" if found.suspect else _NOT_OPENED
    item = found.by_growth
    if found.suspect is not None and found.suspect.layer == item.layer:
        return found.suspect, ""
    suspect = Suspect(item.layer, item.op, item.rate, before=item.before)
    if found.suspect is not None:
        return suspect, f"alone, {found.suspect.layer} is the first layer that differs"
    return suspect, "alone, on identical input, no layer that was tried differs beyond rounding"
