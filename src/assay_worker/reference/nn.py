"""The nn functions of ``keras.ops``.

Those that mean what an activation or a layer means are that function under
another path.
"""

import numpy as np

from assay_worker.reference import activations, arrays, convolution, losses, pooling, transposed
from assay_worker.reference.registry import Unsupported, reference

#: ``keras.config.epsilon()``, unless it was configured.
_EPSILON = 1e-7


def _ops(*names, **options):
    return reference(*["keras.ops." + name for name in names], **options)


# -------------------------------------------------------------- activations

for _name in (
    "celu", "elu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh",
    "leaky_relu", "log_sigmoid", "relu6", "selu", "sigmoid", "silu",
    "soft_shrink", "softplus", "softsign", "sparse_plus", "sparse_sigmoid", "sparsemax",
    "squareplus", "swish", "tanh_shrink", "threshold",
):  # fmt: skip
    _same = {"hard_swish": "hard_silu", "swish": "silu"}.get(_name, _name)
    _ops(_name)(getattr(activations, _same))


@_ops("gelu")
def gelu(x, approximate=True):
    """As the activation, with another default."""
    return activations.gelu(x, approximate)


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


# ----------------------------------------------------------- normalizations


@_ops("moments")
def moments(x, axes, keepdims=False, synchronized=False):
    """Mean and variance over the axes."""
    over = arrays.axes(axes, x.ndim)
    return x.mean(axis=over, keepdims=keepdims), x.var(axis=over, keepdims=keepdims)


