"""What a confirmed disagreement is: bug, convention, rounding, unsupported or flaky."""

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from assay.ir import REFERENCE, Array, Case, Category, Trace, Trial, Verdict, believed
from assay.ir.transform import moderated_case, nudged_cases, spacing, widened_case
from assay.judge._base import Observed
from assay.judge.compare import difference
from assay.judge.conventions import recognise_convention, undocumented
from assay.judge.derivative import beside, sides, smooth
from assay.judge.equivalent import NAME as EQUIVALENCE
from assay.judge.registry import shown_again
from assay.judge.rounding import NUDGES, gradient_noise, quotient_noise, sensitivity
from assay.judge.support import support

#: Re-runs that must show a disagreement again. A death costs a worker each time, and
#: is seldom an accident.
ATTEMPTS = 2
_ATTEMPTS_TO_DIE = 1
#: An element of a gradient that jumps by this share of itself under a nudge is at a kink.
_JUMP = 0.05
_JUMPS = "the gradient jumps at this input: a kink or a tie"
#: A result may be noise if nudges move it by one part in this many of its deviation.
_SCATTER = 4

Observe = Callable[[Trial], Observed]
#: Cases that differ in their inputs only, on one target; no traces if it was lost.
Run = Callable[[Sequence[Case], str], Sequence[Trace]]


def attempts_for(verdict: Verdict) -> int:
    """How many re-runs a verdict of this kind is given."""
    return _ATTEMPTS_TO_DIE if verdict.kind == "crash" else ATTEMPTS


def categorised(
    observed: Observed,
    verdict: Verdict,
    observe: Observe,
    run: Run,
    confirmations: int = ATTEMPTS,
    own: bool = True,
) -> Verdict:
    """The verdict with its category, the reason for it, and whom that blames.

    ``own`` is False where the node alone does not show it.
    """
    observed = observed.peers()
    category, reason, recognised = _category(observed, verdict, observe, run, confirmations)
    if category in ("bug", "undecided", "convention") and not own and not _fused(observed, verdict):
        category, reason = "flaky", "no node alone, on the same inputs, shows it"
    numbers = verdict.kind in ("nan", "inconsistency")
    if (
        category == "bug"
        and numbers
        and not verdict.blamed
        and not verdict.evidence.reference_alone
    ):
        category = "undecided"  # somebody is wrong; without a truth there is no claim to make
    blamed, message = verdict.blamed, verdict.evidence.message
    if category == "bug" and verdict.evidence.reference_alone:
        supported = support(observed, verdict, run)
        # What our own reference disputes is no bug, unless something speaks for it.
        category = "bug" if supported else verdict.category
        if supported:
            reason, blamed = supported.reason, supported.blamed
            message = _shapes(observed, verdict)
    evidence = msgspec.structs.replace(
        verdict.evidence,
        reason=reason,
        message=message,
        confirmations=confirmations,
        attempts=attempts_for(verdict),
    )
    return msgspec.structs.replace(
        verdict, category=category, blamed=blamed, evidence=evidence, recognised=recognised
    )


def _fused(observed: Observed, verdict: Verdict) -> bool:
    """Do all who are blamed compile several nodes as one? Then it may take several."""
    return bool(verdict.blamed) and observed.fusing.issuperset(verdict.blamed)


def _category(
    observed: Observed, verdict: Verdict, observe: Observe, run: Run, confirmations: int
) -> tuple[Category, str, str]:
    """Category, reason, and the id of the data file's entry that recognised it, if any."""
    reason = verdict.evidence.reason
    if confirmations == 0:
        return "flaky", "it could not be reproduced", ""
    silent = undocumented(observed.traces.get(REFERENCE))
    if verdict.kind in ("error", "validation") and verdict.category == "bug" and silent:
        return "unsupported", f"refused, and {silent}", ""
    if verdict.oracle == EQUIVALENCE and _moves_as_much(observed, verdict, run):
        return "rounding", "one ULP of input moves the result as much", ""
    if verdict.kind not in ("nan", "inconsistency"):
        return verdict.category, reason, verdict.recognised
    return _numeric_category(observed, verdict, observe, run)


def _moves_as_much(observed: Observed, verdict: Verdict, run: Run) -> bool:
    """Does a nudge move the first program's result as much as equivalent programs differ?"""
    where, position = verdict.evidence.where, verdict.evidence.position
    for target in verdict.blamed or verdict.targets:
        base = observed.traces[target].arrays.get(where) if target in observed.traces else None
        moved = _nudged(observed, target, where, run) if base is not None else []
        if base is not None and moved and base.dtype.kind == "f" and len(position) == base.ndim:
            return sensitivity(base, moved).explains(verdict.magnitude, position)
    return False


