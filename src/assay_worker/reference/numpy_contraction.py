"""Ops that multiply vectors and matrices or add along diagonals, names from m to z."""

import numpy as np

from assay_worker.reference.reductions import SUM_DTYPES
from assay_worker.reference.registry import Undocumented, reference


@reference("keras.ops.matmul", integers=True)
def matmul(x1, x2):
    """The matrix product over the last two axes; vectors are a row, then a column."""
    return np.matmul(x1, x2)


@reference("keras.ops.tensordot", integers=True)
def tensordot(x1, x2, axes=2):
    """Sums over pairs of axes."""
    return np.tensordot(x1, x2, axes=axes)


@reference("keras.ops.outer", integers=True)
def outer(x1, x2):
    """Every product of two elements."""
    return np.multiply(x1[:, None], x2[None, :])


@reference("keras.ops.vdot", integers=True)
def vdot(x1, x2):
    """The sum of the products of all elements."""
    return np.vdot(x1, x2)


@reference("keras.ops.slogdet")
def slogdet(x):
    """Sign of the determinant, and the logarithm of its absolute value."""
    if not np.isfinite(x).all():
        raise Undocumented("the determinant of NaN or infinity is not documented")
    return tuple(np.linalg.slogdet(x))


@reference("keras.ops.trace", integers=True)
def trace(x, offset=0, axis1=0, axis2=1):
    """Sums along diagonals, in at least 32 bits."""
    dtype = SUM_DTYPES.get(x.dtype.name)
    return np.trace(x, offset=offset, axis1=axis1, axis2=axis2, dtype=dtype)


@reference("keras.ops.vander", integers=True)
def vander(x, N=None, increasing=False):  # the documented name
    """Powers of the elements, the highest first."""
    count = x.size if N is None else N
    if not isinstance(count, int) or count < 0:
        raise ValueError("expected a number of columns; received N=%r" % (N,))
    powers = np.arange(count) if increasing else np.arange(count)[::-1]
    return np.power(x[:, None], powers.astype(x.dtype)[None, :])


@reference("keras.ops.trapezoid")
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Areas of trapezoids between neighbours, added up."""
    y = np.moveaxis(y, axis, -1)
    if x is not None:
        dx = np.diff(x if x.ndim == 1 else np.moveaxis(x, axis, -1), axis=-1)
    return np.sum(dx * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