@_ops("batch_normalization")
def batch_normalization(x, mean, variance, axis, offset=None, scale=None, epsilon=1e-3):
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, along one axis."""
    (along,) = arrays.axes(axis, x.ndim)
    shape = tuple(size if item == along else 1 for item, size in enumerate(x.shape))
    y = (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + epsilon)
    y = y if scale is None else y * scale.reshape(shape)
    return y if offset is None else y + offset.reshape(shape)


def _shaped(weights, x, over):
    """Weights over some axes, lined up with ``x``."""
    return weights.reshape([size if axis in over else 1 for axis, size in enumerate(x.shape)])


@_ops("layer_normalization")
def layer_normalization(x, gamma=None, beta=None, axis=-1, epsilon=None):
    """Zero mean and unit variance over the axes, then gamma and beta."""
    over = arrays.axes(axis, x.ndim)
    epsilon = _EPSILON if epsilon is None else epsilon
    mean, variance = x.mean(axis=over, keepdims=True), x.var(axis=over, keepdims=True)
    y = (x - mean) / np.sqrt(variance + epsilon)
    y = y if gamma is None else y * _shaped(gamma, x, over)
    return y if beta is None else y + _shaped(beta, x, over)


@_ops("rms_normalization")
def rms_normalization(x, scale=None, axis=-1, epsilon=None):
    """x / sqrt(mean(x^2) + epsilon) * scale."""
    over = arrays.axes(axis, x.ndim)
    epsilon = _EPSILON if epsilon is None else epsilon
    y = x / np.sqrt((x * x).mean(axis=over, keepdims=True) + epsilon)
    return y if scale is None else y * _shaped(scale, x, over)


@_ops("normalize")
def normalize(x, axis=-1, order=2, epsilon=None):
    """x / max(norm, epsilon)."""
    if not isinstance(order, int) or order < 1:
        raise ValueError("expected order to be an integer of at least 1; received %r" % (order,))
    over = arrays.axes(axis, x.ndim)
    largest = np.max(np.abs(x), axis=over, keepdims=True) if x.size else 1.0
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    # Scaled, so that powers do not overflow.
    norm = scale * np.sum((np.abs(x) / scale) ** order, axis=over, keepdims=True) ** (1.0 / order)
    return x / np.maximum(norm, _EPSILON if epsilon is None else epsilon)


# ------------------------------------------------------------------- losses


@_ops("binary_crossentropy")
def binary_crossentropy(target, output, from_logits=False):
    """-t log(p) - (1 - t) log(1 - p), each element for itself."""
    return losses._binary_terms(target, output, from_logits)[0]


@_ops("categorical_crossentropy")
def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """-sum(t log(p)) over the classes."""
    return losses.categorical_crossentropy(target, output, from_logits, axis=axis)


@_ops("sparse_categorical_crossentropy", integers=True)
def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """-log(p) of the class that is the label."""
    return losses.sparse_categorical_crossentropy(target, output, from_logits, axis=axis)[0]


@_ops("psnr")
def psnr(x1, x2, max_val):
    """20 log10(max_val) - 10 log10(mean squared error)."""
    return 20.0 * np.log10(max_val) - 10.0 * np.log10(np.mean((x1 - x2) ** 2))


# ---------------------------------------------------------------- encodings


def _needs_ids(ids, count):
    if np.any((ids < 0) | (ids >= count)):
        raise Unsupported("the documentation does not say what an id without class becomes")


def _kind(y, dtype):
    return y if dtype is None or "float" in dtype else y.astype(dtype)


@_ops("one_hot", integers=True)
def one_hot(x, num_classes, axis=-1, dtype=None, sparse=False):
    """A new axis with 1 at the place of the id."""
    _needs_ids(x, num_classes)
    y = (x[..., None] == np.arange(num_classes)).astype("float64")
    return _kind(np.moveaxis(y, -1, axis), dtype)


@_ops("multi_hot", integers=True)
def multi_hot(inputs, num_classes=None, axis=-1, dtype=None, sparse=False):
    """1 at the places of all ids of a sample."""
    _needs_ids(inputs, num_classes)
    if axis != -1:
        raise Unsupported("where the labels of a sample are is documented for the last axis only")
    y = (inputs[..., None] == np.arange(num_classes)).any(axis=-2)
    return _kind(y.astype("float64"), dtype)


# ---------------------------------------------------------------- attention


@_ops("dot_product_attention")
def dot_product_attention(
    query,
    key,
    value,
    bias=None,
    mask=None,
    scale=None,
    is_causal=False,
    flash_attention=None,
    attn_logits_soft_cap=None,
):
    """softmax(scale * query key + bias) value, over the keys that may be seen."""
    if flash_attention or attn_logits_soft_cap is not None:
        raise Unsupported("not supported on the CPU")
    groups = query.shape[2] // key.shape[2]
    key, value = np.repeat(key, groups, axis=2), np.repeat(value, groups, axis=2)
    scale = 1.0 / np.sqrt(query.shape[-1]) if scale is None else scale
    logits = scale * np.einsum("btnh,bsnh->bnts", query, key)
    if bias is not None:
        logits = logits + bias
    seen = np.ones(logits.shape, dtype=bool)
    if mask is not None:
        seen = seen & (mask != 0)
    if is_causal:
        seen = seen & np.tri(*logits.shape[-2:], dtype=bool)
    if not seen.any(axis=-1).all():
        raise Unsupported("attention to nothing has no defined value")
    if not np.isfinite(logits[~seen]).all():
        raise Unsupported("whether unseen infinities count is not documented")
    weights = activations.softmax(np.where(seen, logits, -np.inf))
    return np.einsum("bnts,bsnh->btnh", weights, value)


# ---------------------------------------------------------------------- CTC


def _label_cost(logs, labels, blank):
    """-log of the probability of all alignments of the labels (Graves et al., 2006)."""
    extended = np.full(2 * len(labels) + 1, blank)
    extended[1::2] = labels
    state = np.full(len(extended), -np.inf)
    state[:2] = logs[0, extended[:2]]
    # A blank may be skipped between two different labels.
    skip = np.zeros(len(extended), dtype=bool)
    skip[2:] = (extended[2:] != blank) & (extended[2:] != extended[:-2])
    for frame in logs[1:]:
        before = np.concatenate([[-np.inf], state[:-1]])
        skipped = np.where(skip, np.concatenate([[-np.inf] * 2, state])[: len(state)], -np.inf)
        state = np.logaddexp(np.logaddexp(state, before), skipped) + frame[extended]
    return -np.logaddexp.reduce(state[-2:])


@_ops("ctc_loss", integers=True)
def ctc_loss(target, output, target_length, output_length, mask_index=0):
    """For each sample the cost of its labels."""
    logs = activations.log_softmax(output)
    costs = [
        _label_cost(logs[i, : output_length[i]], target[i, : target_length[i]], mask_index)
        for i in range(len(target))
    ]
    return np.asarray(costs, dtype="float64").reshape((len(target),))


@_ops("ctc_decode", integers=True)
def ctc_decode(
    inputs,
    sequence_lengths,
    strategy="greedy",
    beam_width=100,
    top_paths=1,
    merge_repeated=True,
    mask_index=0,
):
    """The best class of each step, without repetitions and blanks; -1 fills the rest."""
    if strategy != "greedy":
        raise Unsupported("the reference has no beam search")
    ordered = np.sort(inputs, axis=-1)
    if np.any(ordered[..., -1:] == ordered[..., -2:-1]) and inputs.shape[-1] > 1:
        raise Unsupported("which of two equal classes is taken is not documented")
    best = inputs.argmax(axis=-1)
    decoded = np.full(best.shape, -1, dtype="int32")
    scores = np.zeros((len(inputs), 1))
    for i, length in enumerate(sequence_lengths):
        row = best[i, :length]
        scores[i, 0] = -inputs[i, :length].max(axis=-1).sum()
        if merge_repeated:
            row = row[np.concatenate([[True], row[1:] != row[:-1]])]
        row = row[row != mask_index]
        decoded[i, : len(row)] = row
    return decoded[None], scores


# ------------------------------------------------------- blocks of an image




@_ops("depth_to_space", integers=True)
def depth_to_space(x, block_size, data_format="channels_last"):
    """Channels become blocks of pixels; of a channel index, the block comes first."""
    y = arrays.to_channels_last(x, data_format)
    batch, height, width, depth = y.shape
    rest = depth // block_size**2
    if arrays.channels_first(data_format):
        # As pixel shuffle: the channel comes first.
        y = y.reshape(batch, height, width, rest, block_size, block_size)
        y = y.transpose(0, 1, 4, 2, 5, 3)
    else:
        y = y.reshape(batch, height, width, block_size, block_size, rest)
        y = y.transpose(0, 1, 3, 2, 4, 5)
    y = y.reshape(batch, height * block_size, width * block_size, rest)
    return arrays.from_channels_last(y, data_format)


@_ops("space_to_depth", integers=True)
def space_to_depth(x, block_size, data_format="channels_last"):
    """The inverse of ``depth_to_space``."""
    y = arrays.to_channels_last(x, data_format)
    batch, height, width, depth = y.shape
    rows, columns = height // block_size, width // block_size
    y = y.reshape(batch, rows, block_size, columns, block_size, depth)
    first = arrays.channels_first(data_format)
    y = y.transpose((0, 1, 3, 5, 2, 4) if first else (0, 1, 3, 2, 4, 5))
    y = y.reshape(batch, rows, columns, depth * block_size**2)
    return arrays.from_channels_last(y, data_format)


def _places(sizes, lengths, gaps, steps):
    """For each cell of the window, the slice of the image it meets."""
    for row in range(sizes[0]):
        for column in range(sizes[1]):
            yield row * sizes[1] + column, (Ellipsis,) + tuple(
                slice(cell * gap, cell * gap + (count - 1) * step + 1, step)
                for cell, gap, count, step in zip((row, column), gaps, lengths, steps)
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


@_ops("polar")
def polar(abs_, angle):
    """abs (cos(angle) + i sin(angle))."""
    y = np.empty(np.broadcast(abs_, angle).shape, dtype="complex128")
    y.real, y.imag = abs_ * np.cos(angle), abs_ * np.sin(angle)
    return y