def _numeric_category(
    observed: Observed, verdict: Verdict, observe: Observe, run: Run
) -> tuple[Category, str, str]:
    reason = verdict.evidence.reason
    convention = recognise_convention(verdict, observed)
    if convention is not None:
        return "convention", convention.reason, convention.id
    silent = undocumented(observed.traces.get(REFERENCE))
    if silent:
        return "convention", silent, ""
    if verdict.stage == "gradient" and not _finite_outputs(observed):
        return "convention", "the result itself is not finite, and so has no derivative", ""
    if _shapes_differ(observed, verdict.evidence.where):
        return "bug", reason, ""
    if verdict.kind == "nan" and verdict.stage == "gradient" and _kink(observed, verdict, run):
        return "convention", "there is no derivative at this input: a kink or a jump", ""
    if verdict.kind == "nan" and _overflows(observed, verdict):
        return "rounding", "the result is too large for the format: infinity or NaN", ""
    moderate = moderated_case(observed.case)
    if moderate is not None:
        seen = observe(observed.trial.asking(moderate)).peers()
        again = shown_again(verdict, seen)
        if again is None:
            return "rounding", "it shows only with numbers too large or small for the format", ""
        # Judged by moderate numbers, whose rounding is known; told by the original ones.
        observed, verdict = seen, again
    return (*(_by_nudging(observed, verdict, run) or ("bug", reason)), "")


def _kink(observed: Observed, verdict: Verdict, run: Run) -> bool:
    """Does the reference have no derivative there? False if it cannot say."""
    cases = beside(observed.case, verdict.evidence.where, verdict.evidence.position)
    traces = run(cases, REFERENCE) if REFERENCE in observed.traces else ()
    losses = [trace.arrays["loss"] for trace in traces if "loss" in trace.arrays]
    return len(losses) == len(cases) > 0 and not smooth(losses)


def _finite_outputs(observed: Observed) -> bool:
    return all(
        np.isfinite(array).all()
        for target, trace in observed.traces.items()
        if target != REFERENCE  # float64 holds what overflows elsewhere
        for array in trace.outputs().values()
        if array.dtype.kind in "fc"
    )


def _overflows(observed: Observed, verdict: Verdict) -> bool:
    """Is the true result, of finite inputs, a number that no arm's format holds?"""
    where, position = verdict.evidence.where, verdict.evidence.position
    truth = observed.traces[REFERENCE].arrays.get(where) if REFERENCE in observed.traces else None
    answers = [
        trace.arrays[where][position]
        for target, trace in observed.traces.items()
        if target != REFERENCE and where in trace.arrays
    ]
    return (
        truth is not None
        and bool(np.isfinite(truth[position]))
        and not np.isfinite(np.array(answers, "float64")).any()
    )


def _shapes_differ(observed: Observed, array: str) -> bool:
    holders = [trace for trace in observed.traces.values() if array in trace.arrays]
    return len({trace.arrays[array].shape for trace in holders}) > 1


def _shapes(observed: Observed, verdict: Verdict) -> str:
    """The message of a difference in shape when the reference is believed."""
    if not verdict.evidence.message:
        return ""
    where = verdict.evidence.where
    right = observed.traces[REFERENCE].arrays[where].shape
    wrong = next(
        trace.arrays[where].shape
        for target, trace in observed.traces.items()
        if target != REFERENCE and where in trace.arrays and trace.arrays[where].shape != right
    )
    return f"shape {list(wrong)} where the reference has {list(right)}"


