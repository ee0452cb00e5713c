"""Answers that are more units in the last place apart than formulas lose, for searches of those.

The screen of hunts lets pass what is a thousandth of a number; whoever looks for the inputs on
which an operator is least accurate wants to know of less. What is seen is judged as any other
difference of numbers: by how far rounding of the inputs moves the result, and by families of ops.
"""

from assay.gaps import COARSENESS, FLUSHED, gap, peak
from assay.ir import Array
from assay.judge.compare import Difference
from assay.judge.numeric import NumericOracle
from assay_worker.precision.formats import unit

#: Units in the last place that no answer is reported for: twice what the most exact of the
#: families is granted (``allowances.toml``), since two answers may be off to either side.
UNITS = 32.0


class PrecisionOracle(NumericOracle):
    """Finished arms are more units in the last place apart than ``UNITS``."""

    name = "precision"

    def differ(self, first: Array, second: Array, coarse: float = 1.0) -> Difference | None:
        """Where they are farthest apart, if that is too far."""
        found = gap(first, second)
        if found is None:
            return Difference("shape")
        if found.special is not None:
            return Difference("nan", peak(found.special), float("inf"))
        if not found.furthest:
            return None
        # bfloat16 comes as float32, and layers that are told a format as what they return.
        name = first.dtype.name if coarse == 1.0 else _COARSE[coarse]
        allowed = UNITS * unit(found.size, name) + FLUSHED
        excess = found.deviation / allowed
        position = peak(excess)
        if not excess[position] > 1.0:
            return None
        return Difference(
            "value", position, float(found.deviation[position]), float(allowed[position])
        )

    def alike(self, first: Array, second: Array, coarse: float = 1.0) -> bool:
        """Within that?"""
        return self.differ(first, second, coarse) is None


_COARSE = {COARSENESS[2.0**-10]: "float16", COARSENESS[2.0**-7]: "bfloat16"}
