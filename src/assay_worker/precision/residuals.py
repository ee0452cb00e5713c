"""Backward errors: how far away the problem is that a solver solved exactly.

A result of linear algebra may be far from the truth because its matrix is nearly singular; its
residual is small all the same where the algorithm is stable. Residuals are relative, in epsilons of
the format, and computed in float64: of narrower formats only.
"""

import numpy as np

from assay_worker.precision.formats import FORMATS


def backward(op, arguments, answers, name):
    """The backward error of each input, in epsilons; NaN where it is not finite.

    ``op`` is in the shared words, ``arguments`` are of shape (inputs, *shape), ``answers`` of shape
    (inputs, elements) in the format ``name``. None for other ops, shapes and float64.
    """
    residual = _RESIDUALS.get(op)
    if residual is None or name == "float64" or arguments[0].ndim != 3:
        return None
    with np.errstate(all="ignore"):
        found = residual(answers[0], *arguments)
        # So many significant bits: the distance of 1 and the next number.
        return found * 2.0 ** (FORMATS[name].bits - 1)


def _inverse(x, a):
    """Of A X = I or X A = I, the smaller: an inverse is stable on one side."""
    x = x.reshape(a.shape)
    identity = np.eye(a.shape[-1])
    scale = _norm(a) * _norm(x)
    return np.minimum(_norm(a @ x - identity), _norm(x @ a - identity)) / scale


def _solution(x, a, b):
    """Of A x = b."""
    b = b.reshape(len(b), a.shape[-1], -1)
    x = x.reshape(b.shape)
    return _norm(a @ x - b) / (_norm(a) * _norm(x) + _norm(b))


def _norm(matrices):
    """The largest sum of sizes in a row."""
    return np.abs(matrices).sum(axis=-1).max(axis=-1)


_RESIDUALS = {"keras.ops.inv": _inverse, "keras.ops.solve": _solution}
