"""Parts of a tensor taken out or replaced: slices and scatters."""

import numpy as np

from assay_worker.reference.registry import Undocumented, reference


def _place(start, lengths):
    return tuple(slice(first, first + length) for first, length in zip(start, lengths))


def _need_inside(x, start, lengths):
    inside = len(start) == len(lengths) == x.ndim and all(
        first >= 0 and first + length <= size
        for first, length, size in zip(start, lengths, x.shape)
    )
    if not inside:
        raise ValueError(
            "expected a part of shape %s; received start %r and shape %r"
            % (x.shape, start, lengths)
        )


@reference("keras.ops.slice", integers=True)
def slice_(inputs, start_indices, shape):
    """The part that begins at the indices."""
    _need_inside(inputs, start_indices, shape)
    return inputs[_place(start_indices, shape)]


@reference("keras.ops.slice_update", integers=True)
def slice_update(inputs, start_indices, updates):
    """The inputs with one part replaced."""
    _need_inside(inputs, start_indices, updates.shape)
    y = inputs.copy()
    y[_place(start_indices, updates.shape)] = updates
    return y


_REDUCTIONS = {
    None: lambda old, new: new,
    "add": lambda old, new: old + new,
    "max": np.maximum,
    "min": np.minimum,
    "mul": lambda old, new: old * new,
}


@reference("keras.ops.scatter_update", integers=True)
def scatter_update(inputs, indices, updates, reduction=None):
    """Updates one after the other: the last one of a place stays."""
    if reduction not in _REDUCTIONS:
        raise ValueError("expected a reduction; received %r" % (reduction,))
    y = inputs.copy()
    for index, update in zip(indices, updates):
        place = tuple(int(item) for item in index)
        y[place] = _REDUCTIONS[reduction](y[place], update)
    return y


@reference("keras.ops.scatter", integers=True)
def scatter(indices, values, shape):
    """``scatter_update`` of zeros."""
    places = tuple(shape[indices.shape[-1] :])
    if values.shape != indices.shape[:-1] + places:
        raise ValueError(
            "expected values of shape %r; received %r" % (indices.shape[:-1] + places, values.shape)
        )
    if len({tuple(index) for index in indices.tolist()}) < len(indices):
        # Documented as scatter_update, where the last one stays; implemented as a sum.
        raise Undocumented("what several values for one place give is contradictory")
    return scatter_update(np.zeros(shape, dtype=values.dtype), indices, values)
