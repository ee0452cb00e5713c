"""States that metrics and optimizers keep by definition, and that no format may hold."""

import numpy as np

from assay.ir import REFERENCE, Verdict
from assay.ir.severity import at_the_ends
from assay.judge._base import Observed

#: What keeps squares, or sums of them.
_SQUARES = ("keras.optimizers.", "keras.metrics.RootMeanSquaredError", "keras.metrics.R2Score")
#: What keeps the sum of the values that it averages.
_SUMS = "keras.metrics."
_CLIPPED = ("clipnorm", "global_clipnorm")


def state_leaves_the_range(observed: Observed, verdict: Verdict) -> bool:
    """Are there sums or squares, kept by definition, that the format does not hold?

    Gradients that are clipped by their norm are small when they are squared. A metric that
    averages keeps a sum of what it gives, however it comes by that.
    """
    if verdict.op.startswith(_SQUARES):
        clipped = any(verdict.params.get(name) is not None for name in _CLIPPED)
        return not clipped and at_the_ends(observed.case)
    return verdict.op.startswith(_SUMS) and _sum_leaves_the_range(observed, verdict)


def _sum_leaves_the_range(observed: Observed, verdict: Verdict) -> bool:
    """Is the true average, times how many numbers go in, more than the format holds?"""
    truth = observed.traces[REFERENCE].arrays[verdict.evidence.where]
    count = max((array.size for array in observed.case.input_arrays().values()), default=0)
    dtypes = [
        array.dtype
        for target, trace in observed.traces.items()
        if target != REFERENCE
        for array in trace.outputs().values()
        if array.dtype.kind == "f"
    ]
    largest = min((float(np.finfo(dtype).max) for dtype in dtypes), default=np.inf)
    return bool((np.abs(np.real(truth)) * count > largest).any())
