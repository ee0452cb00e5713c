"""Inconsistent by the published change rate (Audee): another label, and the layer behind it."""

import numpy as np

from assay.gaps import CHANGE_EPSILON, CHANGE_RATE
from assay.ir import Array, Verdict, plain_name
from assay.judge._base import Observed
from assay.judge.compare import Difference
from assay.judge.failures import finished
from assay.judge.threshold import ThresholdOracle, distance


class ChangeRateOracle(ThresholdOracle):
    """A layer whose change rate is above t1, on what deviates by less than that makes.

    The rate is the mean absolute difference over 1e-7, beside what went in. Of a model it counts
    only if its targets give another label; NaN on one of them always does.
    """

    name = "change-rate"

    def differ(self, first: Array, second: Array, coarse: float = 1.0) -> Difference | None:
        """Where the distance is greatest, if the rate of the whole is above t1."""
        found = distance(first, second)
        return None if found.what == "value" and not _rate(first, second) > CHANGE_RATE else found

    def alike(self, first: Array, second: Array, coarse: float = 1.0) -> bool:
        """Is it no outlier itself?"""
        found = distance(first, second)
        return found.what == "value" and _rate(first, second) <= CHANGE_RATE

    def judge_part(self, observed: Observed) -> list[Verdict]:
        """As a threshold; of a model nothing but NaN while all targets give one label."""
        found = super().judge_part(observed)
        if len(observed.case.graph.nodes) == 1 or _labels_differ(observed):
            return found
        return [verdict for verdict in found if verdict.kind == "nan"]


def _rate(first: Array, second: Array) -> float:
    if not first.size or first.dtype.kind not in "biuf":
        return 0.0
    with np.errstate(all="ignore"):
        apart = np.abs(first.astype("float64") - second.astype("float64"))
        return float(np.nan_to_num(apart[~np.isnan(apart)], posinf=np.inf).mean()) / CHANGE_EPSILON


def _labels_differ(observed: Observed) -> bool:
    """Do two targets that finished give another label to an instance?"""
    name = f"output:{plain_name(observed.case.graph.outputs[0])}"
    labels = {
        trace.arrays[name].argmax(axis=-1).tobytes()
        for trace in observed.traces.values()
        if finished(trace) and name in trace.arrays and trace.arrays[name].ndim
    }
    return len(labels) > 1
