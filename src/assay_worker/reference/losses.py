"""Losses: per sample as functions, reduced as objects.

Formulas are those of the documentation. Probabilities are kept from 0 and 1 by
``EPSILON`` (documented as ``keras.backend.epsilon()``), in float32, in which
losses compute; logits need no such thing, so there the formula is evaluated
without losing digits.
"""

import inspect

import numpy as np
from scipy import special

from assay_worker.reference import arrays
from assay_worker.reference.registry import Undocumented, Unsupported, reference

EPSILON = 1e-7
ALMOST_ONE = float(np.float32(1.0 - EPSILON))


def _reduced(values, reduction, sample_weight):
    if sample_weight is not None:
        values = values * sample_weight
    if reduction in ("none", None):
        return values
    if reduction == "sum":
        return np.sum(values)
    if reduction in ("sum_over_batch_size", "mean", "mean_with_sample_weight"):
        if reduction == "mean_with_sample_weight" and sample_weight is not None:
            # "divides by the sum of the sample weights", as they were given.
            total = np.sum(sample_weight)
            return np.sum(values) / total if total else np.zeros(())
        return np.mean(values)
    raise ValueError("expected a reduction of losses; received %r" % (reduction,))


def _object(name):
    """Register the function as an object too: its parameters, a reduction, sample weights."""

    def register(function):
        described = list(inspect.signature(function).parameters.values())
        keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
        described += [
            inspect.Parameter("reduction", keyword, default="sum_over_batch_size"),
            inspect.Parameter("sample_weight", keyword, default=None),
        ]

        def reduced(reduction="sum_over_batch_size", sample_weight=None, **values):
            return _reduced(function(**values), reduction, sample_weight)

        reduced.__signature__ = inspect.Signature(described)
        reference("keras.losses." + name)(reduced)
        return function

    return register


def _same_rank(y_true, y_pred):
    if y_true.ndim != y_pred.ndim:
        raise Unsupported("the reference has no loss for labels of another rank than predictions")


def _last_mean(values):
    return np.mean(values, axis=-1)


@_object("MeanSquaredError")
@reference("keras.losses.mean_squared_error")
def mean_squared_error(y_true, y_pred):
    """Mean of squared differences over the last axis."""
    _same_rank(y_true, y_pred)
    return _last_mean((y_pred - y_true) ** 2)


@_object("MeanAbsoluteError")
@reference("keras.losses.mean_absolute_error")
def mean_absolute_error(y_true, y_pred):
    """Mean of absolute differences over the last axis."""
    _same_rank(y_true, y_pred)
    return _last_mean(np.abs(y_pred - y_true))


@_object("MeanAbsolutePercentageError")
def mean_absolute_percentage_error(y_true, y_pred):
    """Differences in percent of the labels, which are kept from zero."""
    return 100.0 * _last_mean(np.abs((y_true - y_pred) / np.maximum(np.abs(y_true), EPSILON)))


@_object("MeanSquaredLogarithmicError")
def mean_squared_logarithmic_error(y_true, y_pred):
    """Squared differences of log(x + 1), x at least epsilon."""
    first, second = [np.log1p(np.maximum(x, EPSILON)) for x in (y_true, y_pred)]
    return _last_mean((first - second) ** 2)


@_object("LogCosh")
def log_cosh(y_true, y_pred):
    """log(cosh(difference))."""
    size = np.abs(y_pred - y_true)
    return _last_mean(size + np.log1p(np.exp(-2.0 * size)) - np.log(2.0))


@_object("Huber")
def huber(y_true, y_pred, delta=1.0):
    """Half the square up to delta, a line beyond it."""
    size = np.abs(y_pred - y_true)
    linear = delta * size - 0.5 * delta**2
    return _last_mean(np.where(size <= delta, 0.5 * size * size, linear))


