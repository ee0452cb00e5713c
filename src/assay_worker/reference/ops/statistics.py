"""Averages, quantiles, correlations, and counts in bins."""

import numpy as np

from assay_worker.reference.ops.reductions import as_lines, axes_kept
from assay_worker.reference.registry import Undocumented, Unsupported, reference


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


# -------------------------------------------------------------------- quantiles


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
    lines = np.sort(as_lines(x, axis), axis=-1)
    missing = np.isnan(lines)
    counts = (~missing).sum(axis=-1) if skip else np.full(lines.shape[:-1], lines.shape[-1])
    results = []
    for level in levels.reshape(-1):
        if not skip and missing.any():
            found = _one_quantile(np.where(missing, 0.0, lines), counts, level, method)
            found = np.where(missing.any(axis=-1), np.nan, found)
        else:
            found = _one_quantile(lines, counts, level, method)
        results.append(axes_kept(found, x, axis, keepdims))
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


@reference("keras.ops.corrcoef")
def corrcoef(x):
    """Pearson's coefficients between the rows."""
    if not np.isfinite(x).all():
        raise Undocumented("correlations with NaN or infinity are not documented")
    if x.ndim == 1:  # one variable, as NumPy has it: correlated with itself
        return np.float64(1.0) if np.ptp(x) else np.float64("nan")
    centred = x - x.mean(axis=1, keepdims=True)
    covariance = centred @ centred.T
    deviation = np.sqrt(np.diag(covariance))
    return np.clip(covariance / np.outer(deviation, deviation), -1.0, 1.0)


@reference("keras.ops.bincount", integers=True)
def bincount(x, weights=None, minlength=0, sparse=False):
    """How often each number occurs, or the weight it gathers."""
    if sparse:
        raise Unsupported("the reference has no sparse tensors")
    return np.bincount(x.astype("int64"), weights=weights, minlength=minlength)


@reference("keras.ops.digitize")
def digitize(x, bins):
    """i where bins[i - 1] <= x < bins[i]."""
    if np.isnan(x).any():
        raise Undocumented("the bin of NaN is not documented")
    bins = np.asarray(bins, dtype="float64")
    if bins.ndim != 1:
        raise ValueError("expected bins of rank 1; received %r" % (bins,))
    return np.searchsorted(bins, x, side="right")


@reference("keras.ops.histogram")
def histogram(x, bins=10, range=None):  # the documented name
    """Counts in bins of equal width, the last one closed, and their edges."""
    if not np.isfinite(x).all():
        raise Undocumented("the histogram of NaN or infinity is not documented")
    if range is None and x.size and x.min() == x.max():
        raise Undocumented("the range of a single value is not documented")
    return np.histogram(x, bins=bins, range=range)
