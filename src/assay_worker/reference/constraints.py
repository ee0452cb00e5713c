"""Constraints: what a weight is made to be."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.losses import EPSILON
from assay_worker.reference.registry import reference


def _norms(w, axis):
    return np.sqrt(np.sum(w * w, axis=arrays.axes(axis, w.ndim), keepdims=True))


@reference("keras.constraints.NonNeg")
def non_negative(w):
    """Negative weights become zero."""
    return np.where(w < 0, 0.0, w)


@reference("keras.constraints.UnitNorm")
def unit_norm(w, axis=0):
    """Norm one along the axes; epsilon keeps the divisor from zero."""
    return w / (EPSILON + _norms(w, axis))


@reference("keras.constraints.MaxNorm")
def max_norm(w, max_value=2, axis=0):
    """Norms above the largest are scaled down to it."""
    norms = _norms(w, axis)
    return w * (np.clip(norms, 0.0, max_value) / (EPSILON + norms))


@reference("keras.constraints.MinMaxNorm")
def min_max_norm(w, min_value=0.0, max_value=1.0, rate=1.0, axis=0):
    """Norms become (1 - rate) * norm + rate * clipped norm."""
    norms = _norms(w, axis)
    wanted = rate * np.clip(norms, min_value, max_value) + (1.0 - rate) * norms
    return w * (wanted / (EPSILON + norms))
