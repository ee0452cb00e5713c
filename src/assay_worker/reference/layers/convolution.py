"""Convolutions, written once for one, two and three dimensions.

As in all deep-learning libraries this is cross-correlation: kernels are not flipped.
"""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.layers.core import kernel_and_bias
from assay_worker.reference.registry import Weight, reference


def _patches(x, sizes, strides, padding, dilations, causal_allowed):
    """Channels-last ``x`` as (batch, *outputs, *window, channels), padded as asked."""
    extents = [(size - 1) * dilation + 1 for size, dilation in zip(sizes, dilations)]
    padding = padding.lower() if isinstance(padding, str) else padding
    if padding == "same":
        x = arrays.pad_spatial(x, arrays.same_padding(x.shape[1:-1], extents, strides), 0.0)
    elif padding == "causal" and causal_allowed:
        x = arrays.pad_spatial(x, [(extent - 1, 0) for extent in extents], 0.0)
    elif padding != "valid":
        expected = "valid, same or causal" if causal_allowed else "valid or same"
        raise ValueError("expected padding %s; received %r" % (expected, padding))
    return arrays.windows(x, sizes, strides, dilations)


def _steps(strides, dilation_rate, rank):
    strides = arrays.integers(strides, rank, "strides")
    dilations = arrays.integers(dilation_rate, rank, "dilation_rate")
    if max(strides) > 1 and max(dilations) > 1:
        raise ValueError(
            "strides > 1 is incompatible with dilation_rate > 1; received %r and %r"
            % (strides, dilation_rate)
        )
    return strides, dilations


def convolve(x, kernel, strides, padding, dilations, groups=1, causal_allowed=False):
    """Channels-last convolution with a kernel of shape (*window, channels / groups, filters)."""
    rank = x.ndim - 2
    patches = _patches(x, kernel.shape[:rank], strides, padding, dilations, causal_allowed)
    depth, filters = kernel.shape[-2], kernel.shape[-1] // groups
    parts = [
        np.tensordot(
            patches[..., group * depth : (group + 1) * depth],
            kernel[..., group * filters : (group + 1) * filters],
            axes=rank + 1,
        )
        for group in range(groups)
    ]
    return parts[0] if groups == 1 else np.concatenate(parts, axis=-1)


def _conv_weights(x, filters, kernel_size, groups, data_format, use_bias, rank, **others):
    arrays.need_rank(x, rank + 2)
    for name, value in (("filters", filters), ("groups", groups)):
        if not isinstance(value, int) or value < 1:
            raise ValueError("expected %s to be a positive integer; received %r" % (name, value))
    channels = x.shape[1 if arrays.channels_first(data_format) else -1]
    if channels % groups or filters % groups:
        raise ValueError(
            "expected groups to divide %d channels and %d filters; received groups=%d"
            % (channels, filters, groups)
        )
    sizes = arrays.integers(kernel_size, rank, "kernel_size")
    return kernel_and_bias(sizes + (channels // groups, filters), filters, use_bias)


def _conv(
    call,
    x,
    filters,
    kernel_size,
    strides=1,
    padding="valid",
    data_format=None,
    dilation_rate=1,
    groups=1,
    activation=None,
    use_bias=True,
    rank=2,
):
    strides, dilations = _steps(strides, dilation_rate, rank)
    x = arrays.to_channels_last(x, data_format)
    kernel = call.weights["kernel"]
    y = convolve(x, kernel, strides, padding, dilations, groups, causal_allowed=rank == 1)
    if use_bias:
        y = y + call.weights["bias"]
    return call.activate(activation, arrays.from_channels_last(y, data_format))


def _depthwise_weights(x, kernel_size, depth_multiplier, data_format, use_bias, rank, **others):
    arrays.need_rank(x, rank + 2)
    arrays.integers(depth_multiplier, 1, "depth_multiplier")
    channels = x.shape[1 if arrays.channels_first(data_format) else -1]
    sizes = arrays.integers(kernel_size, rank, "kernel_size")
    return kernel_and_bias(
        sizes + (channels, depth_multiplier), channels * depth_multiplier, use_bias
    )


def convolve_depthwise(x, kernel, strides, padding, dilations):
    """Channels-last; each channel with its own kernels of shape (*window, channels, multiplier)."""
    rank = x.ndim - 2
    patches = _patches(x, kernel.shape[:rank], strides, padding, dilations, False)
    outputs, (channels, multiplier) = patches.shape[: rank + 1], kernel.shape[-2:]
    patches = patches.reshape(outputs + (int(np.prod(kernel.shape[:rank])), channels))
    kernel = kernel.reshape((patches.shape[-2], channels, multiplier))
    y = np.einsum("...kc,kcm->...cm", patches, kernel)
    return y.reshape(outputs + (channels * multiplier,))


def _depthwise(
    call,
    x,
    kernel_size,
    strides=1,
    padding="valid",
    depth_multiplier=1,
    data_format=None,
    dilation_rate=1,
    activation=None,
    use_bias=True,
    rank=2,
):
    strides, dilations = _steps(strides, dilation_rate, rank)
    x = arrays.to_channels_last(x, data_format)
    y = convolve_depthwise(x, call.weights["kernel"], strides, padding, dilations)
    if use_bias:
        y = y + call.weights["bias"]
    return call.activate(activation, arrays.from_channels_last(y, data_format))


def _separable_weights(
    x, filters, kernel_size, depth_multiplier, data_format, use_bias, rank, **others
):
    depthwise = _depthwise_weights(x, kernel_size, depth_multiplier, data_format, False, rank)[0]
    arrays.integers(filters, 1, "filters")
    channels = depthwise.shape[-2] * depth_multiplier
    weights = [
        Weight("depthwise_kernel", depthwise.shape),
        Weight("pointwise_kernel", (1,) * rank + (channels, filters)),
    ]
    return weights + ([Weight("bias", (filters,))] if use_bias else [])


def _separable(
    call,
    x,
    filters,
    kernel_size,
    strides=1,
    padding="valid",
    data_format=None,
    dilation_rate=1,
    depth_multiplier=1,
    activation=None,
    use_bias=True,
    rank=2,
):
    strides, dilations = _steps(strides, dilation_rate, rank)
    x = arrays.to_channels_last(x, data_format)
    y = convolve_depthwise(x, call.weights["depthwise_kernel"], strides, padding, dilations)
    pointwise = call.weights["pointwise_kernel"]
    y = np.tensordot(y, pointwise.reshape(pointwise.shape[-2:]), axes=1)
    if use_bias:
        y = y + call.weights["bias"]
    return call.activate(activation, arrays.from_channels_last(y, data_format))


for _rank in (1, 2, 3):
    _paths = ["keras.layers.%s%dD" % (name, _rank) for name in ("Conv", "Convolution")]
    reference(*_paths, weights=_conv_weights, rank=_rank)(_conv)
for _rank in (1, 2):
    reference("keras.layers.DepthwiseConv%dD" % _rank, weights=_depthwise_weights, rank=_rank)(
        _depthwise
    )
    _paths = [
        "keras.layers.%s%dD" % (name, _rank) for name in ("SeparableConv", "SeparableConvolution")
    ]
    reference(*_paths, weights=_separable_weights, rank=_rank)(_separable)
