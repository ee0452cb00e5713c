"""Ops that move elements and invent none but padding."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.registry import Undocumented, reference

_PAD_MODES = (
    "constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum",
    "reflect", "symmetric", "wrap", "empty", "circular",
)  # fmt: skip


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


def _ends(value, rank, name):
    """Cells before and after each of ``rank`` dimensions; with one, a pair is those two."""
    if isinstance(value, int):
        pairs = [(value, value)] * rank
    elif not isinstance(value, tuple):
        pairs = []
    elif rank == 1:
        pairs = [value]
    else:
        pairs = [(item, item) if isinstance(item, int) else item for item in value]
    if len(pairs) != rank or any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise ValueError(
            "expected non-negative %s for %d dimensions; received %r" % (name, rank, value)
        )
    return pairs


def _cropping(x, cropping=None, data_format=None, rank=2):
    arrays.need_rank(x, rank + 2)
    cropping = (int(rank != 2)) if cropping is None else cropping
    index = [slice(None)] * x.ndim
    axes = arrays.spatial_axes(x, data_format)
    for axis, (before, after) in zip(axes, _ends(cropping, rank, "cropping")):
        if before + after >= x.shape[axis]:
            raise ValueError("cropping %r leaves nothing of shape %s" % (cropping, x.shape))
        index[axis] = slice(before, x.shape[axis] - after)
    return x[tuple(index)]


def _zero_padding(x, padding=1, data_format=None, rank=2):
    arrays.need_rank(x, rank + 2)
    widths = _ends(padding, rank, "padding")
    x = arrays.to_channels_last(x, data_format)
    return arrays.from_channels_last(arrays.pad_spatial(x, widths, 0), data_format)


def up_sampling(x, size=2, data_format=None, rank=2):
    """Each cell repeated."""
    arrays.need_rank(x, rank + 2)
    for axis, times in zip(
        arrays.spatial_axes(x, data_format), arrays.integers(size, rank, "size")
    ):
        x = np.repeat(x, times, axis=axis)
    return x


for _rank in (1, 2, 3):
    reference("keras.layers.ZeroPadding%dD" % _rank, integers=True, rank=_rank)(_zero_padding)
    reference("keras.layers.Cropping%dD" % _rank, integers=True, rank=_rank)(_cropping)
for _rank in (1, 3):
    reference("keras.layers.UpSampling%dD" % _rank, integers=True, rank=_rank)(up_sampling)


@reference("keras.ops.pad", integers=True)
def pad(x, pad_width, mode="constant", constant_values=None):
    """As ``numpy.pad``; ``circular`` is ``wrap``."""
    if mode not in _PAD_MODES:
        raise ValueError(
            "expected mode to be one of %s; received %r" % (", ".join(_PAD_MODES), mode)
        )
    if mode == "empty":
        raise Undocumented("padding of mode empty has no defined values")
    if mode == "constant":
        value = 0 if constant_values is None else constant_values
        return np.pad(x, pad_width, mode="constant", constant_values=value)
    if constant_values is not None:
        raise ValueError(
            "expected no constant_values for mode %r; received %r" % (mode, constant_values)
        )
    return np.pad(x, pad_width, mode="wrap" if mode == "circular" else mode)


@reference("keras.ops.rot90", integers=True)
def rot90(array, k=1, axes=(0, 1)):
    """Counterclockwise, ``k`` quarter turns."""
    return np.rot90(array, k=k, axes=axes)


@reference("keras.ops.roll", integers=True)
def roll(x, shift, axis=None):
    """Elements that leave at the end come back at the start."""
    return np.roll(x, shift, axis=axis)


@reference("keras.ops.flip", integers=True)
def flip(x, axis=None):
    """Reversed along the axes."""
    return np.flip(x, axis=axis)


@reference("keras.ops.transpose", integers=True)
def transpose(x, axes=None):
    """Axes in a new order, by default reversed."""
    return np.transpose(x, axes)


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


@reference("keras.ops.concatenate", integers=True)
def concatenate(xs, axis=0):
    """Joined along an axis."""
    return np.concatenate(xs, axis=axis)


@reference("keras.ops.stack", integers=True)
def stack(x, axis=0):
    """Joined along a new axis."""
    return np.stack(x, axis=axis)
