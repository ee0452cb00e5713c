"""Normalizations of ``keras.ops``."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.registry import reference

#: ``keras.config.epsilon()``, unless it was configured.
_EPSILON = 1e-7


@reference("keras.ops.moments")
def moments(x, axes, keepdims=False, synchronized=False):
    """Mean and variance over the axes."""
    over = arrays.axes(axes, x.ndim)
    return x.mean(axis=over, keepdims=keepdims), x.var(axis=over, keepdims=keepdims)


@reference("keras.ops.batch_normalization")
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


@reference("keras.ops.layer_normalization")
def layer_normalization(x, gamma=None, beta=None, axis=-1, epsilon=None):
    """Zero mean and unit variance over the axes, then gamma and beta."""
    over = arrays.axes(axis, x.ndim)
    epsilon = _EPSILON if epsilon is None else epsilon
    mean, variance = x.mean(axis=over, keepdims=True), x.var(axis=over, keepdims=True)
    y = (x - mean) / np.sqrt(variance + epsilon)
    y = y if gamma is None else y * _shaped(gamma, x, over)
    return y if beta is None else y + _shaped(beta, x, over)


@reference("keras.ops.rms_normalization")
def rms_normalization(x, scale=None, axis=-1, epsilon=None):
    """x / sqrt(mean(x^2) + epsilon) * scale."""
    over = arrays.axes(axis, x.ndim)
    epsilon = _EPSILON if epsilon is None else epsilon
    y = x / np.sqrt((x * x).mean(axis=over, keepdims=True) + epsilon)
    return y if scale is None else y * _shaped(scale, x, over)


@reference("keras.ops.normalize")
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
