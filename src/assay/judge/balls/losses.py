"""Formulas of losses: per sample as functions, reduced as objects."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb

from assay.ir import Array
from assay.judge.balls import arrays
from assay.judge.balls.arrays import Axis, each, reduced
from assay.judge.balls.registry import NoFormula, NoTruth, arraywise

#: ``keras.config.epsilon()``, unless it was configured.
EPSILON = 1e-7


def _reduce(values: Any, reduction: str | None, sample_weight: Any) -> Any:
    # Arithmetic makes a ball of an array without axes.
    values = np.asarray(values, dtype=object)
    if sample_weight is not None:
        if reduction == "mean_with_sample_weight":
            raise NoFormula("there is no formula for the reduction mean_with_sample_weight")
        values = np.asarray(values * arrays.as_balls(sample_weight), dtype=object)
    if reduction in ("none", None):
        return values
    if reduction == "sum":
        return reduced(arrays.total, values)
    if reduction in ("sum_over_batch_size", "mean", "mean_with_sample_weight"):
        return reduced(arrays.mean, values)
    raise ValueError(f"expected a reduction of losses; received {reduction!r}")


def loss(name: str, *functions: str) -> Callable[[Any], Any]:
    """Register a loss per sample as functions, and reduced under the name of its object."""

    def register(function: Any) -> Any:
        if functions:
            arraywise(*functions)(function)
        described = list(inspect.signature(function).parameters.values())
        keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
        described += [
            inspect.Parameter("reduction", keyword, default="sum_over_batch_size"),
            inspect.Parameter("sample_weight", keyword, default=None),
        ]

        def whole(*values: Any, **named: Any) -> Any:
            reduction = named.pop("reduction")
            sample_weight = named.pop("sample_weight")
            return _reduce(function(*values, **named), reduction, sample_weight)

        whole.__signature__ = inspect.Signature(described)  # type: ignore[attr-defined]
        arraywise(f"keras.losses.{name}")(whole)
        return function

    return register


def _mean(values: Array) -> Array:
    return reduced(arrays.mean, values, -1)


@loss("MeanSquaredError", "keras.losses.mean_squared_error")
def mean_squared_error(y_true: Array, y_pred: Array) -> Array:
    """Mean of squared differences over the last axis."""
    return _mean((y_pred - y_true) * (y_pred - y_true))


@loss("MeanAbsoluteError", "keras.losses.mean_absolute_error")
def mean_absolute_error(y_true: Array, y_pred: Array) -> Array:
    """Mean of absolute differences over the last axis."""
    return _mean(each(abs, y_pred - y_true))


@loss("MeanAbsolutePercentageError")
def mean_absolute_percentage_error(y_true: Array, y_pred: Array) -> Any:
    """Differences in percent of the labels, which are kept from zero."""
    kept = each(lambda ball: abs(ball).max(arb(EPSILON)), y_true)
    return _mean(each(abs, (y_true - y_pred) / kept)) * 100


@loss("MeanSquaredLogarithmicError")
def mean_squared_logarithmic_error(y_true: Array, y_pred: Array) -> Array:
    """Squared differences of log(1 + x), x at least epsilon."""
    first, second = (
        each(lambda ball: ball.max(arb(EPSILON)).log1p(), item) for item in (y_true, y_pred)
    )
    return _mean((first - second) * (first - second))


@loss("LogCosh")
def log_cosh(y_true: Array, y_pred: Array) -> Array:
    """log(cosh(difference))."""
    # log((exp(d) + exp(-d)) / 2), whose exponentials have no end for large d.
    return _mean(
        each(lambda d: abs(d) + (-2 * abs(d)).exp().log1p() - arb.const_log2(), y_pred - y_true)
    )


@loss("Huber")
def huber(y_true: Array, y_pred: Array, delta: float = 1.0) -> Array:
    """Half the square up to delta, a line beyond it."""

    def of(ball: arb) -> arb:
        # The square of what is within delta, plus a line for the rest: no choice is in doubt.
        inside = abs(ball).min(arb(delta))
        return inside * inside / 2 + (abs(ball) - inside) * arb(delta)

    return _mean(each(of, y_pred - y_true))


@loss("CosineSimilarity")
def cosine_similarity(y_true: Array, y_pred: Array, axis: Axis = -1) -> Any:
    """Minus the cosine of the angle."""
    lengths = [
        each(arrays.root, reduced(arrays.total, item * item, axis)) for item in (y_true, y_pred)
    ]
    if any(length.is_zero() for length in (*lengths[0].flat, *lengths[1].flat)):
        raise NoTruth("a vector of zeros has no direction")
    return -reduced(arrays.total, y_true * y_pred, axis) / (lengths[0] * lengths[1])


def _margins(y_true: Array, y_pred: Array) -> Array:
    """max(1 - y_true * y_pred, 0), labels 0 and 1 as -1 and 1."""
    if all(label == 0 or label == 1 for label in y_true.flat):
        y_true = y_true * 2 - 1
    return each(lambda ball: (1 - ball).max(arb(0)), y_true * y_pred)


@loss("Hinge")
def hinge(y_true: Array, y_pred: Array) -> Array:
    """Mean of the margins that are missed."""
    return _mean(_margins(y_true, y_pred))


@loss("SquaredHinge")
def squared_hinge(y_true: Array, y_pred: Array) -> Array:
    """Mean of their squares."""
    return _mean(each(lambda ball: ball * ball, _margins(y_true, y_pred)))


@loss("CategoricalHinge")
def categorical_hinge(y_true: Array, y_pred: Array) -> Array:
    """max(largest score of another class - score of the class + 1, 0)."""
    other = reduced(arrays.largest, (y_true * -1 + 1) * y_pred, -1)
    own = reduced(arrays.total, y_true * y_pred, -1)
    return each(lambda one, right: (one - right + 1).max(arb(0)), other, own)


@loss("KLDivergence")
def kl_divergence(y_true: Array, y_pred: Array) -> Array:
    """sum of y_true * log(y_true / y_pred), both within [epsilon, 1]."""
    first, second = (
        each(lambda ball: ball.max(arb(EPSILON)).min(arb(1)), item) for item in (y_true, y_pred)
    )
    return reduced(arrays.total, each(lambda p, q: p * (p / q).log(), first, second), -1)


@loss("Poisson")
def poisson(y_true: Array, y_pred: Array) -> Array:
    """y_pred - y_true * log(y_pred + epsilon)."""
    return _mean(each(lambda y, p: p - y * (p + arb(EPSILON)).log(), y_true, y_pred))
