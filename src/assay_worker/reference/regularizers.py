"""Regularizers: what a weight costs."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.losses import unit
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