def unit(x, axis):
    """Vectors along an axis with length one; a zero vector stays zero."""
    length = np.sqrt(np.sum(x * x, axis=axis, keepdims=True))
    return np.where(length == 0.0, 0.0, x / np.where(length == 0.0, 1.0, length))


@_object("CosineSimilarity")
def cosine_similarity(y_true, y_pred, axis=-1):
    """Minus the cosine of the angle; 0 for a zero vector."""
    return -np.sum(unit(y_true, axis) * unit(y_pred, axis), axis=axis)


def _as_signs(y_true):
    """-1 and 1; labels that are all 0 or 1 are converted."""
    if np.all((y_true == 0) | (y_true == 1)):
        return 2.0 * y_true - 1.0
    return y_true


@_object("Hinge")
def hinge(y_true, y_pred):
    """max(1 - y_true * y_pred, 0)."""
    return _last_mean(np.maximum(1.0 - _as_signs(y_true) * y_pred, 0.0))


@_object("SquaredHinge")
def squared_hinge(y_true, y_pred):
    """Its square."""
    return _last_mean(np.maximum(1.0 - _as_signs(y_true) * y_pred, 0.0) ** 2)


@_object("CategoricalHinge")
def categorical_hinge(y_true, y_pred):
    """max(largest score of another class - score of the class + 1, 0)."""
    if y_pred.size == 0:
        return np.zeros(y_pred.shape[:-1])
    other = np.max((1.0 - y_true) * y_pred, axis=-1)
    return np.maximum(other - np.sum(y_true * y_pred, axis=-1) + 1.0, 0.0)


@_object("KLDivergence")
def kl_divergence(y_true, y_pred):
    """sum of y_true * log(y_true / y_pred), both clipped to [epsilon, 1]."""
    y_true, y_pred = np.clip(y_true, EPSILON, 1.0), np.clip(y_pred, EPSILON, 1.0)
    return np.sum(y_true * np.log(y_true / y_pred), axis=-1)


@_object("Poisson")
def poisson(y_true, y_pred):
    """y_pred - y_true * log(y_pred + epsilon)."""
    return _last_mean(y_pred - y_true * np.log(y_pred + EPSILON))


def _times(weight, value):
    """A product where nothing times infinity is nothing."""
    return np.where(weight == 0.0, 0.0, weight * value)


def _binary_terms(y_true, y_pred, from_logits):
    """Cross entropy per element, and the probability of class 1."""
    if from_logits:
        positive, negative = np.logaddexp(0.0, -y_pred), np.logaddexp(0.0, y_pred)
        probability = special.expit(y_pred)
    else:
        probability = np.clip(y_pred, EPSILON, ALMOST_ONE)
        positive, negative = -np.log(probability), -np.log1p(-probability)
    return _times(y_true, positive) + _times(1.0 - y_true, negative), probability


def _need_smoothing(label_smoothing):
    if not 0.0 <= label_smoothing <= 1.0:
        raise Undocumented("label_smoothing is documented from 0 to 1")


@_object("BinaryCrossentropy")
def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    """Mean of -y log(p) - (1 - y) log(1 - p) over the axis; labels squeezed towards 0.5."""
    _need_smoothing(label_smoothing)
    y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    return np.mean(_binary_terms(y_true, y_pred, from_logits)[0], axis=axis)


@_object("BinaryFocalCrossentropy")
def binary_focal_crossentropy(
    y_true,
    y_pred,
    apply_class_balancing=False,
    alpha=0.25,
    gamma=2.0,
    from_logits=False,
    label_smoothing=0.0,
    axis=-1,
):
    """Binary cross entropy, where easy examples count less."""
    _need_smoothing(label_smoothing)
    y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    terms, probability = _binary_terms(y_true, y_pred, from_logits)
    if not from_logits:
        probability = y_pred  # the focal factor needs no distance from 0 and 1
    right = y_true * probability + (1.0 - y_true) * (1.0 - probability)
    terms = _times((1.0 - right) ** gamma, terms)
    if apply_class_balancing:
        terms = (y_true * alpha + (1.0 - y_true) * (1.0 - alpha)) * terms
    return np.mean(terms, axis=axis)


