"""Functions of ``keras.ops`` that move pixels between image, channels and patches."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.registry import Undocumented, reference


def _one_order(channels, block_size, data_format):
    """Is there only one order of the channels? Where they come first it is not documented.

    TensorFlow puts the block before the channel in both formats; JAX and PyTorch the
    channel before the block where channels come first.
    """
    if arrays.channels_first(data_format) and channels > 1 and block_size > 1:
        raise Undocumented("the order of channels that come first is not documented")


@reference("keras.ops.depth_to_space", integers=True)
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


@reference("keras.ops.space_to_depth", integers=True)
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


@reference("keras.ops.unfold")
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


@reference("keras.ops.fold")
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
