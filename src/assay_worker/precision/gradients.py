"""Gradients of the sum of a call's results, on a target in a number format, for given arrays.

Each result may be multiplied by a number of its own first: its upstream gradient.
"""

import functools

import numpy as np

from assay_worker.precision.programs import Lacking, Rounded, TargetProgram


class _Summed(Rounded):
    """A case up to its gradients: upstream gradients are the same for each input, side by side.

    ``shares`` are those of each result in a row; all are one without any, whatever the shape.
    """

    def __init__(self, shares, case, dtype):
        case = dict(case, stage="gradient", loss={"kind": "dot", "upstream": []})
        Rounded.__init__(self, case, dtype)
        self._shares = shares

    def upstream(self, index, shape):
        """Those of an output of one input or of many."""
        if not self._shares:
            return np.ones(shape, dtype="float32")
        one = np.array(self._shares[index], dtype="float32")
        size = int(np.prod(shape))
        if size % one.size:
            raise Lacking("gives another number of results")
        return np.tile(one, size // one.size).reshape(shape)


class GradientProgram(TargetProgram):
    """Arrays in float64 by name to the gradients by each of them, in the order of their names."""

    def __init__(self, adapter, case, searched, dtype, shares=()):
        TargetProgram.__init__(self, adapter, case, searched, dtype)
        self.question = functools.partial(_Summed, shares)
        if "gradient" not in adapter.describe()["capabilities"]:
            raise Lacking("has no gradients")
        self._names = ["gradient:input:" + name for name in searched]
