"""Whole numbers that no integer format at hand holds: wrapped or cut off, as anybody likes."""

import numpy as np

from assay.ir import REFERENCE, Array, Verdict
from assay.ir.transform import forward_only, with_arrays
from assay.judge._base import Observed, Run
from assay.judge.judgement import Judgement


def does_not_fit(observed: Observed, verdict: Verdict, run: Run) -> Judgement | None:
    """Rounding, if the exact result is beyond the format and all give what may come of that.

    A processor wraps it, cuts it off at the largest number, or gives the least one for it. Only
    of whole numbers that go in: what infinity becomes as an integer, an op may define.
    """
    where, position = verdict.evidence.where, verdict.evidence.position
    arrays = observed.case.input_arrays()
    truth = observed.traces[REFERENCE].arrays.get(where) if REFERENCE in observed.traces else None
    if truth is None or verdict.kind != "inconsistency" or verdict.stage != "forward":
        return None
    if not arrays or any(array.dtype.kind not in "iu" for array in arrays.values()):
        return None
    wide = {name: array.astype("float64") for name, array in arrays.items()}
    traces = run((with_arrays(forward_only(observed.case), wide),), REFERENCE)
    exact = [trace.arrays[where] for trace in traces if where in trace.arrays]
    if not exact or exact[0].shape != truth.shape or truth.dtype.kind not in "iu":
        return None
    value, wrapped = float(np.real(exact[0][position])), int(truth[position])
    given = [trace.arrays.get(where) for trace in observed.traces.values()]
    if not all(_beyond(item, position, value, wrapped) for item in given if item is not None):
        return None
    reason = f"the result is {value:.9g}, which {truth.dtype} does not hold"
    return Judgement("rounding", "overflow", reason)


def _beyond(array: Array, position: tuple[int, ...], value: float, wrapped: int) -> bool:
    """Is the value beyond the array's format, and what stands there the end of it, or wrapped?"""
    if array.dtype.kind not in "iu":
        return False
    info = np.iinfo(array.dtype)
    fits = info.min <= value <= info.max
    return not fits and int(array[position]) in (info.min, info.max, wrapped)
