"""Fixed thresholds, as published: for presets. What rounding explains is not asked."""

import numpy as np

from assay.ir import Array
from assay.judge.compare import Difference
from assay.judge.numeric import NumericOracle


class ThresholdOracle(NumericOracle):
    """Inconsistent: more than ``deviation`` apart where all it was made of is within ``epsilon``.

    Distances are Chebyshev's: the largest absolute difference of two elements.
    """

    name = "threshold"
    deviation = 0.15
    epsilon = 1e-5

    def differ(self, first: Array, second: Array, coarse: float = 1.0) -> Difference | None:
        """Where the distance is greatest, if that is beyond the threshold."""
        found = _distance(first, second)
        if found.what == "value" and not found.magnitude > self.deviation:
            return None
        return found

    def alike(self, first: Array, second: Array, coarse: float = 1.0) -> bool:
        """Within epsilon?"""
        found = _distance(first, second)
        return found.what == "value" and found.magnitude < self.epsilon


def _distance(first: Array, second: Array) -> Difference:
    if first.shape != second.shape:
        return Difference("shape")
    if first.size == 0:
        return Difference("value")
    wide = "complex128" if "c" in (first.dtype.kind, second.dtype.kind) else "float64"
    a, b = first.astype(wide), second.astype(wide)
    finite = np.isfinite(a) & np.isfinite(b)
    special = ~finite & ~((a == b) | (np.isnan(a) & np.isnan(b)))
    apart = np.abs(np.where(finite, a, 0.0) - np.where(finite, b, 0.0))
    where = np.unravel_index(int(np.argmax(special if special.any() else apart)), apart.shape)
    position = tuple(int(place) for place in where)
    if special.any():
        return Difference("nan", position, float("inf"))
    return Difference("value", position, float(apart[where]), ThresholdOracle.deviation)
