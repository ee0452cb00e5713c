"""Transposed convolutions: each input cell adds its own copy of the kernel to the output."""

import itertools

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.layers.core import kernel_and_bias
from assay_worker.reference.registry import reference


def _extent(size, kernel, stride, padding, extra):
    """How many cells of the full result to drop at the front, and how many to keep.

    Without ``extra`` (output_padding) this is the transpose of the convolution with
    the same arguments, on the longest input that gives ``size`` cells.
    """
    full = (size - 1) * stride + kernel
    if padding == "valid":
        return 0, (size * stride + max(kernel - stride, 0) if extra is None else full + extra)
    if extra is None:
        return max(kernel - stride, 0) // 2, size * stride
    length = full - 2 * (kernel // 2) + extra
    # What is dropped is shared out evenly; an odd cell goes at the end.
    return max(full - length, 0) // 2, length


def convolve_transposed(x, kernel, strides, padding, dilations, extras):
    """Channels-last, with a kernel of shape (*window, filters, channels)."""
    rank = x.ndim - 2
    sizes, window = x.shape[1:-1], kernel.shape[:rank]
    reach = [(size - 1) * dilation + 1 for size, dilation in zip(window, dilations)]
    extents = [
        _extent(size, length, stride, padding, extra)
        for size, length, stride, extra in zip(sizes, reach, strides, extras)
    ]
    # Wide enough for the full result and for what is kept of it.
    spatial = tuple(
        max((size - 1) * stride + length, front + kept)
        for size, stride, length, (front, kept) in zip(sizes, strides, reach, extents)
    )
    y = np.zeros((x.shape[0],) + spatial + (kernel.shape[-2],))
    for place in itertools.product(*[range(size) for size in window]):
        target = tuple(
            slice(cell * dilation, cell * dilation + (size - 1) * stride + 1, stride)
            for cell, dilation, size, stride in zip(place, dilations, sizes, strides)
        )
        y[(slice(None),) + target] += np.tensordot(x, kernel[place], axes=([-1], [-1]))
    return y[(slice(None),) + tuple(slice(front, front + kept) for front, kept in extents)]


def _weights(x, filters, kernel_size, data_format, use_bias, rank, **others):
    arrays.need_rank(x, rank + 2)
    arrays.integers(filters, 1, "filters")
    channels = x.shape[1 if arrays.channels_first(data_format) else -1]
    sizes = arrays.integers(kernel_size, rank, "kernel_size")
    return kernel_and_bias(sizes + (filters, channels), filters, use_bias)


def _conv_transpose(
    call,
    x,
    filters,
    kernel_size,
    strides=1,
    padding="valid",
    output_padding=None,
    data_format=None,
    dilation_rate=1,
    activation=None,
    use_bias=True,
    rank=2,
):
    steps = arrays.integers(strides, rank, "strides")
    dilations = arrays.integers(dilation_rate, rank, "dilation_rate")
    extras = (None,) * rank
    if output_padding is not None:
        extras = arrays.integers(output_padding, rank, "output_padding", minimum=0)
        if any(extra >= step for extra, step in zip(extras, steps)):
            raise ValueError(
                "expected output_padding below strides %r; received %r" % (strides, output_padding)
            )
    if max(steps) > 1 and max(dilations) > 1:
        raise ValueError(
            "strides > 1 is incompatible with dilation_rate > 1; received %r and %r"
            % (strides, dilation_rate)
        )
    padding = padding.lower() if isinstance(padding, str) else padding
    if padding not in ("valid", "same"):
        raise ValueError("expected padding valid or same; received %r" % (padding,))
    x = arrays.to_channels_last(x, data_format)
    y = convolve_transposed(x, call.weights["kernel"], steps, padding, dilations, extras)
    if use_bias:
        y = y + call.weights["bias"]
    return call.activate(activation, arrays.from_channels_last(y, data_format))


for _rank in (1, 2, 3):
    _paths = ["keras.layers.%s%dDTranspose" % (name, _rank) for name in ("Conv", "Convolution")]
    reference(*_paths, weights=_weights, rank=_rank)(_conv_transpose)
