"""Products of vectors and matrices."""

import numpy as np

from assay_worker.reference.registry import Undocumented, reference


@reference("keras.ops.dot", integers=True)
def dot(x1, x2):
    """Over the last axis of the first and the last but one (or only) axis of the second."""
    return _scaled(np.dot, x1, x2)


@reference("keras.ops.inner", integers=True)
def inner(x1, x2):
    """Over the last axes."""
    return _scaled(np.inner, x1, x2)


def _scaled(product, x1, x2):
    """As NumPy documents products with a scalar: BLAS makes 0 of NaN times 0."""
    return product(x1, x2) if np.ndim(x1) and np.ndim(x2) else np.multiply(x1, x2)


@reference("keras.ops.kron", integers=True)
def kron(x1, x2):
    """Each element of the first times the whole second."""
    return np.kron(x1, x2)


def _three(x):
    """Vectors of two with a third component 0."""
    if x.shape[-1] == 3:
        return x
    if x.shape[-1] != 2:
        raise ValueError("expected vectors of 2 or 3; received shape %s" % (x.shape,))
    return np.concatenate([x, np.zeros_like(x[..., :1])], axis=-1)


@reference("keras.ops.cross", integers=True)
def cross(x1, x2, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The vector product; of vectors of two, its third component."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x1, x2 = np.moveaxis(x1, axisa, -1), np.moveaxis(x2, axisb, -1)
    flat = x1.shape[-1] == 2 and x2.shape[-1] == 2
    x1, x2 = _three(x1), _three(x2)
    after, before = [1, 2, 0], [2, 0, 1]
    if flat:
        return x1[..., 0] * x2[..., 1] - x1[..., 1] * x2[..., 0]
    result = x1[..., after] * x2[..., before] - x1[..., before] * x2[..., after]
    return np.moveaxis(result, -1, axisc)


@reference("keras.ops.correlate", integers=True)
def correlate(x1, x2, mode="valid"):
    """Cross-correlation of two vectors."""
    if mode not in ("valid", "same", "full"):
        raise ValueError("expected mode valid, same or full; received %r" % (mode,))
    # A valid one needs no zeros around: the longer vector has all that meets the other.
    padded = mode != "valid"
    if padded and not (np.isfinite(x1).all() and np.isfinite(x2).all()):
        raise Undocumented("whether the zeros around a signal meet infinity is not documented")
    return np.correlate(x1, x2, mode=mode)


@reference("keras.ops.matmul", integers=True)
def matmul(x1, x2):
    """The matrix product over the last two axes; vectors are a row, then a column."""
    return np.matmul(x1, x2)


@reference("keras.ops.outer", integers=True)
def outer(x1, x2):
    """Every product of two elements."""
    return np.multiply(x1[:, None], x2[None, :])


@reference("keras.ops.vdot", integers=True)
def vdot(x1, x2):
    """The sum of the products of all elements."""
    return np.vdot(x1, x2)
