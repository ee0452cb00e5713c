"""Slopes at subnormal numbers, which many processors read as zero and give the slope at zero."""

import msgspec
import numpy as np

from assay.ir import Array, Case, Verdict
from assay.ir.transform import flushed_case, tamed_case, with_values
from assay.judge._base import Observe, Observed, Run
from assay.judge.compare import difference
from assay.judge.gradients import given_there, not_a_number, numbers
from assay.judge.judgement import Judgement

#: What a subnormal number becomes that nobody flushes: so many times the smallest normal one.
_SAFE, _LESS = 2.0**24, 2.0**-6


def flushed_there(
    observed: Observed, verdict: Verdict, observe: Observe, run: Run
) -> Judgement | None:
    """Do all agree on this slope once no number is subnormal? Then who differs has flushed one.

    Whatever else is left open of the function: of this element they think alike. What they give
    where the number is zero has to be right there: a slope that the function has at zero.
    """
    case = _normal_case(observed.case)
    zeros = flushed_case(observed.case)
    if verdict.stage != "gradient" or case is None or zeros is None:
        return None
    given = given_there(observed, verdict)
    normal = given_there(observe(observed.trial.asking(case)).peers(), verdict)
    if len(given) < 2 or normal.keys() != given.keys() or not _agree(normal):
        return None
    # Infinities elsewhere would hide the slopes.
    seen = observe(observed.trial.asking(tamed_case(zeros) or zeros)).peers()
    wrong = _wrong_there(seen, verdict, run)
    if wrong is not None:
        return msgspec.structs.replace(wrong, reason=f"also where it is zero: {wrong.reason}")
    reason = "the slopes are apart at a subnormal number only, which some read as zero"
    return Judgement("rounding", "moderate", reason)


def agree_there(seen: Observed, verdict: Verdict) -> bool:
    """Do all libraries give the same at the disputed element?"""
    given = given_there(seen, verdict)
    return not given or _agree(given)


def _wrong_there(seen: Observed, verdict: Verdict, run: Run) -> Judgement | None:
    """The bug of somebody who is wrong about that element where it is zero."""
    if agree_there(seen, verdict):
        return None
    given = given_there(seen, verdict)
    special = not all(map(np.isfinite, given.values()))
    asked = msgspec.structs.replace(verdict, kind="nan" if special else "inconsistency")
    found = (not_a_number if special else numbers)(seen, asked, run)
    return found if found is not None and found.category == "bug" else None


def _normal_case(case: Case) -> Case | None:
    """The case with small normal numbers for those that are subnormal; None without any."""
    arrays = {}
    for name, array in case.input_arrays().items():
        if array.dtype.kind == "f" and _subnormal(array).any():
            # The format of a half has no such room: there it is merely less than one.
            small = array.dtype.type(min(float(np.finfo(array.dtype).tiny) * _SAFE, _LESS))
            arrays[name] = np.where(_subnormal(array), np.copysign(small, array), array)
    return with_values(case, arrays) if arrays else None


def _subnormal(array: Array) -> Array:
    return np.asarray((array != 0) & (np.abs(array) < np.finfo(array.dtype).tiny))


def _agree(given: dict[str, float]) -> bool:
    first, *others = (np.asarray([value]) for value in given.values())
    return all(difference(first, other) is None for other in others)