def _smoothed(y_true, label_smoothing, axis):
    """Labels (1 - s) * y + s / classes, with the classes along the axis."""
    _need_smoothing(label_smoothing)
    return y_true * (1.0 - label_smoothing) + label_smoothing / y_true.shape[axis]


def _log_probabilities(y_pred, from_logits, axis):
    """Logarithms of the class probabilities."""
    if from_logits:
        moved = y_pred - np.max(y_pred, axis=axis, keepdims=True) if y_pred.size else y_pred
        return moved - np.log(np.sum(np.exp(moved), axis=axis, keepdims=True))
    # Predictions "encode a distribution": what does not sum to one is made to.
    y_pred = y_pred / np.sum(y_pred, axis=axis, keepdims=True)
    return np.log(np.clip(y_pred, EPSILON, ALMOST_ONE))


@_object("CategoricalCrossentropy")
def categorical_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    """-sum of y log(p) over the classes."""
    y_true = _smoothed(y_true, label_smoothing, axis)
    return -np.sum(_times(y_true, _log_probabilities(y_pred, from_logits, axis)), axis=axis)


@_object("CategoricalFocalCrossentropy")
def categorical_focal_crossentropy(
    y_true, y_pred, alpha=0.25, gamma=2.0, from_logits=False, label_smoothing=0.0, axis=-1
):
    """Categorical cross entropy, where easy examples count less."""
    y_true = _smoothed(y_true, label_smoothing, axis)
    logarithms = _log_probabilities(y_pred, from_logits, axis)
    weights = np.asarray(alpha, dtype="float64")
    if weights.ndim:
        if weights.size != y_pred.shape[axis]:
            raise Undocumented("alpha is documented to have the length of the classes")
        shape = [1] * y_pred.ndim
        shape[axis] = weights.size
        weights = weights.reshape(shape)
    factor = weights * (1.0 - np.exp(logarithms)) ** gamma
    return -np.sum(_times(factor * y_true, logarithms), axis=axis)


def _chosen(values, y_true, axis):
    """The elements of ``values`` that integer labels name along the axis."""
    count = values.shape[axis]
    if np.any((y_true < 0) | (y_true >= count)):
        raise Undocumented("the documentation does not say what a label out of range means")
    index = np.expand_dims(y_true.astype("int64"), axis)
    return np.squeeze(np.take_along_axis(values, index, axis=axis), axis=axis)


def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False, ignore_class=None, axis=-1):
    """-log(p of the label), and which labels are not ignored; those have no loss."""
    axis = arrays.axes(axis, y_pred.ndim)[0]
    kept = np.ones(y_true.shape, dtype=bool) if ignore_class is None else y_true != ignore_class
    logarithms = _log_probabilities(y_pred, from_logits, axis)
    return np.where(kept, -_chosen(logarithms, np.where(kept, y_true, 0), axis), 0.0), kept


@reference("keras.losses.SparseCategoricalCrossentropy")
def sparse_categorical_crossentropy_object(
    y_true,
    y_pred,
    from_logits=False,
    ignore_class=None,
    reduction="sum_over_batch_size",
    axis=-1,
    sample_weight=None,
):
    """Reduced; a mean is over the labels that are not ignored."""
    losses, kept = sparse_categorical_crossentropy(y_true, y_pred, from_logits, ignore_class, axis)
    if reduction in ("sum_over_batch_size", "mean"):
        total = np.sum(losses if sample_weight is None else losses * sample_weight)
        return total / max(kept.sum(), 1)
    if reduction == "mean_with_sample_weight" and ignore_class is not None:
        sample_weight = kept * (1.0 if sample_weight is None else sample_weight)
    return _reduced(losses, reduction, sample_weight)


