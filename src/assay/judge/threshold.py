"""Fixed thresholds, as published: for presets. What rounding explains is not asked."""

from assay.gaps import PUBLISHED_DEVIATION, PUBLISHED_EPSILON, gap, peak
from assay.ir import Array
from assay.judge.compare import Difference
from assay.judge.numeric import NumericOracle


class ThresholdOracle(NumericOracle):
    """Inconsistent: more than ``deviation`` apart where all it was made of is within ``epsilon``.

    Distances are Chebyshev's: the largest absolute difference of two elements.
    """

    name = "threshold"
    deviation = PUBLISHED_DEVIATION
    epsilon = PUBLISHED_EPSILON

    def differ(self, first: Array, second: Array, coarse: float = 1.0) -> Difference | None:
        """Where the distance is greatest, if that is beyond the threshold."""
        found = distance(first, second)
        if found.what == "value" and not found.magnitude > self.deviation:
            return None
        return found

    def alike(self, first: Array, second: Array, coarse: float = 1.0) -> bool:
        """Within epsilon?"""
        found = distance(first, second)
        return found.what == "value" and found.magnitude < self.epsilon


def distance(first: Array, second: Array) -> Difference:
    """How far two arrays are apart, by Chebyshev's distance."""
    found = gap(first, second)
    if found is None:
        return Difference("shape")
    if found.special is not None:
        return Difference("nan", peak(found.special), float("inf"))
    if not found.deviation.size:
        return Difference("value")
    position = peak(found.deviation)
    magnitude = float(found.deviation[position])
    return Difference("value", position, magnitude, ThresholdOracle.deviation)
