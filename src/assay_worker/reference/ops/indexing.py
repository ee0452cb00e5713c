"""Elements by their positions, and positions by what is there."""

import numpy as np

from assay_worker.reference.registry import Undocumented, reference


def _known_positions(indices, length):
    """``indices`` along an axis; what lies outside of it has no documented value."""
    if np.any(indices < -length) or np.any(indices >= length):
        raise Undocumented("an index outside of the tensor has no documented value")
    return indices


@reference("keras.ops.take", integers=True)
def take(x, indices, axis=None):
    """Elements at positions along an axis; None flattens."""
    length = x.size if axis is None else x.shape[axis]
    return np.take(x, _known_positions(indices, length), axis=axis)


@reference("keras.ops.take_along_axis", integers=True)
def take_along_axis(x, indices, axis=None):
    """Elements at a position of its own for each line along the axis; None flattens."""
    length = x.size if axis is None else x.shape[axis]
    return np.take_along_axis(x, _known_positions(indices, length), axis=axis)


@reference("keras.ops.where", integers=True)
def where(condition, x1=None, x2=None):
    """The first where the condition holds, else the second; alone: where it holds."""
    if x1 is None and x2 is None:
        return np.nonzero(condition)
    return np.where(condition, x1, x2)


@reference("keras.ops.select", integers=True)
def select(condlist, choicelist, default=0):
    """The choice of the first condition that holds."""
    result = np.asarray(default)
    for condition, choice in reversed(list(zip(condlist, choicelist))):
        result = np.where(condition, choice, result)
    return result


@reference("keras.ops.nonzero", integers=True)
def nonzero(x):
    """Positions of what is not zero, one array per axis."""
    return np.nonzero(x)


@reference("keras.ops.unravel_index", integers=True)
def unravel_index(indices, shape):
    """Coordinates of positions in a flattened array of that shape."""
    if not isinstance(shape, tuple) or any(length < 0 for length in shape):
        raise ValueError("expected a shape of lengths; received %r" % (shape,))
    total = int(np.prod(shape))
    if np.any(indices < 0) or np.any(indices >= total):
        raise Undocumented("an index outside of the shape has no documented value")
    return np.unravel_index(indices, shape)


@reference("keras.ops.get_item", integers=True)
def get_item(x, key):
    """``x[key]``."""
    return x[key]
