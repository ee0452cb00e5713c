"""Reductions over axes, running totals and orders, names from a to l."""

import numpy as np

from assay_worker.reference.registry import Undocumented, Unsupported, reference


def _over_axes(function):
    return lambda x, axis=None, keepdims=False: function(x, axis=axis, keepdims=keepdims)


for _name, _function in (("all", np.all), ("any", np.any), ("amax", np.max), ("amin", np.min)):
    reference("keras.ops." + _name, integers=True)(_over_axes(_function))


def _position(extreme, x, axis, keepdims):
    """The place of the extreme, if there is one and only one."""
    flat = x.reshape(-1) if axis is None else x
    along = 0 if axis is None else axis
    best = extreme(flat, axis=along, keepdims=True)
    if np.any(np.sum(flat == best, axis=along) != 1):
        raise Undocumented("which of equal elements, or of NaN, comes first is not documented")
    place = np.argmax(flat == best, axis=along)
    if not keepdims:
        return place
    return place.reshape((1,) * x.ndim) if axis is None else np.expand_dims(place, axis)


@reference("keras.ops.argmax", integers=True)
def argmax(x, axis=None, keepdims=False):
    """The place of the largest."""
    return _position(np.max, x, axis, keepdims)


@reference("keras.ops.argmin", integers=True)
def argmin(x, axis=None, keepdims=False):
    """The place of the smallest."""
    return _position(np.min, x, axis, keepdims)


@reference("keras.ops.argsort", integers=True)
def argsort(x, axis=-1):
    """The places in ascending order; None flattens."""
    flat = x.reshape(-1) if axis is None else x
    along = 0 if axis is None else axis
    ordered = np.sort(flat, axis=along)
    if np.any(np.isnan(ordered)) or np.any(np.diff(ordered.astype("float64"), axis=along) == 0):
        raise Undocumented("the order of equal elements, or of NaN, is not documented")
    return np.argsort(flat, axis=along, kind="mergesort")


@reference("keras.ops.count_nonzero", integers=True)
def count_nonzero(x, axis=None):
    """How many are not 0."""
    return np.sum(x != 0, axis=axis)


@reference("keras.ops.average")
def average(x, axis=None, weights=None):
    """sum(x · weights) / sum(weights)."""
    if weights is None:
        return np.mean(x, axis=axis)
    if weights.shape != x.shape:
        if axis is None:
            raise ValueError("expected an axis for weights of another shape; received None")
        shape = [1] * x.ndim
        shape[axis] = weights.size
        weights = np.broadcast_to(weights.reshape(shape), x.shape)
    total = np.sum(weights, axis=axis)
    if np.any(total == 0):
        raise Undocumented("weights that sum to 0 have no average")
    return np.sum(x * weights, axis=axis) / total


@reference("keras.ops.cumsum", integers=True)
def cumsum(x, axis=None, dtype=None):
    """Running sums, in the dtype of ``x`` unless another is asked for."""
    return _total(np.cumsum, x, axis, dtype)


@reference("keras.ops.cumprod", integers=True)
def cumprod(x, axis=None, dtype=None):
    """Running products, in the dtype of ``x`` unless another is asked for."""
    return _total(np.cumprod, x, axis, dtype)


def _total(function, x, axis, dtype):
    if dtype in ("float16", "float32", "float64"):
        x = x.astype("float64")
    elif dtype is not None:
        raise Unsupported("the reference has no running totals in %s" % dtype)
    return function(x, axis=axis, dtype=x.dtype)


@reference("keras.ops.diff", integers=True)
def diff(a, n=1, axis=-1):
    """Differences of neighbours, ``n`` times."""
    return np.diff(a, n=n, axis=axis)
