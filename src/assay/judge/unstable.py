"""An unstable formula: wrong in this format, right in a wider one or with moderate numbers."""

from typing import Any

import numpy as np

from assay.ir import REFERENCE, Array, Verdict, believed
from assay.ir.severity import at_the_ends
from assay.ir.transform import flushed_case, moderated_case, nudged_cases, widened_case
from assay.judge._base import Observe, Observed, Run
from assay.judge.admissible import NUDGES
from assay.judge.compare import difference
from assay.judge.registry import shown_again
from assay.judge.rounding import sensitivity

#: A result is noise if nudges move it by one part in this many of its deviation.
_SCATTER = 4
#: What is the same but for rounding, of numbers that are read as zero.
_NEAR = 1e-3


def unstable(observed: Observed, verdict: Verdict, observe: Observe, run: Run) -> bool:
    """Is the meaning right, and only the formula loses it?

    A wider format tells, where a library has one; else numbers of moderate size; else what
    nudges do to it: noise scatters, a wrong meaning stays.
    """
    for target in verdict.blamed:
        right = right_when_wider(observed, verdict, target, run)
        if right is None:
            right = _only_extreme(observed, verdict, observe)
        # Some that take a wider format compute in the narrow one all the same.
        if not right and not _noise(observed, verdict, target, run):
            return False
    return bool(verdict.blamed)


#: Why a reference that dissents alone is believed.
SHARED = (
    "in a wider format, or with moderate numbers, the libraries give what Assay's reference gives: "
    "a formula they share"
)


def shared_formula(
    observed: Observed, verdict: Verdict, observe: Observe, run: Run
) -> tuple[str, ...]:
    """Everyone, if all agree against the reference and with it in a wider format; else nobody.

    One that has a wider format speaks for all: they gave the same here. Where none has, and
    nobody gives a number, or numbers go in that have no square, those of moderate size tell.
    """
    others = tuple(target for target in verdict.targets if target != REFERENCE)
    if _read_as_zero(observed, verdict, others, run):
        return ()
    said = [right_when_wider(observed, verdict, target, run) for target in others]
    known = [right for right in said if right is not None]
    right = (
        any(known)
        if known
        else (verdict.kind == "nan" or at_the_ends(observed.case))
        and _only_extreme(observed, verdict, observe)
    )
    return tuple(sorted(others)) if right else ()


def _only_extreme(observed: Observed, verdict: Verdict, observe: Observe) -> bool:
    moderate = moderated_case(observed.case)
    if moderate is None:
        return False
    return shown_again(verdict, observe(observed.trial.asking(moderate)).peers()) is None


def _noise(observed: Observed, verdict: Verdict, target: str, run: Run) -> bool:
    """Do those answers that deviate differ among themselves, by much of what they deviate?

    A fault of exact inputs (ties, zeros) deviates by the same each time it shows.
    """
    where, position = verdict.evidence.where, verdict.evidence.position
    if verdict.kind == "nan" or not position:
        return False
    right = float(believed_array(observed, verdict)[position])
    traces = run(nudged_cases(observed.case, NUDGES), target)
    moved = [
        trace.arrays[where]
        for trace in traces
        if where in trace.arrays
        and abs(float(trace.arrays[where][position]) - right) * _SCATTER > verdict.magnitude
    ]
    if len(moved) < 2:
        return False
    spread = float(sensitivity(moved[0], moved[1:]).movement[position])
    return spread * _SCATTER >= verdict.magnitude


def believed_array(observed: Observed, verdict: Verdict) -> Array:
    """What those who are not blamed give where the others deviate."""
    where = verdict.evidence.where
    return next(
        trace.arrays[where]
        for target, trace in observed.traces.items()
        if target in believed(verdict) and where in trace.arrays
    )


def _read_as_zero(observed: Observed, verdict: Verdict, targets: tuple[str, ...], run: Run) -> bool:
    """Do they give at the disputed element what is right once subnormal numbers are zero?"""
    zeros, where, position = (
        flushed_case(observed.case),
        verdict.evidence.where,
        tuple(verdict.evidence.position),
    )
    if zeros is None:
        return False
    right = [trace.arrays[where] for trace in run((zeros,), REFERENCE) if where in trace.arrays]
    given = [observed.traces[name].arrays[where] for name in targets]
    if not right or any(len(position) != array.ndim for array in (*right, *given)):
        return False
    near = [
        np.isclose(array[position], right[0][position], _NEAR, 0.0, equal_nan=True)
        for array in given
    ]
    return bool(np.all(near))


def right_when_wider(
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
    truth = before = believed_array(observed, verdict)
    if REFERENCE in observed.traces:
        before = observed.traces[REFERENCE].arrays.get(where, before)
        for trace in run((wider,), REFERENCE):
            truth = trace.arrays.get(where, truth)
    found = difference(answers[0], truth)
    if found is None:
        return True
    # Others may be further off than this one.
    own = difference(observed.traces[target].arrays[where], before)
    wrong = verdict.magnitude if own is None else min(verdict.magnitude, own.magnitude)
    if found.magnitude * times < wrong:
        return True
    return None if _only_cast(answers[0], narrow) else False


def _only_cast(answer: Array, narrow: np.dtype[Any]) -> bool:
    """Are these numbers of a narrower format that were cast? Then nothing wider computed them."""
    with np.errstate(over="ignore", invalid="ignore"):
        back = answer.astype(narrow).astype(answer.dtype)
    return bool(np.array_equal(back, answer, equal_nan=answer.dtype.kind in "fc"))
