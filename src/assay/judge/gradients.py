"""Different derivatives: rounding, another subgradient at a kink, or a bug."""

import numpy as np

from assay.ir import REFERENCE, Admissible, Array, Verdict, believed
from assay.ir.transform import nudged_cases
from assay.judge._base import Observed, Run
from assay.judge.admissible import NUDGES, Region
from assay.judge.allowance import family_of
from assay.judge.apart import hangs_on_nothing, slopes_apart
from assay.judge.derivative import derivative_region
from assay.judge.elementwise import of_one_element
from assay.judge.equals import JUMP, beside_slopes, no_subgradient, share_alike
from assay.judge.forward import answers_of, held_against, told
from assay.judge.judgement import Judgement
from assay.judge.rounding import (
    product_noise,
    quotient_noise,
    sensitivity,
    unit_of_upstream,
    zero_noise,
)
from assay.judge.slopes import Slopes, sides, slopes
from assay.judge.unstable import believed_array, right_when_wider

#: A slope that is nearer than this to the largest number may overflow on its way.
_ROOM = 16.0


def not_a_number(observed: Observed, verdict: Verdict, run: Run) -> Judgement | None:
    """NaN (or infinity) on one side only.

    Where the function has finite slopes, any number between them will do, and NaN is wrong
    whoever gives it. Where it has none, there is nothing to give.
    """
    given = given_there(observed, verdict)
    finite = tuple(name for name, value in given.items() if np.isfinite(value))
    found = _slopes(observed, verdict, finite, run, True)
    if found is None:
        return _special_moves(observed, verdict, run)
    return _beside_slopes(observed, verdict, *found)


def where_finite(observed: Observed, verdict: Verdict, run: Run) -> Judgement | None:
    """NaN for a slope of numbers, where other results are not finite; None if that is not so."""
    if verdict.kind != "nan":
        return None
    where, position = verdict.evidence.where, verdict.evidence.position
    found = slopes_apart(observed, where, position, run)
    if found is None and hangs_on_nothing(observed, where, position, run):
        found = Slopes(0.0, 0.0)
    if found is None or not found.exist:
        return None
    return _beside_slopes(observed, verdict, REFERENCE, found)


def _beside_slopes(
    observed: Observed, verdict: Verdict, source: str, sloped: Slopes
) -> Judgement | None:
    where, position = verdict.evidence.where, verdict.evidence.position
    given = given_there(observed, verdict)
    finite = tuple(name for name, value in given.items() if np.isfinite(value))
    wrong = tuple(sorted(name for name in given if name not in finite))
    shown = beside_slopes(verdict, source, given[wrong[0]] if wrong else None, sloped)
    if not sloped.exist:
        reason = "there is no derivative at this input: the function jumps, or grows too steep"
        return Judgement("convention", "undefined", reason, admissible=shown)
    largest = max(map(abs, sloped.values)) * _ROOM
    if not finite or not wrong or largest > np.finfo(_dtype(observed, verdict)).max:
        return None
    reason = (
        f"{given[wrong[0]]:.9g} at {list(position)} of {where}, where the function has the slopes "
        f"{_sides(sloped)}; {', '.join(finite)} give numbers"
    )
    return Judgement("bug", "outside", reason, admissible=shown, blamed=wrong)


def numbers(observed: Observed, verdict: Verdict, run: Run) -> Judgement | None:
    """Two different numbers; None if nothing speaks against a bug."""
    kink = _at_kink(observed, verdict, run)
    if kink is not None:
        return kink
    claimed = _beside_derivative(observed, verdict, run)
    if claimed is not None:
        return claimed
    moved = _moved(observed, verdict, run)
    if moved is not None:
        return moved
    if _cancels(observed, verdict, run):
        return _cancelled()
    if not verdict.blamed:
        reason = "nobody agrees on the derivative: taken for a kink or a tie"
        return Judgement("convention", "branch", reason)
    if not _decided(observed, verdict) and _jumps(observed, verdict, run):
        reason = "the gradient jumps at this input: a kink or a tie"
        return Judgement("convention", "branch", reason)
    return None


