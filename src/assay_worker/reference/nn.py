"""The nn functions of ``keras.ops``.

Those that mean what an activation or a layer means are that function under
another path.
"""

import numpy as np

from assay_worker.reference import activations, arrays, losses
from assay_worker.reference.registry import Undocumented, reference

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
        raise Undocumented("the documentation does not say what an id without class becomes")


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
        raise Undocumented("where the labels of a sample are is documented for the last axis only")
    y = (inputs[..., None] == np.arange(num_classes)).any(axis=-2)
    return _kind(y.astype("float64"), dtype)


@_ops("polar")
def polar(abs_, angle):
    """abs (cos(angle) + i sin(angle))."""
    y = np.empty(np.broadcast(abs_, angle).shape, dtype="complex128")
    y.real, y.imag = abs_ * np.cos(angle), abs_ * np.sin(angle)
    return y
