"""Ops that sort elements into bins or sets."""

import numpy as np

from assay_worker.reference.registry import Undocumented, Unsupported, reference


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


@reference("keras.ops.isin", integers=True)
def isin(x1, x2, assume_unique=False, invert=False):
    """Is each element among the others?"""
    found = (x1.reshape(-1, 1) == x2.reshape(1, -1)).any(axis=1).reshape(x1.shape)
    return ~found if invert else found