def _beside_derivative(observed: Observed, verdict: Verdict, run: Run) -> Judgement | None:
    """Where the reference claims a derivative: is it inside of what rounding allows around it?"""
    where, position = verdict.evidence.where, verdict.evidence.position
    if not _decided(observed, verdict):
        return None
    around = derivative_region(observed, where, position, verdict.op, run)
    if around is None:
        return None
    found = held_against(around, answers_of(observed, verdict), verdict) or _against_themselves(
        observed, verdict, around, run
    )
    if found is None or found.category != "bug":
        return found
    if share_alike(observed, verdict, run):
        reason = "equal elements share the gradient, each in its own way, and theirs sum up alike"
        return Judgement("convention", "branch", reason, admissible=found.admissible)
    return _cancelled() if _cancels(observed, verdict, run) else found


def _against_themselves(
    observed: Observed, verdict: Verdict, around: Region, run: Run
) -> Judgement | None:
    """The bug of those who give a slope that the values they compute themselves do not have.

    Nobody is blamed where all contradict each other and the reference, or all agree against it.
    """
    where, position = verdict.evidence.where, verdict.evidence.position
    answers = answers_of(observed, verdict)
    if verdict.blamed or any(not around.outside(answer)[position] for answer in answers.values()):
        return None
    right, given = float(around.centre[position]), given_there(observed, verdict)
    wrong = []
    for name, answer in given.items():
        own = slopes(observed, where, position, name, run, everywhere=False)
        if own is None or not own.smooth() or not own.between(right):
            return None
        if not own.between(answer):
            wrong.append(name)
    if not wrong:
        return None
    worst = max(wrong, key=lambda name: abs(given[name] - right))
    shown = around.shown(answers[worst], where)
    reason = f"{told(shown)}; the values that each computes have the reference's slope"
    return Judgement("bug", "outside", reason, admissible=shown, blamed=tuple(sorted(wrong)))


def given_there(observed: Observed, verdict: Verdict) -> dict[str, float]:
    """What every library gives at the disputed element."""
    where, position = verdict.evidence.where, verdict.evidence.position
    return {
        target: float(np.real(observed.traces[target].arrays[where][position]))
        for target in verdict.targets
        if target != REFERENCE and target in observed.traces
        if len(position) == getattr(observed.traces[target].arrays.get(where), "ndim", -1)
    }


def _dtype(observed: Observed, verdict: Verdict) -> np.dtype[np.floating]:
    """The narrowest float format of the disputed gradient."""
    arrays = [trace.arrays.get(verdict.evidence.where) for trace in observed.traces.values()]
    floats = [array.dtype for array in arrays if array is not None and array.dtype.kind == "f"]
    return min(floats, key=lambda dtype: dtype.itemsize)


def _slopes(
    observed: Observed, verdict: Verdict, others: tuple[str, ...], run: Run, everywhere: bool
) -> tuple[str, Slopes] | None:
    """Who says which slopes: the reference, else a library that gives numbers.

    A library guards against zero in its own way: its function may be smooth where ours jumps.
    """
    where, position = verdict.evidence.where, verdict.evidence.position
    said = None
    for source in (REFERENCE, *others[:1]):
        if source in observed.traces:
            found = slopes(observed, where, position, source, run, everywhere)
            if found is not None and (said is None or found.exist):
                said = source, found
            if found is not None and found.exist:
                break
    return said


def _decided(observed: Observed, verdict: Verdict) -> bool:
    """Does the reference claim a derivative there?"""
    reference = observed.traces.get(REFERENCE)
    where = verdict.evidence.where
    if reference is None or where not in reference.arrays:
        return False
    mask = reference.arrays.get("undecided:" + where)
    return mask is None or not bool(mask[verdict.evidence.position])


