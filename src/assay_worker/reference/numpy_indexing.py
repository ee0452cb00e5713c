"""Ops that choose, find or order elements, names from m to z."""

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


@reference("keras.ops.searchsorted", integers=True)
def searchsorted(sorted_sequence, values, side="left"):
    """Where to insert so that the order stays."""
    if side not in ("left", "right"):
        raise ValueError("expected side left or right; received %r" % (side,))
    if np.isnan(values).any() or np.isnan(sorted_sequence).any():
        raise Undocumented("the place of NaN in an order is not documented")
    return np.searchsorted(sorted_sequence, values, side=side)


@reference("keras.ops.sort", integers=True)
def sort(x, axis=-1):
    """In ascending order; None flattens."""
    if x.dtype.kind == "f" and np.isnan(x).any():
        raise Undocumented("the place of NaN in an order is not documented")
    return np.sort(x, axis=axis)


@reference("keras.ops.unravel_index", integers=True)
def unravel_index(indices, shape):
    """Coordinates of positions in a flattened array of that shape."""
    if not isinstance(shape, tuple) or any(length < 0 for length in shape):
        raise ValueError("expected a shape of lengths; received %r" % (shape,))
    total = int(np.prod(shape))
    if np.any(indices < 0) or np.any(indices >= total):
        raise Undocumented("an index outside of the shape has no documented value")
    return np.unravel_index(indices, shape)


@reference("keras.ops.unique", integers=True)
def unique(
    x,
    sorted=True,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    size=None,
    fill_value=None,
):
    """Different elements in ascending order, and where and how often they occur."""
    if size is not None and (not isinstance(size, int) or size < 0):
        raise ValueError("expected size to be a number of elements; received %r" % (size,))
    if not sorted:
        raise Undocumented("the order of unsorted elements is not documented")
    if x.dtype.kind == "f" and np.isnan(x).any():
        raise Undocumented("whether NaN equals NaN is not documented")
    values, index, inverse, counts = np.unique(x, True, True, True, axis=axis)
    along = 0 if axis is None else axis
    if size is not None:
        if size < values.shape[along] and return_inverse:
            raise Undocumented("the inverse of what was cut off is not documented")
        if size > values.shape[along] and return_index:
            raise Undocumented("the index of what was filled up is not documented")
        values = _sized(values, size, 0 if fill_value is None else fill_value, along)
        index, counts = _sized(index, size, 0, 0), _sized(counts, size, 0, 0)
    inverse = inverse.reshape(x.shape if axis is None else -1)
    asked = (
        (True, values), (return_index, index), (return_inverse, inverse), (return_counts, counts),
    )  # fmt: skip
    return tuple(item for wanted, item in asked if wanted)


def _sized(values, size, fill, axis):
    """Cut off or filled up to ``size`` along an axis."""
    kept = np.take(values, range(min(size, values.shape[axis])), axis=axis)
    shape = list(values.shape)
    shape[axis] = max(0, size - values.shape[axis])
    return np.concatenate([kept, np.full(shape, fill, dtype=values.dtype)], axis=axis)
