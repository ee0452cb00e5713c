"""Poolings, written once for one, two and three dimensions."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.registry import Undocumented, reference


def _windows(x, pool_size, strides, padding, data_format, rank, padded_with):
    arrays.need_rank(x, rank + 2)
    sizes = arrays.integers(pool_size, rank, "pool_size")
    strides = sizes if strides is None else arrays.integers(strides, rank, "strides")
    padding = padding.lower() if isinstance(padding, str) else padding
    x = arrays.to_channels_last(x, data_format)
    if padding == "same":
        x = arrays.pad_spatial(x, arrays.same_padding(x.shape[1:-1], sizes, strides), padded_with)
    elif padding != "valid":
        raise ValueError("expected padding valid or same; received %r" % (padding,))
    elif any(size > given for size, given in zip(sizes, x.shape[1:-1])):
        raise ValueError("expected windows of at most %r; received %r" % (x.shape[1:-1], sizes))
    return arrays.windows(x, sizes, strides, (1,) * rank)


def _lowest(dtype):
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min if dtype.kind != "b" else False


def _max_pool(x, pool_size=2, strides=None, padding="valid", data_format=None, rank=2):
    patches = _windows(x, pool_size, strides, padding, data_format, rank, _lowest(x.dtype))
    y = patches.max(axis=tuple(range(1 + rank, 1 + 2 * rank)))
    return arrays.from_channels_last(y, data_format)


def _average_pool(x, pool_size, strides=None, padding="valid", data_format=None, rank=2):
    patches = _windows(x, pool_size, strides, padding, data_format, rank, 0.0)
    window = tuple(range(1 + rank, 1 + 2 * rank))
    # Cells that padding invented are not part of the average.
    real = _windows(np.ones_like(x[:1]), pool_size, strides, padding, data_format, rank, 0.0)
    y = patches.sum(axis=window) / real.sum(axis=window)
    return arrays.from_channels_last(y, data_format)


def _global_average(x, data_format=None, keepdims=False, rank=2):
    arrays.need_rank(x, rank + 2)
    return x.mean(axis=arrays.spatial_axes(x, data_format), keepdims=keepdims)


def _global_average_1d(x, mask=None, data_format=None, keepdims=False):
    """Steps whose mask is false take no part."""
    if mask is None:
        return _global_average(x, data_format, keepdims, rank=1)
    arrays.need_rank(x, 3)
    (axis,) = arrays.spatial_axes(x, data_format)
    kept = np.expand_dims(mask != 0, 3 - axis)
    if not kept.any(axis=axis).all():
        raise Undocumented("the average of no steps has no documented value")
    total = np.where(kept, x, 0.0).sum(axis=axis, keepdims=keepdims)
    return total / kept.sum(axis=axis, keepdims=keepdims)


def _global_max(x, data_format=None, keepdims=False, rank=2):
    arrays.need_rank(x, rank + 2)
    return x.max(axis=arrays.spatial_axes(x, data_format), keepdims=keepdims)


def _adaptive(x, output_size, data_format, rank, reduce):
    """Cell i of n from m comes from the cells floor(i m / n) to ceil((i + 1) m / n) - 1."""
    arrays.need_rank(x, rank + 2)
    sizes = arrays.integers(output_size, rank, "output_size")
    for axis, size in zip(arrays.spatial_axes(x, data_format), sizes):
        length = x.shape[axis]
        parts = [
            reduce(np.take(x, range(i * length // size, -(-(i + 1) * length // size)), axis), axis)
            for i in range(size)
        ]
        x = np.stack(parts, axis=axis)
    return x


def _adaptive_average(x, output_size, data_format=None, rank=2):
    return _adaptive(x, output_size, data_format, rank, np.mean)


def _adaptive_max(x, output_size, data_format=None, rank=2):
    return _adaptive(x, output_size, data_format, rank, np.max)


def _layers(rank, *names):
    return ["keras.layers.%s%dD" % (name, rank) for name in names]


_AVERAGES = ("GlobalAveragePooling", "GlobalAvgPool")

reference(*_layers(1, *_AVERAGES))(_global_average_1d)
for _rank in (2, 3):
    reference(*_layers(_rank, *_AVERAGES), rank=_rank)(_global_average)
for _rank in (1, 2, 3):
    reference(*_layers(_rank, "MaxPooling", "MaxPool"), rank=_rank, integers=True)(_max_pool)
    reference(*_layers(_rank, "AveragePooling", "AvgPool"), rank=_rank)(_average_pool)
    reference(*_layers(_rank, "GlobalMaxPooling", "GlobalMaxPool"), rank=_rank, integers=True)(
        _global_max
    )
    reference(*_layers(_rank, "AdaptiveMaxPooling"), rank=_rank)(_adaptive_max)
    reference(*_layers(_rank, "AdaptiveAveragePooling"), rank=_rank)(_adaptive_average)
