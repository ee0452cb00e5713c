"""Quantiles, and reductions that leave NaN out, names from m to z."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.reductions import SUM_DTYPES
from assay_worker.reference.registry import Undocumented, Unsupported, reference

_FLOATS = (None, "float16", "float32", "float64")


def _lines(x, axis):
    """The reduced axes as one last axis."""
    over = arrays.axes(axis, x.ndim)
    rest = tuple(place for place in range(x.ndim) if place not in over)
    moved = np.transpose(x, rest + over)
    kept = tuple(x.shape[place] for place in rest)
    count = int(np.prod([x.shape[place] for place in over]))
    return moved.reshape(kept + (count,))


def _shaped(result, x, axis, keepdims):
    """``result``, whose last axes are what a reduction leaves, with reduced axes kept if asked."""
    if not keepdims:
        return result
    over = arrays.axes(axis, x.ndim)
    leading = result.ndim - (x.ndim - len(over))
    kept = tuple(1 if place in over else n for place, n in enumerate(x.shape))
    return result.reshape(result.shape[:leading] + kept)


# ------------------------------------------------------------------ sums, products


@reference("keras.ops.prod", integers=True)
def product(x, axis=None, keepdims=False, dtype=None):
    """Product over the axes; integers in at least 32 bits."""
    if dtype is None:
        dtype = SUM_DTYPES.get(x.dtype.name)
    elif dtype in _FLOATS:
        dtype = "float64"
    elif x.dtype.kind == "f":
        raise Undocumented("when a product is rounded to integers is not documented")
    return np.prod(x, axis=axis, keepdims=keepdims, dtype=dtype)


@reference("keras.ops.ptp", integers=True)
def peak_to_peak(x, axis=None, keepdims=False):
    """Largest minus smallest."""
    return np.max(x, axis=axis, keepdims=keepdims) - np.min(x, axis=axis, keepdims=keepdims)


@reference("keras.ops.nansum", integers=True)
def nansum(x, axis=None, keepdims=False):
    """Sum of what is not NaN."""
    dtype = SUM_DTYPES.get(x.dtype.name)
    return np.sum(_without_nan(x, 0), axis=axis, keepdims=keepdims, dtype=dtype)


@reference("keras.ops.nanprod", integers=True)
def nanprod(x, axis=None, keepdims=False):
    """Product of what is not NaN."""
    dtype = SUM_DTYPES.get(x.dtype.name)
    return np.prod(_without_nan(x, 1), axis=axis, keepdims=keepdims, dtype=dtype)


def _without_nan(x, value):
    return np.where(np.isnan(x), value, x) if x.dtype.kind == "f" else x


def _running(function, x, axis, dtype, neutral):
    if dtype is not None and dtype not in _FLOATS:
        raise Unsupported("the reference has no running totals in %s" % dtype)
    if dtype is not None:
        x = x.astype("float64")
    return function(_without_nan(x, neutral), axis=axis, dtype=x.dtype)


@reference("keras.ops.nancumsum", integers=True)
def nancumsum(x, axis=None, dtype=None):
    """Running sums, NaN as 0."""
    return _running(np.cumsum, x, axis, dtype, 0)


@reference("keras.ops.nancumprod", integers=True)
def nancumprod(x, axis=None, dtype=None):
    """Running products, NaN as 1."""
    return _running(np.cumprod, x, axis, dtype, 1)


# ---------------------------------------------------------------- means and extremes


@reference("keras.ops.nanmean")
def nanmean(x, axis=None, keepdims=False):
    """Mean of what is not NaN; NaN if nothing is left."""
    count = np.sum(~np.isnan(x), axis=axis, keepdims=keepdims)
    return np.sum(_without_nan(x, 0.0), axis=axis, keepdims=keepdims) / count


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
    lines = _lines(x, axis)
    if np.isnan(lines).all(axis=-1).any():
        raise Undocumented("where the largest of nothing is, is not documented")
    values = np.where(np.isnan(lines), -np.inf, sign * lines)
    best = values == values.max(axis=-1, keepdims=True)
    if np.any(best.sum(axis=-1) > 1):
        raise Undocumented("which of equal elements comes first is not documented")
    return _shaped(best.argmax(axis=-1), x, axis, keepdims)


@reference("keras.ops.nanargmax")
def nanargmax(x, axis=None, keepdims=False):
    """Position of the largest that is not NaN."""
    return _nan_position(1.0, x, axis, keepdims)


@reference("keras.ops.nanargmin")
def nanargmin(x, axis=None, keepdims=False):
    """Position of the smallest that is not NaN."""
    return _nan_position(-1.0, x, axis, keepdims)


# ------------------------------------------------------------------------ quantiles


def _between(lower, upper, fraction, method):
    """Between two neighbours of which ``fraction`` of the way is gone."""
    if method == "lower":
        return lower
    if method == "higher":
        return upper
    if method == "mean":
        return (lower + upper) / 2.0
    if np.isinf(lower).any() or np.isinf(upper).any():
        raise Undocumented("what lies beside infinity is not documented")
    if method == "midpoint":
        return (lower + upper) / 2.0
    return lower + (upper - lower) * fraction


def _one_quantile(lines, counts, q, method):
    """Of ascending lines, each with ``counts`` elements before the NaN at its end."""
    place = q * np.maximum(counts - 1, 0)
    fraction = place - np.floor(place)
    if method not in ("linear", "mean"):
        steps = 2.0 * place if method == "nearest" else place
        off = np.abs(steps - np.round(steps))
        if np.any((off > 0) & (off < 1e-4)) or (method == "nearest" and np.any(fraction == 0.5)):
            raise Undocumented("which element is meant depends on the precision")
    if method == "nearest":
        below = above = np.round(place).astype("int64")
        method = "lower"
    else:
        below, above = np.floor(place).astype("int64"), np.ceil(place).astype("int64")
    lower, upper = (
        np.take_along_axis(lines, index[..., None], axis=-1)[..., 0] for index in (below, above)
    )
    found = _between(lower, upper, fraction, method)
    return np.where(counts > 0, found, np.nan)


#: Those of the documentation, and the mean of the two middle elements for medians.
_METHODS = ("linear", "lower", "higher", "midpoint", "nearest", "mean")


def _quantile(x, q, axis, method, keepdims, largest, skip):
    if method not in _METHODS:
        raise ValueError("expected method to be one of %s; received %r" % (_METHODS, method))
    levels = np.asarray(q, dtype="float64") / largest
    if levels.ndim > 1 or np.any(levels < 0) or np.any(levels > 1):
        raise ValueError("expected q between 0 and %g; received %r" % (largest, q))
    lines = np.sort(_lines(x, axis), axis=-1)
    missing = np.isnan(lines)
    counts = (~missing).sum(axis=-1) if skip else np.full(lines.shape[:-1], lines.shape[-1])
    results = []
    for level in levels.reshape(-1):
        if not skip and missing.any():
            found = _one_quantile(np.where(missing, 0.0, lines), counts, level, method)
            found = np.where(missing.any(axis=-1), np.nan, found)
        else:
            found = _one_quantile(lines, counts, level, method)
        results.append(_shaped(found, x, axis, keepdims))
    return results[0] if levels.ndim == 0 else np.stack(results)


def _register(name, largest, skip):
    @reference("keras.ops." + name)
    def quantile(x, q, axis=None, method="linear", keepdims=False):
        """The element, or number between two, below which a part of all lies."""
        return _quantile(x, q, axis, method, keepdims, largest, skip)


_register("quantile", 1.0, False)
_register("nanquantile", 1.0, True)
_register("percentile", 100.0, False)
_register("nanpercentile", 100.0, True)


@reference("keras.ops.median")
def median(x, axis=None, keepdims=False):
    """The middle element, or the mean of the two middle ones."""
    return _quantile(x, 0.5, axis, "mean", keepdims, 1.0, False)


@reference("keras.ops.nanmedian")
def nanmedian(x, axis=None, keepdims=False):
    """The median of what is not NaN."""
    return _quantile(x, 0.5, axis, "mean", keepdims, 1.0, True)
