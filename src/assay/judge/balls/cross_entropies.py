"""Formulas of cross-entropies, and of losses that count what two labellings have in common.

Logits have exact formulas. Probabilities are kept from 0 and 1 by ``keras.config.epsilon()``: which
number that is depends on the format, and there is no truth for probabilities that near.
"""

from typing import Any

import numpy as np
from flint import arb

from assay.ir import Array
from assay.judge.balls import arrays
from assay.judge.balls.activations import sigmoid, softplus
from assay.judge.balls.arrays import Axis, each, reduced
from assay.judge.balls.losses import EPSILON, loss
from assay.judge.balls.reductions import log_softmax_of
from assay.judge.balls.registry import NoTruth, arraywise

#: What is between these is kept as it is in every format.
_NEAR_ZERO, _NEAR_ONE = 2.0 * EPSILON, 1.0 - 2.0**-22


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


@loss("BinaryCrossentropy")
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
@loss("CategoricalCrossentropy")
def categorical_crossentropy(
    y_true: Array,
    y_pred: Array,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Array:
    """-sum of t log(p) over the classes, of labels that may be smoothed."""
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
@loss("SparseCategoricalCrossentropy")
def sparse_categorical_crossentropy(
    y_true: Array, y_pred: Array, from_logits: bool = False, axis: int = -1
) -> Array:
    """-log(p) of the class that is the label."""
    return -_chosen(_log_probabilities(y_pred, from_logits, axis), y_true, axis)


# --------------------------------------------------------------------- focal and overlapping


def _power(ball: arb, exponent: float) -> arb:
    """What is not negative to a power; 0 to the power of 0 is 1."""
    kept = ball.nonnegative_part()
    whole = int(exponent)
    return kept**whole if whole == exponent else kept ** arb(exponent)


@loss("BinaryFocalCrossentropy")
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


@loss("CategoricalFocalCrossentropy")
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


@loss("CategoricalGeneralizedCrossEntropy")
def categorical_generalized_cross_entropy(y_true: Array, y_pred: Array, q: float = 0.5) -> Any:
    """(1 - p**q) / q for the probability p of the label."""
    return each(lambda p: (1 - _power(p, q)) / arb(q), _chosen(y_pred, y_true, -1))


def _quotient(part: Any, whole: Any) -> Array:
    if any(ball.is_zero() for ball in np.asarray(whole, dtype=object).flat):
        raise NoTruth("0 / 0 is not documented")
    return each(lambda one, other: 1 - one / other, part, whole)


@loss("Dice")
def dice(y_true: Array, y_pred: Array, axis: Axis = None) -> Array:
    """1 - 2 sum(y p) / (sum(y) + sum(p))."""
    both = reduced(arrays.total, y_true * y_pred, axis)
    return _quotient(both * 2, reduced(arrays.total, y_true + y_pred, axis))


@loss("Tversky")
def tversky(
    y_true: Array, y_pred: Array, alpha: float = 0.5, beta: float = 0.5, axis: Axis = None
) -> Array:
    """1 - tp / (tp + alpha fp + beta fn) (Salehi et al., 2017)."""
    right = reduced(arrays.total, y_true * y_pred, axis)
    excess = reduced(arrays.total, (y_true * -1 + 1) * y_pred, axis)
    lack = reduced(arrays.total, y_true * (y_pred * -1 + 1), axis)
    return _quotient(right, right + excess * arb(alpha) + lack * arb(beta))
