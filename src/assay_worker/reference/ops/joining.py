"""Several tensors as one, along an axis that there is or a new one."""

import numpy as np

from assay_worker.reference.registry import reference


@reference("keras.ops.concatenate", integers=True)
def concatenate(xs, axis=0):
    """Joined along an axis."""
    return np.concatenate(xs, axis=axis)


@reference("keras.ops.stack", integers=True)
def stack(x, axis=0):
    """Joined along a new axis."""
    return np.stack(x, axis=axis)


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


@reference("keras.ops.vstack", integers=True)
def vstack(xs):
    """Joined along the first axis; vectors are rows."""
    return np.vstack(xs)
