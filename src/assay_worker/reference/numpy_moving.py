"""Ops that join, split, flip and index, names from a to l."""

import numpy as np

from assay_worker.reference.registry import reference


@reference("keras.ops.append", integers=True)
def append(x1, x2, axis=None):
    """The second behind the first; None flattens both."""
    return np.append(x1, x2, axis=axis)


@reference("keras.ops.hstack", integers=True)
def hstack(xs):
    """Joined along the second axis; vectors along their only one."""
    return np.hstack(xs)


@reference("keras.ops.dstack", integers=True)
def dstack(xs):
    """Joined along the third axis."""
    return np.dstack(xs)


@reference("keras.ops.array_split", integers=True)
def array_split(x, indices_or_sections, axis=0):
    """Parts as equal as possible, the longer ones first."""
    return tuple(np.array_split(x, indices_or_sections, axis=axis))


def _sections(value):
    return list(value) if isinstance(value, tuple) else value


@reference("keras.ops.hsplit", integers=True)
def hsplit(x, indices_or_sections):
    """Parts along the second axis; of vectors along their only one."""
    return tuple(np.hsplit(x, _sections(indices_or_sections)))


@reference("keras.ops.dsplit", integers=True)
def dsplit(x, indices_or_sections):
    """Parts along the third axis."""
    return tuple(np.dsplit(x, _sections(indices_or_sections)))


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


@reference("keras.ops.broadcast_to", integers=True)
def broadcast_to(x, shape):
    """Axes of length 1 repeated."""
    return np.broadcast_to(x, shape)


@reference("keras.ops.fliplr", integers=True)
def fliplr(x):
    """Reversed along the second axis."""
    return np.fliplr(x)


@reference("keras.ops.flipud", integers=True)
def flipud(x):
    """Reversed along the first axis."""
    return np.flipud(x)


@reference("keras.ops.get_item", integers=True)
def get_item(x, key):
    """``x[key]``."""
    return x[key]
