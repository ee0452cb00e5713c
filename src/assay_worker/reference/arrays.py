"""What several families need: axes, sizes, channel order, padding, sliding windows."""

import numpy as np


def integers(value, rank, name, minimum=1):
    """``rank`` integers of at least ``minimum``; ``value`` is one for all, or one each."""
    sizes = value if isinstance(value, tuple) else (value,) * rank
    whole = all(isinstance(size, int) and not isinstance(size, bool) for size in sizes)
    if len(sizes) != rank or not whole or any(size < minimum for size in sizes):
        raise ValueError(
            "expected %s to be an integer or %d integers of at least %d; received %r"
            % (name, rank, minimum, value)
        )
    return sizes


def axes(axis, rank):
    """One axis or several as sorted, non-negative, distinct axes; None is all."""
    if axis is None:
        return tuple(range(rank))
    chosen = axis if isinstance(axis, tuple) else (axis,)
    for item in chosen:
        if not -rank <= item < rank:
            raise ValueError("expected an axis of a rank %d array; received %r" % (rank, axis))
    chosen = sorted(item % rank for item in chosen)
    if len(set(chosen)) != len(chosen):
        raise ValueError("expected distinct axes; received %r" % (axis,))
    return tuple(chosen)


def need_rank(x, rank, op="the layer"):
    """``ValueError`` unless ``x`` has that rank."""
    if x.ndim != rank:
        raise ValueError(
            "expected an input of rank %d for %s; received shape %s" % (rank, op, x.shape)
        )


def channels_first(data_format):
    """Is this data format channels-first? None is Keras' default, channels-last."""
    if data_format not in (None, "channels_last", "channels_first"):
        raise ValueError(
            "expected data_format channels_last or channels_first; received %r" % (data_format,)
        )
    return data_format == "channels_first"


def to_channels_last(x, data_format):
    """``x`` with its channels as the last axis."""
    return np.moveaxis(x, 1, -1) if channels_first(data_format) else x


def from_channels_last(x, data_format):
    """The inverse of ``to_channels_last``."""
    return np.moveaxis(x, -1, 1) if channels_first(data_format) else x


def spatial_axes(x, data_format):
    """The axes that are neither batch nor channels."""
    start = 2 if channels_first(data_format) else 1
    return tuple(range(start, start + x.ndim - 2))


def same_padding(sizes, extents, strides):
    """Cells to add before and after each dimension so that output = ceil(size / stride).

    As even as possible; the odd cell goes after.
    """
    result = []
    for size, extent, stride in zip(sizes, extents, strides):
        total = max((-(-size // stride) - 1) * stride + extent - size, 0)
        result.append((total // 2, total - total // 2))
    return result


def pad_spatial(x, widths, value):
    """Channels-last ``x`` with ``value`` around its spatial dimensions."""
    if not any(before or after for before, after in widths):
        return x
    return np.pad(x, [(0, 0)] + list(widths) + [(0, 0)], mode="constant", constant_values=value)


def windows(x, sizes, strides, dilations):
    """A view of channels-last ``x`` as (batch, *outputs, *window, channels)."""
    rank = len(sizes)
    spatial = x.shape[1 : 1 + rank]
    extents = [(size - 1) * dilation + 1 for size, dilation in zip(sizes, dilations)]
    outputs = [(n - extent) // stride + 1 for n, extent, stride in zip(spatial, extents, strides)]
    if any(output < 1 for output in outputs):
        raise ValueError("a window of extent %s does not fit into %s" % (tuple(extents), spatial))
    steps = x.strides[1 : 1 + rank]
    return np.lib.stride_tricks.as_strided(
        x,
        (x.shape[0],) + tuple(outputs) + tuple(sizes) + (x.shape[-1],),
        (x.strides[0],)
        + tuple(step * stride for step, stride in zip(steps, strides))
        + tuple(step * dilation for step, dilation in zip(steps, dilations))
        + (x.strides[-1],),
        writeable=False,
    )
