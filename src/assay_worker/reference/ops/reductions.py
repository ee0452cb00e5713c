"""Reductions over axes: sums, means, extremes, and where the extremes are."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.registry import Undocumented, reference

#: Integers add up in 32 bits, as everywhere in Keras; 64-bit ones stay.
SUM_DTYPES = {
    "bool": "int32", "int8": "int32", "int16": "int32", "int32": "int32", "int64": "int64",
    "uint8": "uint32", "uint16": "uint32", "uint32": "uint32", "uint64": "uint64",
}  # fmt: skip


@reference("keras.ops.sum", integers=True)
def total(x, axis=None, keepdims=False):
    """Sum over the axes."""
    return np.sum(x, axis=axis, keepdims=keepdims, dtype=SUM_DTYPES.get(x.dtype.name))


@reference("keras.ops.mean")
def mean(x, axis=None, keepdims=False):
    """Mean over the axes."""
    return np.mean(x, axis=axis, keepdims=keepdims)


@reference("keras.ops.var")
def variance(x, axis=None, keepdims=False):
    """Population variance over the axes."""
    return np.var(x, axis=axis, keepdims=keepdims)


@reference("keras.ops.std")
def deviation(x, axis=None, keepdims=False):
    """Population standard deviation over the axes."""
    return np.std(x, axis=axis, keepdims=keepdims)


def _extreme(function, x, axis, keepdims, initial):
    if initial is None:
        return function(x, axis=axis, keepdims=keepdims)
    return function(x, axis=axis, keepdims=keepdims, initial=initial)


@reference("keras.ops.max", integers=True)
def largest(x, axis=None, keepdims=False, initial=None):
    """Largest over the axes; NaN if there is one."""
    return _extreme(np.max, x, axis, keepdims, initial)


@reference("keras.ops.min", integers=True)
def smallest(x, axis=None, keepdims=False, initial=None):
    """Smallest over the axes; NaN if there is one."""
    return _extreme(np.min, x, axis, keepdims, initial)


@reference("keras.ops.logsumexp")
def logsumexp(x, axis=None, keepdims=False):
    """log(sum(exp(x))) over the axes."""
    return np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)


@reference("keras.ops.prod", integers=True)
def product(x, axis=None, keepdims=False, dtype=None):
    """Product over the axes; integers in at least 32 bits."""
    if dtype is None:
        dtype = SUM_DTYPES.get(x.dtype.name)
    elif dtype in ("float16", "float32", "float64"):
        dtype = "float64"
    elif x.dtype.kind == "f":
        raise Undocumented("when a product is rounded to integers is not documented")
    return np.prod(x, axis=axis, keepdims=keepdims, dtype=dtype)


@reference("keras.ops.ptp", integers=True)
def peak_to_peak(x, axis=None, keepdims=False):
    """Largest minus smallest."""
    return np.max(x, axis=axis, keepdims=keepdims) - np.min(x, axis=axis, keepdims=keepdims)


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


@reference("keras.ops.count_nonzero", integers=True)
def count_nonzero(x, axis=None):
    """How many are not 0."""
    return np.sum(x != 0, axis=axis)


# ------------------------------------------------------------------ without NaN


def without_nan(x, value):
    """``x`` with another value in place of NaN."""
    return np.where(np.isnan(x), value, x) if x.dtype.kind == "f" else x


def as_lines(x, axis):
    """The reduced axes as one last axis."""
    over = arrays.axes(axis, x.ndim)
    rest = tuple(place for place in range(x.ndim) if place not in over)
    moved = np.transpose(x, rest + over)
    kept = tuple(x.shape[place] for place in rest)
    count = int(np.prod([x.shape[place] for place in over]))
    return moved.reshape(kept + (count,))


def axes_kept(result, x, axis, keepdims):
    """``result``, whose last axes are what a reduction leaves, with reduced axes kept if asked."""
    if not keepdims:
        return result
    over = arrays.axes(axis, x.ndim)
    leading = result.ndim - (x.ndim - len(over))
    kept = tuple(1 if place in over else n for place, n in enumerate(x.shape))
    return result.reshape(result.shape[:leading] + kept)


@reference("keras.ops.nansum", integers=True)
def nansum(x, axis=None, keepdims=False):
    """Sum of what is not NaN."""
    dtype = SUM_DTYPES.get(x.dtype.name)
    return np.sum(without_nan(x, 0), axis=axis, keepdims=keepdims, dtype=dtype)


@reference("keras.ops.nanprod", integers=True)
def nanprod(x, axis=None, keepdims=False):
    """Product of what is not NaN."""
    dtype = SUM_DTYPES.get(x.dtype.name)
    return np.prod(without_nan(x, 1), axis=axis, keepdims=keepdims, dtype=dtype)


@reference("keras.ops.nanmean")
def nanmean(x, axis=None, keepdims=False):
    """Mean of what is not NaN; NaN if nothing is left."""
    count = np.sum(~np.isnan(x), axis=axis, keepdims=keepdims)
    return np.sum(without_nan(x, 0.0), axis=axis, keepdims=keepdims) / count


@reference("keras.ops.nanvar")
def nanvar(x, axis=None, keepdims=False):
    """Mean of the squared distances from ``nanmean``."""
    known = ~np.isnan(x)
    distances = np.where(known, (x - nanmean(x, axis, True)) ** 2, 0.0)
    count = np.sum(known, axis=axis, keepdims=keepdims)
    return np.sum(distances, axis=axis, keepdims=keepdims) / count


@reference("keras.ops.nanstd")
def nanstd(x, axis=None, keepdims=False):
    """Square root of ``nanvar``."""
    return np.sqrt(nanvar(x, axis, keepdims))


def _nan_extreme(reduce, worst, x, axis, keepdims):
    if x.dtype.kind != "f":
        return reduce(x, axis=axis, keepdims=keepdims)
    missing = np.isnan(x)
    found = reduce(np.where(missing, worst, x), axis=axis, keepdims=keepdims)
    return np.where(np.all(missing, axis=axis, keepdims=keepdims), np.nan, found)


@reference("keras.ops.nanmax", integers=True)
def nanmax(x, axis=None, keepdims=False):
    """Largest that is not NaN; NaN if nothing is left."""
    return _nan_extreme(np.max, -np.inf, x, axis, keepdims)


@reference("keras.ops.nanmin", integers=True)
def nanmin(x, axis=None, keepdims=False):
    """Smallest that is not NaN; NaN if nothing is left."""
    return _nan_extreme(np.min, np.inf, x, axis, keepdims)


def _nan_position(sign, x, axis, keepdims):
    lines = as_lines(x, axis)
    if np.isnan(lines).all(axis=-1).any():
        raise Undocumented("where the largest of nothing is, is not documented")
    values = np.where(np.isnan(lines), -np.inf, sign * lines)
    best = values == values.max(axis=-1, keepdims=True)
    if np.any(best.sum(axis=-1) > 1):
        raise Undocumented("which of equal elements comes first is not documented")
    return axes_kept(best.argmax(axis=-1), x, axis, keepdims)


@reference("keras.ops.nanargmax")
def nanargmax(x, axis=None, keepdims=False):
    """Position of the largest that is not NaN."""
    return _nan_position(1.0, x, axis, keepdims)


@reference("keras.ops.nanargmin")
def nanargmin(x, axis=None, keepdims=False):
    """Position of the smallest that is not NaN."""
    return _nan_position(-1.0, x, axis, keepdims)
