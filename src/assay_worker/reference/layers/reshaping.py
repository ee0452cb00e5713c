"""Layers that move elements without computing."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.registry import reference


@reference("keras.layers.Flatten", integers=True)
def flatten(x, data_format=None):
    """(batch, rest), the elements in channels-last order."""
    if x.ndim == 1:
        return x[:, None]
    if x.ndim > 2:
        x = arrays.to_channels_last(x, data_format)
    return x.reshape((x.shape[0], int(np.prod(x.shape[1:]))))


@reference("keras.layers.Reshape", integers=True)
def reshape_layer(x, target_shape):
    """Batch kept; one -1 is inferred."""
    target = target_shape if isinstance(target_shape, tuple) else (target_shape,)
    known = int(np.prod([size for size in target if size != -1]))
    size = int(np.prod(x.shape[1:]))
    if sum(item == -1 for item in target) > 1 or any(item < -1 for item in target):
        raise ValueError(
            "expected sizes and at most one -1; received target_shape=%r" % (target_shape,)
        )
    # Inferred from the other axes: a batch of 0 says nothing.
    if -1 in target and known and size % known == 0:
        target = tuple(size // known if item == -1 else item for item in target)
    if int(np.prod(target)) != size:
        raise ValueError("cannot reshape %s to %r" % (x.shape[1:], target_shape))
    return x.reshape((x.shape[0],) + target)


@reference("keras.layers.Permute", integers=True)
def permute(x, dims):
    """Axes after the batch in a new order, counted from 1."""
    if sorted(dims) != list(range(1, x.ndim)):
        raise ValueError(
            "expected dims to be a permutation of 1 to %d; received %r" % (x.ndim - 1, dims)
        )
    return np.transpose(x, (0,) + tuple(dims))


@reference("keras.layers.RepeatVector", integers=True)
def repeat_vector(x, n):
    """(batch, n, features)."""
    arrays.need_rank(x, 2)
    (times,) = arrays.integers(n, 1, "n")
    return np.repeat(x[:, None], times, axis=1)