def _at_kink(observed: Observed, verdict: Verdict, run: Run) -> Judgement | None:
    """At a kink, where the reference claims nothing: is every number between the slopes?"""
    if REFERENCE not in observed.traces or _decided(observed, verdict):
        return None
    found = _slopes(observed, verdict, (), run, False)
    if found is None:
        return None
    source, sloped = found
    if sloped.smooth():
        return None
    given = given_there(observed, verdict)
    wrong = tuple(sorted(name for name, value in given.items() if not sloped.between(value)))
    shown = beside_slopes(verdict, source, next(iter(given.values()), None), sloped)
    if not sloped.exist:
        reason = "there is no derivative at this input: the function jumps, or grows too steep"
        return Judgement("convention", "undefined", reason, admissible=shown)
    if not wrong:
        excess = no_subgradient(observed, verdict, run)
        if excess is not None:
            return excess
        reason = f"the gradient jumps at this input: its sides have the slopes {_sides(sloped)}"
        return Judgement("convention", "branch", reason, admissible=shown)
    return None


def _sides(found: Slopes) -> str:
    names = [f"{value:.6g}" for value in (found.left, found.right) if value is not None]
    return " and ".join(names)


def _nudged(observed: Observed, target: str, array: str, run: Run) -> list[Array]:
    traces = run(nudged_cases(observed.case, NUDGES), target)
    return [trace.arrays[array] for trace in traces if array in trace.arrays]


def _holders(observed: Observed, verdict: Verdict) -> list[str]:
    """Who is believed and has the array, libraries first: the reference differentiates slowly."""
    found = [
        target
        for target, trace in observed.traces.items()
        if target in believed(verdict) and verdict.evidence.where in trace.arrays
    ]
    return sorted(found, key=lambda name: name == REFERENCE)


def _moved(observed: Observed, verdict: Verdict, run: Run) -> Judgement | None:
    """Rounding or a kink, if the believed derivative moves as much under a nudge."""
    where, position = verdict.evidence.where, verdict.evidence.position
    for target in _holders(observed, verdict):
        base = observed.traces[target].arrays[where]
        moved = _nudged(observed, target, where, run)
        if not moved:
            continue
        found = sensitivity(base, moved)
        if not found.explains(verdict.magnitude, position):
            return None
        here = float(found.movement[position])
        centre, allowed = float(np.real(base[position])), found.granted(position)
        shown = Admissible(
            source=target,
            family=family_of(verdict.op).name,
            answer=next(iter(given_there(observed, verdict).values()), None),
            centre=centre,
            lower=centre - allowed,
            upper=centre + allowed,
            ball=here,
            growth=allowed / here if here else 0.0,
            nudged=tuple(float(np.real(item[position])) for item in moved),
            where=where,
            position=position,
        )
        unit = unit_of_upstream(observed.case)
        if here > max(JUMP * abs(centre), unit) and not _decided(observed, verdict):
            reason = f"the gradient jumps at this input by {here:.3g}: a kink or a tie"
            return Judgement("convention", "branch", reason, admissible=shown)
        reason = (
            f"{verdict.magnitude:.3g} apart, where rounding explains {allowed:.3g} "
            f"(one ULP of input moves it by {here:.3g})"
        )
        return Judgement("rounding", "inside", reason, admissible=shown)
    return None


def _special_moves(observed: Observed, verdict: Verdict, run: Run) -> Judgement | None:
    where, position = verdict.evidence.where, verdict.evidence.position
    for target in _holders(observed, verdict):
        moved = _nudged(observed, target, where, run)
        if moved:
            base = observed.traces[target].arrays[where]
            if not sensitivity(base, moved).special_moves(position):
                return None
            reason = "one ULP of input makes the special value come and go"
            return Judgement("rounding", "inside", reason)
    return None


