"""Convolutions, poolings and patches of ``keras.ops``; what layers mean is theirs."""

import numpy as np

from assay_worker.reference import arrays, convolution, pooling, transposed
from assay_worker.reference.registry import Undocumented, reference


def _ops(*names, **options):
    return reference(*["keras.ops." + name for name in names], **options)


# ------------------------------------------------------------- convolutions


def _steps(x, strides, dilation_rate):
    rank = x.ndim - 2
    return (
        arrays.integers(strides, rank, "strides"),
        arrays.integers(dilation_rate, rank, "dilation_rate"),
    )


@_ops("conv")
def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """Convolution with a kernel of shape (*window, channels / groups, filters)."""
    steps, gaps = _steps(inputs, strides, dilation_rate)
    x = arrays.to_channels_last(inputs, data_format)
    y = convolution.convolve(x, kernel, steps, padding, gaps, x.shape[-1] // kernel.shape[-2])
    return arrays.from_channels_last(y, data_format)


@_ops("depthwise_conv")
def depthwise_conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """Each channel with its own kernels."""
    steps, gaps = _steps(inputs, strides, dilation_rate)
    x = arrays.to_channels_last(inputs, data_format)
    y = convolution.convolve_depthwise(x, kernel, steps, padding, gaps)
    return arrays.from_channels_last(y, data_format)


@_ops("separable_conv")
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


@_ops("conv_transpose")
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
    y = transposed.convolve_transposed(x, kernel, steps, padding, gaps, extras)
    return arrays.from_channels_last(y, data_format)


# ----------------------------------------------------------------- poolings


def _pooled(pool):
    def function(inputs, pool_size, strides=None, padding="valid", data_format=None):
        return pool(inputs, pool_size, strides, padding, data_format, rank=inputs.ndim - 2)

    return function


def _adaptive(pool):
    def function(inputs, output_size, data_format=None):
        return pool(inputs, output_size, data_format, rank=inputs.ndim - 2)

    return function


_ops("max_pool")(_pooled(pooling._max_pool))
_ops("average_pool")(_pooled(pooling._average_pool))
_ops("adaptive_max_pool")(_adaptive(pooling._adaptive_max))
_ops("adaptive_average_pool")(_adaptive(pooling._adaptive_average))


# ------------------------------------------------------- blocks of an image


def _one_order(channels, block_size, data_format):
    """Is there only one order of the channels? Where they come first it is not documented.

    TensorFlow puts the block before the channel in both formats; JAX and PyTorch the
    channel before the block where channels come first.
    """
    if arrays.channels_first(data_format) and channels > 1 and block_size > 1:
        raise Undocumented("the order of channels that come first is not documented")


@_ops("depth_to_space", integers=True)
def depth_to_space(x, block_size, data_format="channels_last"):
    """Channels become blocks of pixels; of a channel index, the block comes first."""
    y = arrays.to_channels_last(x, data_format)
    batch, height, width, depth = y.shape
    rest = depth // block_size**2
    _one_order(rest, block_size, data_format)
    y = y.reshape(batch, height, width, block_size, block_size, rest)
    y = y.transpose(0, 1, 3, 2, 4, 5)
    y = y.reshape(batch, height * block_size, width * block_size, rest)
    return arrays.from_channels_last(y, data_format)


@_ops("space_to_depth", integers=True)
def space_to_depth(x, block_size, data_format="channels_last"):
    """The inverse of ``depth_to_space``."""
    y = arrays.to_channels_last(x, data_format)
    batch, height, width, depth = y.shape
    _one_order(depth, block_size, data_format)
    rows, columns = height // block_size, width // block_size
    y = y.reshape(batch, rows, block_size, columns, block_size, depth)
    y = y.transpose(0, 1, 3, 2, 4, 5)
    y = y.reshape(batch, rows, columns, depth * block_size**2)
    return arrays.from_channels_last(y, data_format)


def _places(sizes, lengths, gaps, steps):
    """For each cell of the window, the slice of the image it meets."""
    for row in range(sizes[0]):
        for column in range(sizes[1]):
            yield (
                row * sizes[1] + column,
                (Ellipsis,)
                + tuple(
                    slice(cell * gap, cell * gap + (count - 1) * step + 1, step)
                    for cell, gap, count, step in zip((row, column), gaps, lengths, steps)
                ),
            )


def _patches(lengths, kernel_size, dilation, padding, stride):
    sizes = arrays.integers(kernel_size, 2, "kernel_size")
    gaps = arrays.integers(dilation, 2, "dilation")
    around = arrays.integers(padding, 2, "padding", minimum=0)
    steps = arrays.integers(stride, 2, "stride")
    counts = tuple(
        (length + 2 * pad - gap * (size - 1) - 1) // step + 1
        for length, pad, gap, size, step in zip(lengths, around, gaps, sizes, steps)
    )
    return sizes, gaps, around, steps, counts


@_ops("unfold")
def unfold(x, kernel_size, dilation=1, padding=0, stride=1):
    """(N, C, H, W) to (N, C * window, patches)."""
    sizes, gaps, around, steps, counts = _patches(
        x.shape[2:], kernel_size, dilation, padding, stride
    )
    padded = np.pad(x, [(0, 0), (0, 0)] + [(pad, pad) for pad in around], mode="constant")
    y = np.zeros(x.shape[:2] + (sizes[0] * sizes[1],) + counts)
    for cell, place in _places(sizes, counts, gaps, steps):
        y[:, :, cell] = padded[place]
    return y.reshape(x.shape[0], x.shape[1] * sizes[0] * sizes[1], counts[0] * counts[1])


@_ops("fold")
def fold(x, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """The sum of all patches, each at its place."""
    lengths = arrays.integers(output_size, 2, "output_size")
    sizes, gaps, around, steps, counts = _patches(lengths, kernel_size, dilation, padding, stride)
    area = sizes[0] * sizes[1]
    if x.shape[1] % area or x.shape[2] != counts[0] * counts[1]:
        raise ValueError("expected %s patches of %d cells; received %s" % (counts, area, x.shape))
    patches = x.reshape((x.shape[0], x.shape[1] // area, area) + counts)
    y = np.zeros(patches.shape[:2] + tuple(n + 2 * p for n, p in zip(lengths, around)))
    for cell, place in _places(sizes, counts, gaps, steps):
        y[place] += patches[:, :, cell]
    return y[:, :, around[0] : around[0] + lengths[0], around[1] : around[1] + lengths[1]]
