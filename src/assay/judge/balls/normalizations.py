"""Formulas of normalizations, as functions and as layers on given weights; attention; merging."""

import functools
from typing import Any

import numpy as np
from flint import arb

from assay.ir import Array
from assay.judge.balls import arrays
from assay.judge.balls.arrays import Axis, along, each, reduced
from assay.judge.balls.products import matmul
from assay.judge.balls.reductions import softmax_of
from assay.judge.balls.registry import NoFormula, arraywise

#: ``keras.config.epsilon()``, unless it was configured.
_EPSILON = 1e-7


def _standard(x: Array, mean: Any, variance: Any, epsilon: float) -> Any:
    """(x - mean) / sqrt(variance + epsilon)."""
    return (x - mean) / each(arrays.root, variance + arb(epsilon))


def _over(x: Array, axis: Axis, epsilon: float) -> Any:
    mean = reduced(arrays.mean, x, axis, True)
    return _standard(x, mean, reduced(arrays.variance, x, axis, True), epsilon)


def _scaled(y: Array, scale: Any, offset: Any, axis: Axis) -> Array:
    y = y if scale is None else y * along(scale, y, axis)
    return y if offset is None else y + along(offset, y, axis)


@arraywise("keras.ops.layer_normalization")
def layer_normalization(
    x: Array, gamma: Any = None, beta: Any = None, axis: Axis = -1, epsilon: float | None = None
) -> Array:
    """Zero mean and unit variance over the axes, then gamma and beta."""
    return _scaled(_over(x, axis, _EPSILON if epsilon is None else epsilon), gamma, beta, axis)


@arraywise("keras.layers.LayerNormalization")
def layer_normalization_layer(
    weights: Any,
    x: Array,
    axis: Axis = -1,
    epsilon: float = 0.001,
    center: bool = True,
    scale: bool = True,
) -> Array:
    """The same with weights gamma and beta."""
    return _scaled(_over(x, axis, epsilon), weights.get("gamma"), weights.get("beta"), axis)


def _by_root(x: Array, scale: Any, axis: Axis, epsilon: float) -> Array:
    squares = reduced(arrays.mean, x * x, axis, True)
    return _scaled(x / each(arrays.root, squares + arb(epsilon)), scale, None, axis)


@arraywise("keras.ops.rms_normalization")
def rms_normalization(
    x: Array, scale: Any = None, axis: Axis = -1, epsilon: float | None = None
) -> Array:
    """x / sqrt(mean(x * x) + epsilon) * scale."""
    return _by_root(x, scale, axis, _EPSILON if epsilon is None else epsilon)


@arraywise("keras.layers.RMSNormalization")
def rms_normalization_layer(
    weights: Any, x: Array, axis: Axis = -1, epsilon: float = 1e-6
) -> Array:
    """The same with the weight scale."""
    return _by_root(x, weights.get("scale"), axis, epsilon)


@arraywise("keras.ops.batch_normalization")
def batch_normalization(
    x: Array,
    mean: Array,
    variance: Array,
    axis: int,
    offset: Any = None,
    scale: Any = None,
    epsilon: float = 1e-3,
) -> Array:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, along one axis."""
    y = _standard(x, along(mean, x, axis), along(variance, x, axis), epsilon)
    return _scaled(y, scale, offset, axis)


@arraywise("keras.layers.BatchNormalization")
def batch_normalization_layer(
    weights: Any,
    x: Array,
    axis: int = -1,
    momentum: float = 0.99,
    epsilon: float = 0.001,
    center: bool = True,
    scale: bool = True,
    renorm: bool = False,
) -> Array:
    """The same with the moving mean and variance, as when not training."""
    moved = along(weights["moving_mean"], x, axis), along(weights["moving_variance"], x, axis)
    return _scaled(_standard(x, *moved, epsilon), weights.get("gamma"), weights.get("beta"), axis)


@arraywise("keras.layers.GroupNormalization")
def group_normalization(
    weights: Any,
    x: Array,
    groups: int = 32,
    axis: int = -1,
    epsilon: float = 0.001,
    center: bool = True,
    scale: bool = True,
) -> Array:
    """Zero mean and unit variance over a group of channels and all places, per sample."""
    moved = np.moveaxis(x, axis, 1)
    count = moved.shape[1] if groups == -1 else groups
    if moved.shape[1] % count:
        raise ValueError(f"expected groups to divide {moved.shape[1]} channels; received {groups}")
    parts = moved.reshape((len(x), count, moved.shape[1] // count, *moved.shape[2:]))
    within = tuple(range(2, parts.ndim))
    y = np.moveaxis(_over(parts, within, epsilon).reshape(moved.shape), 1, axis)
    return _scaled(y, weights.get("gamma"), weights.get("beta"), axis)


@arraywise("keras.layers.PReLU")
def prelu(weights: Any, x: Array, shared_axes: Any = None) -> Array:
    """x, or alpha * x below zero; alpha is a weight."""
    return each(_leaking, x, weights["alpha"])


def _leaking(ball: arb, slope: arb) -> arb:
    if ball >= 0:
        return ball
    return slope * ball if ball < 0 else arb.nan()


@arraywise("keras.ops.dot_product_attention")
def dot_product_attention(
    query: Array,
    key: Array,
    value: Array,
    scale: float | None = None,
    is_causal: bool = False,
    flash_attention: Any = None,
) -> Array:
    """softmax(query key' scale) value, of (batch, length, heads, width); one key per query head."""
    if key.shape[-2] != query.shape[-2]:
        raise NoFormula("there is no formula for attention with grouped heads")
    first, second, third = (np.moveaxis(item, -2, -3) for item in (query, key, value))
    factor = 1 / arb(query.shape[-1]).sqrt() if scale is None else arb(scale)
    scores = matmul(first, np.swapaxes(second, -1, -2)) * factor
    if not is_causal:
        return np.moveaxis(matmul(softmax_of(scores, -1), third), -3, -2)
    # Row i sees keys up to i only.
    shares = each(lambda _: arb(0), scores)
    for row in range(scores.shape[-2]):
        seen = min(row + 1, scores.shape[-1])
        shares[..., row, :seen] = softmax_of(scores[..., row, :seen], -1)
    return np.moveaxis(matmul(shares, third), -3, -2)


# ------------------------------------------------------------------------------- merging


def _merging(name: str, function: Any, sums: bool) -> None:
    @arraywise(f"keras.layers.{name}", sums=sums)
    def merged(xs: Any) -> Array:
        """Of a list of arrays, element by element."""
        return function(xs)  # type: ignore[no-any-return]


_merging("Add", lambda xs: functools.reduce(lambda one, other: one + other, xs), True)
_merging("Subtract", lambda xs: xs[0] - xs[1], True)
_merging("Average", lambda xs: functools.reduce(lambda a, b: a + b, xs) / len(xs), True)
_merging("Multiply", lambda xs: functools.reduce(lambda one, other: one * other, xs), False)
_merging("Maximum", lambda xs: each(lambda *items: arrays.largest(items), *xs), False)
_merging("Minimum", lambda xs: each(lambda *items: arrays.smallest(items), *xs), False)