def _by_nudging(observed: Observed, verdict: Verdict, run: Run) -> tuple[Category, str] | None:
    """Rounding or a kink, if the believed arm moves as much under a nudge.

    Rounding too, if the answers of the blamed are noise: an unstable formula is no
    other result.
    """
    array, position = verdict.evidence.where, verdict.evidence.position
    half = spacing(observed.case) > 0
    products = verdict.stage == "gradient" or verdict.evidence.reference_alone or half
    if products and verdict.magnitude <= gradient_noise(observed.case):
        return "rounding", "products of the numbers that go in round as much"
    if verdict.stage == "gradient" and not verdict.blamed:
        return "convention", "nobody agrees on the derivative: taken for a kink or a tie"
    holders = [
        target
        for target, trace in observed.traces.items()
        if target in believed(verdict) and array in trace.arrays
    ]
    for target in sorted(holders, key=lambda name: name == REFERENCE):
        base = observed.traces[target].arrays[array]
        moved = _nudged(observed, target, array, run)
        if not moved:
            continue
        found = sensitivity(base, moved)
        if verdict.kind == "nan":
            if found.special_moves(position):
                return "rounding", "one ULP of input makes the special value come and go"
            return None
        if not found.explains(verdict.magnitude, position):
            break
        here = float(found.movement[position])
        if verdict.stage == "gradient" and here > _JUMP * abs(float(base[position])):
            return "convention", _JUMPS
        return "rounding", "one ULP of input moves the result as much"
    if verdict.kind == "inconsistency" and verdict.blamed:
        if verdict.stage == "gradient" and _jumps(observed, verdict, run):
            return "convention", _JUMPS
        if _all_noise(observed, verdict, run):
            return "rounding", "one ULP of input moves the deviating result as much"
        if verdict.stage == "gradient" and _cancels(observed, verdict, run):
            return "rounding", "terms as large as output over input cancel out"
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
    close = _JUMP * float(np.abs(beside_it).max())
    agreed = bool((np.ptp(beside_it, axis=0) <= close).all())
    lowest, highest = sorted(beside_it[-1])
    between = bool(((here >= lowest - close) & (here <= highest + close)).all())
    return agreed and between and highest - lowest > close


def _nudged(observed: Observed, target: str, array: str, run: Run) -> list[Array]:
    """What a target gives for an array when its inputs are nudged."""
    traces = run(nudged_cases(observed.case, NUDGES), target)
    return [trace.arrays[array] for trace in traces if array in trace.arrays]


def _cancels(observed: Observed, verdict: Verdict, run: Run) -> bool:
    """Could it be what is left of cancelled terms, and does a wider format leave less?"""
    outputs = [
        array
        for target in verdict.blamed
        for array in observed.traces[target].outputs().values()
        if array.dtype.kind == "f"
    ]
    if verdict.magnitude > quotient_noise(observed.case, outputs):
        return False
    wider = [_right_when_wider(observed, verdict, target, run, 2) for target in verdict.blamed]
    return True in wider and False not in wider


def _all_noise(observed: Observed, verdict: Verdict, run: Run) -> bool:
    """Are the answers of everyone blamed nothing but the noise of an unstable formula?

    Noise moves under a nudge by as much as it deviates, and goes away in a wider
    format. Where a library has no wider one, the nudged answers that deviate must
    differ among themselves: a fault of exact inputs (ties, zeros) deviates by the
    same each time it shows.
    """
    where, position = verdict.evidence.where, verdict.evidence.position
    for target in verdict.blamed:
        base = observed.traces[target].arrays[where]
        moved = _nudged(observed, target, where, run)
        if not moved or any(array.shape != base.shape for array in moved):
            return False
        wide = _right_when_wider(observed, verdict, target, run)
        if wide is None:
            right = float(_believed_array(observed, verdict)[position])
            moved = [
                array
                for array in moved
                if abs(float(array[position]) - right) * _SCATTER > verdict.magnitude
            ]
            wide = len(moved) > 1
            base, moved = (moved[0], moved[1:]) if wide else (base, moved)
        spread = float(sensitivity(base, moved).movement[position])
        if not wide or spread * _SCATTER < verdict.magnitude:
            return False
    return True


def _believed_array(observed: Observed, verdict: Verdict) -> Array:
    """What those who are not blamed give where the others deviate."""
    where = verdict.evidence.where
    return next(
        trace.arrays[where]
        for target, trace in observed.traces.items()
        if target in believed(verdict) and where in trace.arrays
    )


def _right_when_wider(
    observed: Observed, verdict: Verdict, target: str, run: Run, times: float = _SCATTER
) -> bool | None:
    """Is a target so many times nearer to the truth in a wider format? None if it has none."""
    where = verdict.evidence.where
    wider = widened_case(observed.case)
    if wider is None:
        return None
    answers = [trace.arrays[where] for trace in run((wider,), target) if where in trace.arrays]
    narrow = observed.traces[target].arrays[where].dtype
    if not answers or answers[0].dtype.itemsize <= narrow.itemsize:
        return None
    truth = _believed_array(observed, verdict)
    if REFERENCE in observed.traces:
        for trace in run((wider,), REFERENCE):
            truth = trace.arrays.get(where, truth)
    found = difference(answers[0], truth)
    return found is None or found.magnitude * times < verdict.magnitude