@_object("CategoricalGeneralizedCrossEntropy")
def categorical_generalized_cross_entropy(y_true, y_pred, q=0.5):
    """(1 - p ** q) / q for the probability p of the label."""
    if not 0.0 < q < 1.0:
        raise ValueError("expected q between 0 and 1; received %r" % (q,))
    return (1.0 - _chosen(y_pred, y_true, -1) ** q) / q


@_object("Dice")
def dice(y_true, y_pred, axis=None):
    """1 - 2 * sum(y p) / (sum(y) + sum(p))."""
    over = arrays.axes(axis, y_true.ndim)
    whole = np.sum(y_true, axis=over) + np.sum(y_pred, axis=over)
    if np.any(whole == 0.0):
        raise Undocumented("the documentation does not say what 0 / 0 is")
    return 1.0 - 2.0 * np.sum(y_true * y_pred, axis=over) / whole


@_object("Tversky")
def tversky(y_true, y_pred, alpha=0.5, beta=0.5, axis=None):
    """1 - tp / (tp + alpha * fp + beta * fn) (Salehi et al., 2017)."""
    over = arrays.axes(axis, y_true.ndim)
    right = np.sum(y_true * y_pred, axis=over)
    false_positive = np.sum((1.0 - y_true) * y_pred, axis=over)
    false_negative = np.sum(y_true * (1.0 - y_pred), axis=over)
    whole = right + alpha * false_positive + beta * false_negative
    if np.any(whole == 0.0):
        raise Undocumented("the documentation does not say what 0 / 0 is")
    return 1.0 - right / whole


@_object("Circle")
def circle(y_true, y_pred, gamma=80.0, margin=0.4, remove_diagonal=True):
    """softplus(logsumexp of negatives + logsumexp of positives) (Sun et al., 2020)."""
    similarity = y_pred @ y_pred.T
    same = y_true[:, None] == y_true[None, :]
    positive = same & ~np.eye(len(y_true), dtype=bool) if remove_diagonal else same
    if not (positive.any(axis=1) & ~same.all(axis=1)).all():
        raise Undocumented("a sample needs another one of its class and one of a different class")
    pull = -gamma * np.maximum(1.0 + margin - similarity, 0.0) * (similarity - (1.0 - margin))
    push = gamma * np.maximum(similarity + margin, 0.0) * (similarity - margin)
    together = special.logsumexp(np.where(positive, pull, -np.inf), axis=1)
    apart = special.logsumexp(np.where(same, -np.inf, push), axis=1)
    return np.logaddexp(0.0, together + apart)


def _ctc(logits, labels):
    """-log(sum over all alignments) of one sample (Graves et al., 2006); blank is 0."""
    scores = logits - special.logsumexp(logits, axis=-1, keepdims=True)
    extended = [0]
    for label in labels:
        extended += [int(label), 0]
    reached = np.full(len(extended), -np.inf)
    reached[0] = 0.0  # before the first step: nothing but the start
    for step, row in enumerate(scores):
        following = np.full(len(extended), -np.inf)
        for place, label in enumerate(extended):
            if step == 0:
                total = 0.0 if place < 2 else -np.inf
            else:
                total = reached[place]
                if place > 0:
                    total = np.logaddexp(total, reached[place - 1])
                if place > 1 and label and label != extended[place - 2]:
                    total = np.logaddexp(total, reached[place - 2])
            following[place] = total + row[label]
        reached = following
    return -np.logaddexp.reduce(reached[-2:])


@_object("CTC")
def ctc(y_true, y_pred):
    """Connectionist temporal classification; labels 0 are padding."""
    if np.any((y_true < 1) | (y_true >= y_pred.shape[-1])):
        raise Undocumented("labels 0 are padding, others must be classes")
    losses = np.array([_ctc(logits, labels) for logits, labels in zip(y_pred, y_true)])
    if not np.isfinite(losses).all() and np.isfinite(y_pred).all():
        raise Undocumented("more labels than steps have no alignment")
    return losses
