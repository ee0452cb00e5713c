"""Formulas of convolutions and poolings, of any number of dimensions."""

from typing import Any

import numpy as np
from flint import arb

from assay.ir import Array
from assay.judge.balls import arrays
from assay.judge.balls.arrays import axes_of, each, reduced
from assay.judge.balls.products import activated
from assay.judge.balls.registry import NoFormula, arraywise


def _numbers(value: Any, rank: int) -> tuple[int, ...]:
    return (value,) * rank if isinstance(value, int) else tuple(value)


def _channels_last(x: Array, data_format: Any) -> Array:
    return np.moveaxis(x, 1, -1) if data_format == "channels_first" else x


def _given_back(x: Array, data_format: Any) -> Array:
    return np.moveaxis(x, -1, 1) if data_format == "channels_first" else x


def _padded(x: Array, padding: str, extents: Any, strides: Any, value: arb) -> Array:
    """Channels-last ``x`` with cells around it, so that windows fit as ``padding`` wants."""
    kind = padding.lower()
    if kind == "valid":
        return x
    if kind not in ("same", "causal"):
        raise NoFormula(f"there is no formula for the padding {padding!r}")
    widths = []
    for size, extent, stride in zip(x.shape[1:-1], extents, strides, strict=True):
        whole = max((-(-size // stride) - 1) * stride + extent - size, 0)
        widths.append((whole // 2, whole - whole // 2) if kind == "same" else (extent - 1, 0))
    shape = [n + before + after for n, (before, after) in zip(x.shape[1:-1], widths, strict=True)]
    found = np.full((x.shape[0], *shape, x.shape[-1]), value, dtype=object)
    inside = tuple(
        slice(before, before + n) for n, (before, _) in zip(x.shape[1:-1], widths, strict=True)
    )
    found[(slice(None), *inside)] = x
    return found


def _taps(x: Array, sizes: Any, strides: Any, dilations: Any) -> Any:
    """For each cell of a window: its index, and what of channels-last ``x`` it meets."""
    counts = []
    for n, size, stride, dilation in zip(x.shape[1:-1], sizes, strides, dilations, strict=True):
        extent = (size - 1) * dilation + 1
        if extent > n:
            raise ValueError(f"a window of extent {extent} does not fit into {n} cells")
        counts.append((n - extent) // stride + 1)
    for tap in np.ndindex(*sizes):
        met = tuple(
            slice(start * dilation, start * dilation + (count - 1) * stride + 1, stride)
            for start, dilation, count, stride in zip(tap, dilations, counts, strides, strict=True)
        )
        yield tap, x[(slice(None), *met)]


def _prepared(x: Array, sizes: Any, strides: Any, padding: str, gaps: Any, value: Any) -> Any:
    rank = x.ndim - 2
    steps, dilations = _numbers(strides, rank), _numbers(gaps, rank)
    extents = [(size - 1) * dilation + 1 for size, dilation in zip(sizes, dilations, strict=True)]
    return _taps(_padded(x, padding, extents, steps, value), sizes, steps, dilations)


def convolved(
    x: Array, kernel: Array, strides: Any, padding: str, gaps: Any, depthwise: bool = False
) -> Array:
    """Channels-last, kernels not flipped; groups are told by the depth of the kernel."""
    found: Any = None
    for tap, part in _prepared(x, kernel.shape[: x.ndim - 2], strides, padding, gaps, arb(0)):
        weights = kernel[tap]
        term = _channelwise(part, weights) if depthwise else _grouped(part, weights)
        found = term if found is None else found + term
    return np.asarray(found, dtype=object)


def _channelwise(part: Array, weights: Array) -> Array:
    """Each channel times its own weights, of shape (channels, multiplier)."""
    terms = part[..., None] * weights
    return terms.reshape((*part.shape[:-1], weights.size))


def _grouped(part: Array, weights: Array) -> Array:
    depth, filters = weights.shape
    groups = part.shape[-1] // depth
    each_group = filters // groups
    terms = [
        np.tensordot(
            part[..., group * depth : (group + 1) * depth],
            weights[:, group * each_group : (group + 1) * each_group],
            axes=1,
        )
        for group in range(groups)
    ]
    return np.concatenate(terms, axis=-1)


@arraywise("keras.ops.conv", depthwise=False)
@arraywise("keras.ops.depthwise_conv", depthwise=True)
def conv(
    inputs: Array,
    kernel: Array,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
    depthwise: bool = False,
) -> Array:
    """With a kernel of shape (*window, channels / groups, filters); or each channel its own."""
    x = _channels_last(inputs, data_format)
    y = convolved(x, kernel, strides, padding, dilation_rate, depthwise)
    return _given_back(y, data_format)


@arraywise("keras.ops.separable_conv")
def separable_conv(
    inputs: Array,
    depthwise_kernel: Array,
    pointwise_kernel: Array,
    strides: Any = 1,
    padding: str = "valid",
    data_format: Any = None,
    dilation_rate: Any = 1,
) -> Array:
    """Depthwise, then pointwise."""
    x = _channels_last(inputs, data_format)
    y = convolved(x, depthwise_kernel, strides, padding, dilation_rate, True)
    mixing = pointwise_kernel.reshape(pointwise_kernel.shape[-2:])
    return _given_back(np.tensordot(y, mixing, axes=1), data_format)


def _conv_layer(rank: int) -> None:
    @arraywise(f"keras.layers.Conv{rank}D", f"keras.layers.Convolution{rank}D")
    def layer(
        weights: Any,
        x: Array,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: Any = None,
        dilation_rate: Any = 1,
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
    ) -> Array:
        """Convolution with the kernel, plus the bias."""
        last = _channels_last(x, data_format)
        y = convolved(last, weights["kernel"], strides, padding, dilation_rate)
        y = y + weights["bias"] if use_bias else y
        return activated(_given_back(y, data_format), activation)


for _rank in (1, 2, 3):
    _conv_layer(_rank)


# ------------------------------------------------------------------------------ poolings


def _pooled(
    inputs: Array,
    # Average layers of the reference have no default size; Keras wants one of both.
    pool_size: Any = 2,
    strides: Any = None,
    padding: str = "valid",
    data_format: Any = None,
    best: bool = False,
) -> Any:
    """The largest, or the mean, of each window."""
    rank = inputs.ndim - 2
    sizes = _numbers(pool_size, rank)
    steps = sizes if strides is None else _numbers(strides, rank)
    last = _channels_last(inputs, data_format)
    lowest = arb("-inf") if best else arb(0)
    parts = [part for _, part in _prepared(last, sizes, steps, padding, 1, lowest)]
    if best:
        y = each(lambda *items: arrays.largest(items), *parts)
    else:
        real = each(lambda _: arb(1), last)
        # Cells that padding invented are not part of the average.
        counts = [part for _, part in _prepared(real, sizes, steps, padding, 1, arb(0))]
        y = each(lambda *items: arrays.total(items), *parts)
        y = y / each(lambda *items: arrays.total(items), *counts)
    return _given_back(y, data_format)


def _pools(best: bool, op: str, *names: str) -> None:
    layers = [f"keras.layers.{name}{rank}D" for name in names for rank in (1, 2, 3)]
    arraywise(op, *layers, best=best)(_pooled)


_pools(True, "keras.ops.max_pool", "MaxPooling", "MaxPool")
_pools(False, "keras.ops.average_pool", "AveragePooling", "AvgPool")


def _global(rank: int, function: Any, *names: str) -> None:
    @arraywise(*(f"keras.layers.{name}{rank}D" for name in names))
    def layer(x: Array, data_format: Any = None, keepdims: bool = False) -> Array:
        """Over all places."""
        start = 2 if data_format == "channels_first" else 1
        return reduced(function, x, axes_of(tuple(range(start, start + rank)), x.ndim), keepdims)


for _rank in (1, 2, 3):
    _global(_rank, arrays.mean, "GlobalAveragePooling", "GlobalAvgPool")
    _global(_rank, arrays.largest, "GlobalMaxPooling", "GlobalMaxPool")
