"""Normalizations."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.registry import Undocumented, Unsupported, Weight, reference

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


def _batch_weights(x, axis, center, scale, renorm, **others):
    (channel,) = arrays.axes(axis, x.ndim)
    shape = (x.shape[channel],)
    names = ["moving_mean", "moving_variance"]
    if renorm:
        names += ["moving_stddev", "renorm_mean", "renorm_stddev"]
    return _scale_and_offset(shape, scale, center) + [Weight(n, shape, False) for n in names]


def _statistics(x, axes, mask):
    """Mean and variance over the axes, of what the mask keeps (its shape lacks channels)."""
    if mask is None:
        return x.mean(axis=axes), x.var(axis=axes)
    keep = mask[..., None] != 0
    count = np.sum(np.broadcast_to(keep, x.shape), axis=axes, dtype="float64")
    if not np.all(count):
        raise Undocumented("the mean of nothing is not documented")
    mean = np.sum(np.where(keep, x, 0.0), axis=axes) / count
    return mean, np.sum(np.where(keep, (x - mean) ** 2, 0.0), axis=axes) / count


@reference("keras.layers.BatchNormalization", weights=_batch_weights)
def batch_normalization(
    call, x, axis=-1, momentum=0.99, epsilon=0.001, center=True, scale=True, renorm=False, mask=None
):
    """Batch statistics in training, moving ones otherwise; training moves them."""
    if renorm and call.training:
        raise Unsupported("the reference does not know how batch renormalization is trained")
    chosen = arrays.axes(axis, x.ndim)
    shape = _along(x, chosen)
    mean, variance = call.weights["moving_mean"], call.weights["moving_variance"]
    if call.training:
        others = tuple(item for item in range(x.ndim) if item not in chosen)
        if mask is not None and chosen != (x.ndim - 1,):
            raise Undocumented("a mask of channels that are not last is not documented")
        batch_mean, batch_variance = _statistics(x, others, mask)
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


def _groups(x, groups, axis):
    (channel,) = arrays.axes(axis, x.ndim)
    length = x.shape[channel]
    if not isinstance(groups, int) or groups == 0 or groups < -1:
        raise ValueError("expected groups to be positive or -1; received %r" % (groups,))
    groups = length if groups == -1 else groups
    if length % groups:
        raise ValueError("expected groups to divide %d channels; received %d" % (length, groups))
    return channel, groups


def _group_weights(x, groups, axis, center, scale, **others):
    channel, _ = _groups(x, groups, axis)
    return _scale_and_offset((x.shape[channel],), scale, center)


@reference("keras.layers.GroupNormalization", weights=_group_weights, integers=True)
def group_normalization(call, x, groups=32, axis=-1, epsilon=0.001, center=True, scale=True):
    """Zero mean and unit variance over a group of channels and all places, per sample."""
    _need_floats(x)
    channel, groups = _groups(x, groups, axis)
    moved = np.moveaxis(x, channel, 1)
    parts = moved.reshape((x.shape[0], groups, moved.shape[1] // groups) + moved.shape[2:])
    within = tuple(range(2, parts.ndim))
    mean, variance = parts.mean(axis=within, keepdims=True), parts.var(axis=within, keepdims=True)
    back = [
        np.moveaxis(np.broadcast_to(item, parts.shape).reshape(moved.shape), 1, channel)
        for item in (mean, variance)
    ]
    return _standardise(call, x, back[0], back[1], epsilon, _along(x, (channel,)))


def _root_weights(x, axis, **others):
    return [Weight("scale", tuple(x.shape[item] for item in arrays.axes(axis, x.ndim)))]


@reference("keras.layers.RMSNormalization", weights=_root_weights, integers=True)
def rms_normalization(call, x, axis=-1, epsilon=1e-6):
    """x / sqrt(mean(x squared) + epsilon) * scale."""
    _need_floats(x)
    chosen = arrays.axes(axis, x.ndim)
    mean = np.mean(x * x, axis=chosen, keepdims=True)
    return x / np.sqrt(mean + epsilon) * call.weights["scale"].reshape(_along(x, chosen))
