"""The same elements in another shape."""

import numpy as np

from assay_worker.reference.registry import reference


@reference("keras.ops.reshape", integers=True)
def reshape(x, newshape):
    """The same elements in another shape."""
    return np.reshape(x, newshape)


@reference("keras.ops.expand_dims", integers=True)
def expand_dims(x, axis):
    """New axes of size 1."""
    return np.expand_dims(x, axis)


@reference("keras.ops.squeeze", integers=True)
def squeeze(x, axis=None):
    """Without axes of size 1."""
    return np.squeeze(x, axis=axis)


@reference("keras.ops.ravel", integers=True)
def ravel(x):
    """All elements along one axis."""
    return x.reshape(-1)


@reference("keras.ops.broadcast_to", integers=True)
def broadcast_to(x, shape):
    """Axes of length 1 repeated."""
    return np.broadcast_to(x, shape)
