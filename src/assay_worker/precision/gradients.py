"""Gradients of the sum of a call's results, on a target in a number format, for given arrays."""

import numpy as np

from assay_worker.precision.programs import Lacking, Rounded, TargetProgram


class _Summed(Rounded):
    """A case up to its gradients: the upstream gradient is one everywhere, whatever the shape."""

    def __init__(self, case, dtype):
        case = dict(case, stage="gradient", loss={"kind": "dot", "upstream": []})
        Rounded.__init__(self, case, dtype)

    def upstream(self, index, shape):
        return np.ones(shape, dtype="float32")


class GradientProgram(TargetProgram):
    """Arrays in float64 by name to the gradients by each of them, in the order of their names."""

    question = _Summed

    def __init__(self, adapter, case, searched, dtype):
        TargetProgram.__init__(self, adapter, case, searched, dtype)
        if "gradient" not in adapter.describe()["capabilities"]:
            raise Lacking("has no gradients")
        self._names = ["gradient:input:" + name for name in searched]
