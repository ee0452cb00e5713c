"""Formulas of losses: per sample as functions, reduced as objects.

Logits have exact formulas. Probabilities are kept from 0 and 1 by ``keras.config.epsilon()``: which
number that is depends on the format, and there is no truth for probabilities that near.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb

from assay.ir import Array
from assay.judge.balls import arrays
from assay.judge.balls.activations import sigmoid, softplus
from assay.judge.balls.arrays import Axis, each, reduced
from assay.judge.balls.reductions import log_softmax_of
from assay.judge.balls.registry import NoFormula, NoTruth, arraywise

_EPSILON = 1e-7
#: What is between these is kept as it is in every format.
_NEAR_ZERO, _NEAR_ONE = 2.0 * _EPSILON, 1.0 - 2.0**-22


def _reduce(values: Array, reduction: str | None, sample_weight: Any) -> Any:
    if sample_weight is not None:
        if reduction == "mean_with_sample_weight":
            raise NoFormula("there is no formula for the reduction mean_with_sample_weight")
        values = values * arrays.as_balls(sample_weight)
    if reduction in ("none", None):
        return values
    if reduction == "sum":
        return reduced(arrays.total, values)
    if reduction in ("sum_over_batch_size", "mean", "mean_with_sample_weight"):
        return reduced(arrays.mean, values)
    raise ValueError(f"expected a reduction of losses; received {reduction!r}")


def _loss(name: str, *functions: str) -> Callable[[Any], Any]:
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


@_loss("MeanSquaredError", "keras.losses.mean_squared_error")
def mean_squared_error(y_true: Array, y_pred: Array) -> Array:
    """Mean of squared differences over the last axis."""
    return _mean((y_pred - y_true) * (y_pred - y_true))


@_loss("MeanAbsoluteError", "keras.losses.mean_absolute_error")
def mean_absolute_error(y_true: Array, y_pred: Array) -> Array:
    """Mean of absolute differences over the last axis."""
    return _mean(each(abs, y_pred - y_true))


@_loss("MeanAbsolutePercentageError")
def mean_absolute_percentage_error(y_true: Array, y_pred: Array) -> Any:
    """Differences in percent of the labels, which are kept from zero."""
    kept = each(lambda ball: abs(ball).max(arb(_EPSILON)), y_true)
    return _mean(each(abs, (y_true - y_pred) / kept)) * 100


@_loss("MeanSquaredLogarithmicError")
def mean_squared_logarithmic_error(y_true: Array, y_pred: Array) -> Array:
    """Squared differences of log(1 + x), x at least epsilon."""
    first, second = (
        each(lambda ball: ball.max(arb(_EPSILON)).log1p(), item) for item in (y_true, y_pred)
    )
    return _mean((first - second) * (first - second))


@_loss("LogCosh")
def log_cosh(y_true: Array, y_pred: Array) -> Array:
    """log(cosh(difference))."""
    # log((exp(d) + exp(-d)) / 2), whose exponentials have no end for large d.
    return _mean(
        each(lambda d: abs(d) + (-2 * abs(d)).exp().log1p() - arb.const_log2(), y_pred - y_true)
    )


@_loss("Huber")
def huber(y_true: Array, y_pred: Array, delta: float = 1.0) -> Array:
    """Half the square up to delta, a line beyond it."""

    def of(ball: arb) -> arb:
        # The square of what is within delta, plus a line for the rest: no choice is in doubt.
        inside = abs(ball).min(arb(delta))
        return inside * inside / 2 + (abs(ball) - inside) * arb(delta)

    return _mean(each(of, y_pred - y_true))


@_loss("CosineSimilarity")
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


@_loss("Hinge")
def hinge(y_true: Array, y_pred: Array) -> Array:
    """Mean of the margins that are missed."""
    return _mean(_margins(y_true, y_pred))


@_loss("SquaredHinge")
def squared_hinge(y_true: Array, y_pred: Array) -> Array:
    """Mean of their squares."""
    return _mean(each(lambda ball: ball * ball, _margins(y_true, y_pred)))


@_loss("CategoricalHinge")
def categorical_hinge(y_true: Array, y_pred: Array) -> Array:
    """max(largest score of another class - score of the class + 1, 0)."""
    other = reduced(arrays.largest, (y_true * -1 + 1) * y_pred, -1)
    own = reduced(arrays.total, y_true * y_pred, -1)
    return each(lambda one, right: (one - right + 1).max(arb(0)), other, own)


@_loss("KLDivergence")
def kl_divergence(y_true: Array, y_pred: Array) -> Array:
    """sum of y_true * log(y_true / y_pred), both within [epsilon, 1]."""
    first, second = (
        each(lambda ball: ball.max(arb(_EPSILON)).min(arb(1)), item) for item in (y_true, y_pred)
    )
    return reduced(arrays.total, each(lambda p, q: p * (p / q).log(), first, second), -1)


@_loss("Poisson")
def poisson(y_true: Array, y_pred: Array) -> Array:
    """y_pred - y_true * log(y_pred + epsilon)."""
    return _mean(each(lambda y, p: p - y * (p + arb(_EPSILON)).log(), y_true, y_pred))


# ------------------------------------------------------------------------- cross-entropies


def _smoothed(y_true: Array, label_smoothing: float, towards: arb) -> Any:
    if not label_smoothing:
        return y_true
    return y_true * (1 - arb(label_smoothing)) + arb(label_smoothing) * towards


def _probability(ball: arb) -> arb:
    if ball.is_finite() and not _NEAR_ZERO < ball < _NEAR_ONE:
        raise NoTruth("a probability near 0 or 1 is kept from it by an epsilon of the format")
    return ball


def _binary(y_true: Array, y_pred: Array, from_logits: bool) -> Array:
    def of(label: arb, output: arb) -> arb:
        if from_logits:
            return label * softplus(-output) + (1 - label) * softplus(output)
        p = _probability(output)
        return -label * p.log() - (1 - label) * (-p).log1p()

    return each(of, y_true, y_pred)


@arraywise("keras.ops.binary_crossentropy")
def binary_crossentropy_of_ops(target: Array, output: Array, from_logits: bool = False) -> Array:
    """-t log(p) - (1 - t) log(1 - p), each element for itself."""
    return _binary(target, output, from_logits)


@_loss("BinaryCrossentropy")
def binary_crossentropy(
    y_true: Array,
    y_pred: Array,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: Axis = -1,
) -> Array:
    """The mean of that over the axis."""
    labels = _smoothed(y_true, label_smoothing, arb(0.5))
    return reduced(arrays.mean, _binary(labels, y_pred, from_logits), axis)


def _log_probabilities(y_pred: Array, from_logits: bool, axis: Axis) -> Array:
    if from_logits:
        return log_softmax_of(y_pred, axis)
    shares = y_pred / reduced(arrays.total, y_pred, axis, True)
    return each(lambda ball: _probability(ball).log(), shares)


def _categorical(y_true: Array, y_pred: Array, from_logits: bool, axis: Axis) -> Array:
    terms = y_true * _log_probabilities(y_pred, from_logits, axis)
    return -reduced(arrays.total, terms, axis)


@arraywise("keras.ops.categorical_crossentropy")
def categorical_crossentropy_of_ops(
    target: Array, output: Array, from_logits: bool = False, axis: int = -1
) -> Array:
    """-sum of t log(p) over the classes."""
    return _categorical(target, output, from_logits, axis)


@_loss("CategoricalCrossentropy")
def categorical_crossentropy(
    y_true: Array,
    y_pred: Array,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Array:
    """The same with labels that are smoothed."""
    labels = _smoothed(y_true, label_smoothing, 1 / arb(y_true.shape[axis]))
    return _categorical(labels, y_pred, from_logits, axis)


def _chosen(values: Array, y_true: Array, axis: int) -> Array:
    places = np.moveaxis(values, axis, -1)
    found = np.empty(places.shape[:-1], dtype=object)
    labels: Any = y_true.reshape(found.shape)
    for place in np.ndindex(found.shape):
        label = int(labels[place].fmpz())
        if not 0 <= label < places.shape[-1]:
            raise NoTruth(f"the label {label} is none of {places.shape[-1]} classes")
        found[place] = places[place][label]
    return found


@arraywise("keras.ops.sparse_categorical_crossentropy")
def sparse_categorical_crossentropy_of_ops(
    target: Array, output: Array, from_logits: bool = False, axis: int = -1
) -> Array:
    """-log(p) of the class that is the label."""
    return -_chosen(_log_probabilities(output, from_logits, axis), target, axis)


@_loss("SparseCategoricalCrossentropy")
def sparse_categorical_crossentropy(
    y_true: Array, y_pred: Array, from_logits: bool = False, axis: int = -1
) -> Array:
    """The same."""
    return -_chosen(_log_probabilities(y_pred, from_logits, axis), y_true, axis)


# --------------------------------------------------------------------- focal and overlapping


def _power(ball: arb, exponent: float) -> arb:
    """What is not negative to a power; 0 to the power of 0 is 1."""
    kept = ball.nonnegative_part()
    whole = int(exponent)
    return kept**whole if whole == exponent else kept ** arb(exponent)


@_loss("BinaryFocalCrossentropy")
def binary_focal_crossentropy(
    y_true: Array,
    y_pred: Array,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: Axis = -1,
) -> Array:
    """Binary cross entropy, where easy examples count less."""
    labels = _smoothed(y_true, label_smoothing, arb(0.5))

    def of(label: arb, output: arb, term: arb) -> arb:
        p = sigmoid(output) if from_logits else output
        focus = _power(1 - (label * p + (1 - label) * (1 - p)), gamma)
        share = label * alpha + (1 - label) * (1 - arb(alpha)) if apply_class_balancing else arb(1)
        return share * focus * term

    terms = each(of, labels, y_pred, _binary(labels, y_pred, from_logits))
    return reduced(arrays.mean, terms, axis)


@_loss("CategoricalFocalCrossentropy")
def categorical_focal_crossentropy(
    y_true: Array,
    y_pred: Array,
    alpha: Any = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Array:
    """Categorical cross entropy, where easy examples count less."""
    labels = _smoothed(y_true, label_smoothing, 1 / arb(y_true.shape[axis]))
    weights = arrays.as_balls(alpha)
    weights = arrays.along(weights, y_pred, axis) if weights.ndim else weights
    logarithms = _log_probabilities(y_pred, from_logits, axis)
    focus = each(lambda ball: _power(-ball.expm1(), gamma), logarithms)
    return -reduced(arrays.total, weights * focus * labels * logarithms, axis)


@_loss("CategoricalGeneralizedCrossEntropy")
def categorical_generalized_cross_entropy(y_true: Array, y_pred: Array, q: float = 0.5) -> Any:
    """(1 - p**q) / q for the probability p of the label."""
    return each(lambda p: (1 - _power(p, q)) / arb(q), _chosen(y_pred, y_true, -1))


def _quotient(part: Any, whole: Any) -> Array:
    if any(ball.is_zero() for ball in np.asarray(whole, dtype=object).flat):
        raise NoTruth("0 / 0 is not documented")
    return each(lambda one, other: 1 - one / other, part, whole)


@_loss("Dice")
def dice(y_true: Array, y_pred: Array, axis: Axis = None) -> Array:
    """1 - 2 sum(y p) / (sum(y) + sum(p))."""
    both = reduced(arrays.total, y_true * y_pred, axis)
    return _quotient(both * 2, reduced(arrays.total, y_true + y_pred, axis))


@_loss("Tversky")
def tversky(
    y_true: Array, y_pred: Array, alpha: float = 0.5, beta: float = 0.5, axis: Axis = None
) -> Array:
    """1 - tp / (tp + alpha fp + beta fn) (Salehi et al., 2017)."""
    right = reduced(arrays.total, y_true * y_pred, axis)
    excess = reduced(arrays.total, (y_true * -1 + 1) * y_pred, axis)
    lack = reduced(arrays.total, y_true * (y_pred * -1 + 1), axis)
    return _quotient(right, right + excess * arb(alpha) + lack * arb(beta))
