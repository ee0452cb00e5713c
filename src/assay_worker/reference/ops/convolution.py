"""Convolutions of ``keras.ops``; what they mean is what the layers mean."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.layers import convolution, transposed_convolution
from assay_worker.reference.registry import reference


def _steps(x, strides, dilation_rate):
    rank = x.ndim - 2
    return (
        arrays.integers(strides, rank, "strides"),
        arrays.integers(dilation_rate, rank, "dilation_rate"),
    )


@reference("keras.ops.conv")
def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """Convolution with a kernel of shape (*window, channels / groups, filters)."""
    steps, gaps = _steps(inputs, strides, dilation_rate)
    x = arrays.to_channels_last(inputs, data_format)
    y = convolution.convolve(x, kernel, steps, padding, gaps, x.shape[-1] // kernel.shape[-2])
    return arrays.from_channels_last(y, data_format)


@reference("keras.ops.depthwise_conv")
def depthwise_conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """Each channel with its own kernels."""
    steps, gaps = _steps(inputs, strides, dilation_rate)
    x = arrays.to_channels_last(inputs, data_format)
    y = convolution.convolve_depthwise(x, kernel, steps, padding, gaps)
    return arrays.from_channels_last(y, data_format)


@reference("keras.ops.separable_conv")
def separable_conv(
    inputs,
    depthwise_kernel,
    pointwise_kernel,
    strides=1,
    padding="valid",
    data_format=None,
    dilation_rate=1,
):
    """Depthwise, then pointwise."""
    steps, gaps = _steps(inputs, strides, dilation_rate)
    x = arrays.to_channels_last(inputs, data_format)
    y = convolution.convolve_depthwise(x, depthwise_kernel, steps, padding, gaps)
    y = np.tensordot(y, pointwise_kernel.reshape(pointwise_kernel.shape[-2:]), axes=1)
    return arrays.from_channels_last(y, data_format)


@reference("keras.ops.conv_transpose")
def conv_transpose(
    inputs,
    kernel,
    strides=1,
    padding="valid",
    output_padding=None,
    data_format=None,
    dilation_rate=1,
):
    """The transpose of a convolution; a kernel of shape (*window, filters, channels)."""
    rank = inputs.ndim - 2
    steps, gaps = _steps(inputs, strides, dilation_rate)
    extras = (None,) * rank
    if output_padding is not None:
        extras = arrays.integers(output_padding, rank, "output_padding", minimum=0)
        if any(extra >= step for extra, step in zip(extras, steps)):
            raise ValueError(
                "expected output_padding below strides %r; received %r" % (strides, output_padding)
            )
    if padding not in ("valid", "same"):
        raise ValueError("expected padding valid or same; received %r" % (padding,))
    x = arrays.to_channels_last(inputs, data_format)
    y = transposed_convolution.convolve_transposed(x, kernel, steps, padding, gaps, extras)
    return arrays.from_channels_last(y, data_format)
