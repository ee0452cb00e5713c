"""Regularizers and constraints: what a weight costs, and what it is made to be."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.losses import EPSILON, unit
from assay_worker.reference.registry import Undocumented, reference


def _factor(value, name):
    if not isinstance(value, (int, float)) or not np.isfinite(value) or value < 0:
        raise ValueError("expected a %s factor of at least 0; received %r" % (name, value))
    return value


@reference("keras.regularizers.L1")
def l1(x, l1=0.01):
    """l1 * sum(abs(x))."""
    return _factor(l1, "l1") * np.sum(np.abs(x))


@reference("keras.regularizers.L2")
def l2(x, l2=0.01):
    """l2 * sum(x ** 2)."""
    return _factor(l2, "l2") * np.sum(x * x)


@reference("keras.regularizers.L1L2")
def l1_l2(x, l1=0.0, l2=0.0):
    """Both; a factor of zero leaves its term out."""
    total = np.zeros(())
    if _factor(l1, "l1"):
        total = total + l1 * np.sum(np.abs(x))
    if _factor(l2, "l2"):
        total = total + l2 * np.sum(x * x)
    return total


@reference("keras.regularizers.OrthogonalRegularizer")
def orthogonal_regularizer(x, factor=0.01, mode="rows"):
    """factor * mean of the absolute dot products between different unit vectors."""
    arrays.need_rank(x, 2)
    if mode not in ("rows", "columns"):
        raise ValueError("expected mode rows or columns; received %r" % (mode,))
    vectors = unit(x if mode == "rows" else x.T, 1)
    count = len(vectors)
    if count < 2:
        raise Undocumented("one vector has no other to be orthogonal to")
    products = np.abs(vectors @ vectors.T)[~np.eye(count, dtype=bool)]
    # The mean over pairs: each of them is there twice.
    return factor * np.sum(products) / 2.0 / (count * (count - 1) / 2.0)


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
