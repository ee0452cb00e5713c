"""Normalizations."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.registry import Unsupported, Weight, reference

#: Documented lower bound of the norm in ``keras.ops.normalize``.
_SMALLEST_NORM = 1e-12


def _scale_and_offset(shape, scale, center):
    weights = [Weight("gamma", shape)] if scale else []
    return weights + ([Weight("beta", shape)] if center else [])


def _standardise(call, x, mean, variance, epsilon, shape):
    """gamma * (x - mean) / sqrt(variance + epsilon) + beta, whichever of the two exist."""
    y = (x - mean) / np.sqrt(variance + epsilon)
    if "gamma" in call.weights:
        y = y * call.weights["gamma"].reshape(shape)
    if "beta" in call.weights:
        y = y + call.weights["beta"].reshape(shape)
    return y


def _along(x, chosen):
    """The shape that lines weights over the chosen axes up with ``x``."""
    return tuple(size if axis in chosen else 1 for axis, size in enumerate(x.shape))


def _need_floats(x):
    # The documentation does not say in which dtype integers are normalized.
    if x.dtype.kind != "f":
        raise Unsupported("the reference normalizes floats only; received %s" % x.dtype.name)


def _batch_weights(x, axis, center, scale, **others):
    (channel,) = arrays.axes(axis, x.ndim)
    shape = (x.shape[channel],)
    return _scale_and_offset(shape, scale, center) + [
        Weight("moving_mean", shape, False),
        Weight("moving_variance", shape, False),
    ]


@reference("keras.layers.BatchNormalization", weights=_batch_weights)
def batch_normalization(
    call, x, axis=-1, momentum=0.99, epsilon=0.001, center=True, scale=True, renorm=False
):
    """Batch statistics in training, moving ones otherwise; training moves them."""
    if renorm:
        raise Unsupported(
            "reference does not know parameter renorm of keras.layers.BatchNormalization"
        )
    chosen = arrays.axes(axis, x.ndim)
    shape = _along(x, chosen)
    mean, variance = call.weights["moving_mean"], call.weights["moving_variance"]
    if call.training:
        others = tuple(item for item in range(x.ndim) if item not in chosen)
        batch_mean, batch_variance = x.mean(axis=others), x.var(axis=others)
        call.state["moving_mean"] = mean * momentum + batch_mean * (1 - momentum)
        call.state["moving_variance"] = variance * momentum + batch_variance * (1 - momentum)
        mean, variance = batch_mean, batch_variance
    return _standardise(call, x, mean.reshape(shape), variance.reshape(shape), epsilon, shape)


def _layer_weights(x, axis, center, scale, **others):
    shape = tuple(x.shape[item] for item in arrays.axes(axis, x.ndim))
    return _scale_and_offset(shape, scale, center)


@reference("keras.layers.LayerNormalization", weights=_layer_weights, integers=True)
def layer_normalization(call, x, axis=-1, epsilon=0.001, center=True, scale=True):
    """Zero mean and unit variance over the axes, for each of the rest."""
    _need_floats(x)
    chosen = arrays.axes(axis, x.ndim)
    mean = x.mean(axis=chosen, keepdims=True)
    variance = x.var(axis=chosen, keepdims=True)
    return _standardise(call, x, mean, variance, epsilon, _along(x, chosen))


@reference("keras.layers.UnitNormalization", integers=True)
def unit_normalization(x, axis=-1):
    """x / max(L2 norm, 1e-12)."""
    _need_floats(x)
    norm = np.sqrt(np.sum(x * x, axis=arrays.axes(axis, x.ndim), keepdims=True))
    return x / np.maximum(norm, _SMALLEST_NORM)
