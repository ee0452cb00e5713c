"""Different results: inside of the admissible set, on another branch of it, or outside."""

import numpy as np

from assay.gaps import real
from assay.ir import REFERENCE, Admissible, Array, Verdict, believed
from assay.judge._base import Observed, Run
from assay.judge.admissible import Region, region
from assay.judge.judgement import Judgement


def by_region(observed: Observed, verdict: Verdict, run: Run) -> Judgement | None:
    """What the admissible set says; None if there is none, or it decides nothing."""
    where = verdict.evidence.where
    answers = answers_of(observed, verdict)
    for source in _sources(observed, verdict):
        around = region(observed, where, verdict.op, source, run)
        if around is None:
            continue
        others = {name: item for name, item in answers.items() if name != source}
        found = held_against(around, others, verdict)
        # Where a truth is known, or somebody is believed, one answer is enough.
        if found is not None or source == REFERENCE or verdict.blamed:
            return found
    return None


def _sources(observed: Observed, verdict: Verdict) -> list[str]:
    """Whom to ask for the set: the reference where it is believed, else one who is."""
    trusted = [target for target in believed(verdict) if target in observed.traces]
    if not verdict.blamed and REFERENCE in observed.traces:
        trusted.append(REFERENCE)
    return sorted(dict.fromkeys(trusted), key=lambda name: name != REFERENCE)


def answers_of(observed: Observed, verdict: Verdict) -> dict[str, Array]:
    """What every library gives for the disputed array."""
    where = verdict.evidence.where
    return {
        target: real(observed.traces[target].arrays[where])
        for target in verdict.targets
        if target != REFERENCE and target in observed.traces
        if where in observed.traces[target].arrays
    }


def held_against(around: Region, answers: dict[str, Array], verdict: Verdict) -> Judgement | None:
    """What answers are beside the set: inside, on a branch or outside; None if undecided."""
    where = verdict.evidence.where
    accused = verdict.blamed or tuple(answers)
    outside = {
        name: mask
        for name in accused
        if name in answers and (mask := around.outside(answers[name])).any()
    }
    inside = [target for target in answers if target not in outside]
    # Those who agree with each other are held against our reference as one.
    if not outside or (verdict.evidence.reference_alone and inside and _agreed(verdict)):
        accused = tuple(name for name in accused if name in inside)
        name = next(iter(name for name in accused if name in answers), "")
        if not name:
            return None
        shown = around.shown(answers[name], where)
        return Judgement("rounding", "inside", told(shown), admissible=shown)
    name = next(iter(outside))
    shown = around.shown(answers[name], where, outside[name])
    if all(around.on_branch(answers[other], mask) for other, mask in outside.items()):
        reason = f"inputs beside these give {_number(shown.answer)} too: another branch"
        return Judgement("convention", "branch", reason, admissible=shown)
    if verdict.blamed:
        return Judgement("bug", "outside", told(shown), admissible=shown, blamed=tuple(outside))
    if around.source == REFERENCE and inside:
        # Who is inside agrees with the truth, though not to the digit.
        agreed = f"{', '.join(inside)} and the reference agree within rounding"
        reason = f"{agreed}; {told(shown)}"
        return Judgement("bug", "outside", reason, admissible=shown, blamed=tuple(sorted(outside)))
    return None


def _agreed(verdict: Verdict) -> bool:
    """Do all targets agree, but for the reference? (Else it would be undecided.)"""
    return verdict.category == "convention"


def told(found: Admissible) -> str:
    """In a sentence: what was given, what is allowed, and why."""
    if found.centre is None or found.lower is None or found.upper is None:
        return "nothing is known of what rounding allows"
    allowed = found.upper - found.centre
    answer = _number(found.answer)
    if found.answer is None or not np.isfinite(found.answer) or not np.isfinite(found.centre):
        explained = f", where rounding explains ± {allowed:.3g}" if np.isfinite(allowed) else ""
        return f"{answer} for {_number(found.centre)}{explained}"
    away = abs(found.answer - found.centre)
    return (
        f"{answer} for {_number(found.centre)}: {away:.3g} off, where rounding explains "
        f"{allowed:.3g} (one ULP of input moves it by {found.ball:.3g})"
    )


def _number(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.9g}"