def _jumps(observed: Observed, verdict: Verdict, run: Run) -> bool:
    """Do all give one gradient where that element is less, another where it is more, and here
    something between the two?

    Nudges move all elements at once, each up or down: that a tie breaks both ways is likely,
    not certain. A fault shows beside the tie too.
    """
    where, position = verdict.evidence.where, verdict.evidence.position
    cases = sides(observed.case, where, position) if position else ()
    holders = [
        target
        for target in (*verdict.blamed, *believed(verdict))
        if target != REFERENCE and where in observed.traces[target].arrays
    ]
    answers = []
    for target in holders if cases else ():
        traces = run(cases, target)
        if len(traces) < len(cases) or any(where not in trace.arrays for trace in traces):
            return False
        answers.append([float(trace.arrays[where][position]) for trace in traces])
    if len(answers) < 2 or not np.isfinite(answers).all():
        return False
    here = np.array([float(observed.traces[item].arrays[where][position]) for item in holders])
    beside_it = np.array(answers)
    close = JUMP * float(np.abs(beside_it).max())
    agreed = bool((np.ptp(beside_it, axis=0) <= close).all())
    lowest, highest = sorted(beside_it[-1])
    between = bool(((here >= lowest - close) & (here <= highest + close)).all())
    return agreed and between and highest - lowest > close


def _off(observed: Observed, verdict: Verdict) -> tuple[str, ...]:
    """Who is far from the truth, where nobody is blamed; everyone, if it is not known."""
    given, truth = given_there(observed, verdict), observed.traces.get(REFERENCE)
    where, position = verdict.evidence.where, verdict.evidence.position
    if truth is None or where not in truth.arrays:
        return tuple(given)
    right = float(np.real(truth.arrays[where][position]))
    away = [name for name, value in given.items() if abs(value - right) * 2 > verdict.magnitude]
    return tuple(away) or tuple(given)


def _element(observed: Observed, verdict: Verdict) -> float:
    """The element of an input whose gradient is disputed; one, if it is no input's."""
    where, position = verdict.evidence.where, verdict.evidence.position
    array = observed.case.input_arrays().get(where.removeprefix("gradient:input:"))
    return float(array[position]) if array is not None and array.ndim == len(position) else 1.0


def _right(observed: Observed, verdict: Verdict) -> float:
    """The derivative there, as the reference claims it, else as those do who are believed."""
    where, position = verdict.evidence.where, verdict.evidence.position
    known = verdict.evidence.reference_alone and _decided(observed, verdict)
    array = observed.traces[REFERENCE].arrays[where] if known else believed_array(observed, verdict)
    return float(np.real(array[position]))


def _of_one_element(observed: Observed, verdict: Verdict, run: Run) -> bool:
    return _decided(observed, verdict) and of_one_element(
        observed, verdict.evidence.where, verdict.evidence.position, run
    )


def _cancelled() -> Judgement:
    reason = "terms as large as output over input cancel out, and less so in a wider format"
    return Judgement("rounding", "inside", reason)


def _cancels(observed: Observed, verdict: Verdict, run: Run) -> bool:
    """Could it be what is left of cancelled terms, and does a wider format leave less?

    Where nobody has one, terms that must have been there have to explain it.
    """
    accused = verdict.blamed or _off(observed, verdict)
    outputs = [
        array
        for target in accused
        for array in observed.traces[target].outputs().values()
        if array.dtype.kind == "f"
    ]
    noise = certain = quotient_noise(observed.case, outputs)
    right = abs(_right(observed, verdict))
    if right > noise or (right and _of_one_element(observed, verdict, run)):
        return False  # the format holds it beside such terms, or only its formula makes them
    if right < verdict.magnitude:
        if not right:
            certain = max(certain, zero_noise(observed.case, outputs, _element(observed, verdict)))
        if verdict.magnitude <= certain:
            return True  # nothing is left of terms that must have been there
        # Nothing of it is right: terms of any size may have cancelled out.
        noise = max(noise, product_noise(observed.case))
    if verdict.magnitude > noise:
        return False
    said = [right_when_wider(observed, verdict, target, run, 2) for target in accused]
    wider = [right for right in said if right is not None]
    return all(wider) if wider else verdict.magnitude <= certain
