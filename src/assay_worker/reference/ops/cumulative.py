"""Running totals, differences of neighbours, and the area below samples."""

import numpy as np

from assay_worker.reference.ops.reductions import without_nan
from assay_worker.reference.registry import Unsupported, reference


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


@reference("keras.ops.nancumsum", integers=True)
def nancumsum(x, axis=None, dtype=None):
    """Running sums, NaN as 0."""
    return _total(np.cumsum, without_nan(x, 0), axis, dtype)


@reference("keras.ops.nancumprod", integers=True)
def nancumprod(x, axis=None, dtype=None):
    """Running products, NaN as 1."""
    return _total(np.cumprod, without_nan(x, 1), axis, dtype)


@reference("keras.ops.diff", integers=True)
def diff(a, n=1, axis=-1):
    """Differences of neighbours, ``n`` times."""
    return np.diff(a, n=n, axis=axis)


@reference("keras.ops.trapezoid")
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Areas of trapezoids between neighbours, added up."""
    y = np.moveaxis(y, axis, -1)
    if x is not None:
        dx = np.diff(x if x.ndim == 1 else np.moveaxis(x, axis, -1), axis=-1)
    return np.sum(dx * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
