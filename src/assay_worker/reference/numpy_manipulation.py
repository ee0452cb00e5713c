"""Ops that move or make elements, names from m to z."""

import numpy as np

from assay_worker.reference.registry import Undocumented, Unsupported, reference


def _cast(values, dtype):
    """As that dtype where it says what the values are, not how precise."""
    return values if dtype is None or dtype.startswith("float") else values.astype(dtype)


@reference("keras.ops.moveaxis", integers=True)
def moveaxis(x, source, destination):
    """Axes at new places, the others in their order."""
    return np.moveaxis(x, source, destination)


@reference("keras.ops.swapaxes", integers=True)
def swapaxes(x, axis1, axis2):
    """Two axes exchanged."""
    return np.swapaxes(x, axis1, axis2)


@reference("keras.ops.ravel", integers=True)
def ravel(x):
    """All elements along one axis."""
    return x.reshape(-1)


@reference("keras.ops.vstack", integers=True)
def vstack(xs):
    """Joined along the first axis; vectors are rows."""
    return np.vstack(xs)


@reference("keras.ops.repeat", integers=True)
def repeat(x, repeats, axis=None):
    """Each element so many times."""
    return np.repeat(x, np.asarray(repeats), axis=axis)


@reference("keras.ops.tile", integers=True)
def tile(x, repeats):
    """The whole so many times along each axis."""
    return np.tile(x, repeats)


def _split(x, where, axis):
    if isinstance(where, tuple):
        return tuple(np.split(x, list(where), axis=axis))
    if not isinstance(where, int) or where < 1:
        raise ValueError("expected a number of sections or indices; received %r" % (where,))
    if x.shape[axis] % where:
        raise Undocumented("unequal sections are documented for one backend only")
    return tuple(np.split(x, where, axis=axis))


@reference("keras.ops.split", integers=True)
def split(x, indices_or_sections, axis=0):
    """Equal sections, or parts between indices."""
    return _split(x, indices_or_sections, axis)


@reference("keras.ops.vsplit", integers=True)
def vsplit(x, indices_or_sections):
    """Parts along the first axis."""
    return _split(x, indices_or_sections, 0)


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


def _meshgrid(x0, x1=None, x2=None, x3=None, indexing="xy"):
    if indexing not in ("xy", "ij"):
        raise ValueError("expected indexing xy or ij; received %r" % (indexing,))
    vectors = [x for x in (x0, x1, x2, x3) if x is not None]
    return tuple(np.meshgrid(*vectors, indexing=indexing))


reference("keras.ops.meshgrid", integers=True)(_meshgrid)


@reference("keras.ops.ones", integers=True)
def ones(shape, dtype=None):
    """One everywhere."""
    return _cast(np.ones(shape), dtype)


@reference("keras.ops.zeros", integers=True)
def zeros(shape, dtype=None):
    """Zero everywhere."""
    return _cast(np.zeros(shape), dtype)


@reference("keras.ops.ones_like", integers=True)
def ones_like(x, dtype=None):
    """Ones of the shape and dtype of another tensor."""
    return _cast(np.ones_like(x), dtype)


@reference("keras.ops.zeros_like", integers=True)
def zeros_like(x, dtype=None):
    """Zeros of the shape and dtype of another tensor."""
    return _cast(np.zeros_like(x), dtype)


@reference("keras.ops.tri", integers=True)
def tri(N, M=None, k=0, dtype=None):  # the documented names
    """Ones at and below a diagonal."""
    return _cast(_below(N, N if M is None else M, k).astype("float64"), dtype)


@reference("keras.ops.ndim", integers=True)
def ndim(x):
    """The number of axes."""
    return np.asarray(x.ndim)


@reference("keras.ops.size", integers=True)
def size(x):
    """The number of elements."""
    return np.asarray(x.size)


@reference("keras.ops.view", integers=True)
def view(x, dtype=None):
    """The same bytes as another dtype."""
    if x.dtype.kind == "f":
        raise Unsupported("the reference does not know how precise its inputs were")
    return np.ascontiguousarray(x).view(x.dtype if dtype is None else dtype)
