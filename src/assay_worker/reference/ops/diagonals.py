"""Diagonals of matrices, and what is above or below them."""

import numpy as np

from assay_worker.reference.ops.creation import of_kind
from assay_worker.reference.ops.reductions import SUM_DTYPES
from assay_worker.reference.registry import reference


@reference("keras.ops.diag", integers=True)
def diag(x, k=0):
    """The diagonal of a matrix, or the matrix of a diagonal."""
    return np.diag(x, k=k)


@reference("keras.ops.diagflat", integers=True)
def diagflat(x, k=0):
    """The matrix whose diagonal is ``x`` flattened."""
    return np.diagflat(x, k=k)


@reference("keras.ops.diagonal", integers=True)
def diagonal(x, offset=0, axis1=0, axis2=1):
    """Diagonals of the planes, along a new last axis."""
    return np.diagonal(x, offset=offset, axis1=axis1, axis2=axis2)


def _below(rows, columns, k):
    """True at and below a diagonal."""
    if not all(isinstance(value, int) for value in (rows, columns, k)):
        raise ValueError("expected whole numbers; received %r" % ((rows, columns, k),))
    return np.arange(columns)[None, :] <= np.arange(rows)[:, None] + k


@reference("keras.ops.tril", integers=True)
def tril(x, k=0):
    """Zero above a diagonal."""
    return np.where(_below(x.shape[-2], x.shape[-1], k), x, np.zeros_like(x))


@reference("keras.ops.triu", integers=True)
def triu(x, k=0):
    """Zero below a diagonal."""
    return np.where(_below(x.shape[-2], x.shape[-1], k - 1), np.zeros_like(x), x)


@reference("keras.ops.tri", integers=True)
def tri(N, M=None, k=0, dtype=None):  # the documented names
    """Ones at and below a diagonal."""
    return of_kind(_below(N, N if M is None else M, k).astype("float64"), dtype)


@reference("keras.ops.trace", integers=True)
def trace(x, offset=0, axis1=0, axis2=1):
    """Sums along diagonals, in at least 32 bits."""
    dtype = SUM_DTYPES.get(x.dtype.name)
    return np.trace(x, offset=offset, axis1=axis1, axis2=axis2, dtype=dtype)
