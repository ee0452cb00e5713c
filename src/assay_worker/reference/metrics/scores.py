"""Metrics: means of per-sample values, accuracies, scores and correlations.

A metric is what one update of fresh state gives. Where a ratio is 0 / 0 or a
largest score is tied, the documentation does not say what counts.
"""

import inspect

import numpy as np

from assay_worker.reference import arrays, losses
from assay_worker.reference.registry import Undocumented, reference


def metric(name, **options):
    """Register under a name of ``keras.metrics``."""
    return reference("keras.metrics." + name, **options)


def _mean(values, sample_weight):
    if sample_weight is None:
        return np.mean(values)
    total = np.sum(sample_weight)
    return np.sum(values * sample_weight) / total if total else np.zeros(())


def _mean_of(name, function, sign=1.0):
    """Register the weighted mean of a per-sample function."""
    described = list(inspect.signature(function).parameters.values())
    weight = inspect.Parameter("sample_weight", described[0].kind, default=None)

    def mean(sample_weight=None, **values):
        return _mean(sign * function(**values), sample_weight)

    mean.__signature__ = inspect.Signature(described + [weight])
    metric(name)(mean)


for _name, _function in (
    ("MeanSquaredError", losses.mean_squared_error),
    ("MeanAbsoluteError", losses.mean_absolute_error),
    ("MeanAbsolutePercentageError", losses.mean_absolute_percentage_error),
    ("MeanSquaredLogarithmicError", losses.mean_squared_logarithmic_error),
    ("LogCoshError", losses.log_cosh),
    ("Hinge", losses.hinge),
    ("SquaredHinge", losses.squared_hinge),
    ("CategoricalHinge", losses.categorical_hinge),
    ("KLDivergence", losses.kl_divergence),
    ("Poisson", losses.poisson),
    ("BinaryCrossentropy", losses.binary_crossentropy),
    ("CategoricalCrossentropy", losses.categorical_crossentropy),
):
    _mean_of(_name, _function)
_mean_of("CosineSimilarity", losses.cosine_similarity, sign=-1.0)


@metric("SparseCategoricalCrossentropy")
def sparse_categorical_crossentropy(
    y_true, y_pred, from_logits=False, ignore_class=None, axis=-1, sample_weight=None
):
    """The mean over labels that are not ignored."""
    values, kept = losses.sparse_categorical_crossentropy(
        y_true, y_pred, from_logits, ignore_class, axis
    )
    if ignore_class is not None:
        sample_weight = kept * (1.0 if sample_weight is None else sample_weight)
    return _mean(values, sample_weight)


@metric("RootMeanSquaredError")
def root_mean_squared_error(y_true, y_pred):
    """sqrt(mean of squares)."""
    return np.sqrt(np.mean((y_pred - y_true) ** 2))


@metric("Mean")
def mean(values, sample_weight=None):
    """The weighted mean."""
    return _mean(values, sample_weight)


@metric("Sum")
def total(values, sample_weight=None):
    """The weighted sum."""
    return np.sum(values if sample_weight is None else values * sample_weight)


# ----------------------------------------------------------------- accuracies


@metric("Accuracy")
def accuracy(y_true, y_pred, sample_weight=None):
    """How often they are equal."""
    return _mean(np.mean(y_true == y_pred, axis=-1), sample_weight)


@metric("BinaryAccuracy")
def binary_accuracy(y_true, y_pred, threshold=0.5, sample_weight=None):
    """How often y_pred > threshold is the label."""
    return _mean(np.mean(y_true == (y_pred > threshold), axis=-1), sample_weight)


def largest(scores, axis=-1):
    """Where the largest score is; ``Unsupported`` if that is not one place."""
    top = np.max(scores, axis=axis, keepdims=True)
    if np.isnan(scores).any() or np.any(np.sum(scores == top, axis=axis) > 1):
        raise Undocumented("which of several largest scores counts is not documented")
    return np.argmax(scores, axis=axis)


@metric("CategoricalAccuracy")
def categorical_accuracy(y_true, y_pred, sample_weight=None):
    """How often both are largest at the same class."""
    return _mean(largest(y_true) == largest(y_pred), sample_weight)


@metric("SparseCategoricalAccuracy")
def sparse_categorical_accuracy(y_true, y_pred, sample_weight=None):
    """How often the largest score is at the label."""
    return _mean(y_true == largest(y_pred), sample_weight)


def in_top(scores, k):
    """Which scores are among the k largest of the last axis; ``Unsupported`` at ties."""
    if not isinstance(k, int) or k < 1:
        raise ValueError("expected k of at least 1; received %r" % (k,))
    if np.isnan(scores).any():
        raise Undocumented("the order of NaN is not documented")
    above = np.sum(scores[..., None, :] > scores[..., :, None], axis=-1)
    equal = np.sum(scores[..., None, :] == scores[..., :, None], axis=-1)
    if np.any((above < k) & (above + equal > k)):
        raise Undocumented("which of several equal scores counts is not documented")
    return above < k


@metric("SparseTopKCategoricalAccuracy")
def sparse_top_k_categorical_accuracy(y_true, y_pred, k=5, sample_weight=None):
    """How often the label is among the k largest scores."""
    index = y_true.astype("int64")[..., None]
    found = np.take_along_axis(in_top(y_pred, k), index, axis=-1)[..., 0]
    return _mean(found, sample_weight)


@metric("TopKCategoricalAccuracy")
def top_k_categorical_accuracy(y_true, y_pred, k=5, sample_weight=None):
    """As the sparse one, of one-hot labels."""
    return sparse_top_k_categorical_accuracy(largest(y_true), y_pred, k, sample_weight)


# ---------------------------------------------------------------- scores


@metric("FBetaScore")
def f_beta_score(y_true, y_pred, average=None, beta=1.0, threshold=None):
    """(1 + b^2) * precision * recall / (b^2 * precision + recall), per class or averaged."""
    if average not in (None, "micro", "macro", "weighted"):
        raise ValueError("expected micro, macro, weighted or None; received %r" % (average,))
    if not isinstance(beta, float) or beta <= 0.0:
        raise ValueError("expected a beta above 0; received %r" % (beta,))
    if threshold is None:
        chosen = np.arange(y_pred.shape[-1]) == largest(y_pred)[:, None]
    else:
        if not isinstance(threshold, float) or not 0.0 < threshold <= 1.0:
            raise ValueError("expected a threshold above 0, up to 1; received %r" % (threshold,))
        chosen = y_pred > threshold
    over = None if average == "micro" else 0
    positive = np.sum(chosen * y_true, axis=over)
    false_positive = np.sum(chosen * (1 - y_true), axis=over)
    false_negative = np.sum((1 - chosen) * y_true, axis=over)
    square = beta * beta
    divisor = (1 + square) * positive + square * false_negative + false_positive
    score = np.where(divisor == 0, 0.0, (1 + square) * positive / np.maximum(divisor, 1e-300))
    if average == "macro":
        return np.mean(score)
    if average == "weighted":
        support = positive + false_negative
        return np.sum(score * support) / max(np.sum(support), 1e-300)
    return score


@metric("F1Score")
def f1_score(y_true, y_pred, average=None, threshold=None):
    """With beta = 1."""
    return f_beta_score(y_true, y_pred, average, 1.0, threshold)


@metric("R2Score")
def r2_score(y_true, y_pred, class_aggregation="uniform_average", num_regressors=0):
    """1 - squares of residuals / squares around the mean, per column."""
    if class_aggregation not in (None, "uniform_average", "variance_weighted_average"):
        raise ValueError("expected an aggregation; received %r" % (class_aggregation,))
    if not isinstance(num_regressors, int) or num_regressors < 0:
        raise ValueError("expected a number of regressors; received %r" % (num_regressors,))
    residual = np.sum((y_true - y_pred) ** 2, axis=0)
    around = np.sum((y_true - y_true.mean(axis=0)) ** 2, axis=0)
    if np.any(around == 0.0):
        raise Undocumented("a column without variance has no score")
    score = 1.0 - residual / around
    if class_aggregation == "uniform_average":
        score = np.mean(score)
    elif class_aggregation == "variance_weighted_average":
        score = np.sum(score * around) / np.sum(around)
    if num_regressors:
        count = len(y_true)
        score = 1.0 - (1.0 - score) * (count - 1) / (count - num_regressors - 1)
    return score


def _moments(y_true, y_pred, axis):
    over = arrays.axes(axis, y_true.ndim)
    means = [np.mean(x, axis=over, keepdims=True) for x in (y_true, y_pred)]
    first, second = y_true - means[0], y_pred - means[1]
    variances = [np.mean(x * x, axis=over) for x in (first, second)]
    apart = np.squeeze(means[0] - means[1], axis=over)
    return np.mean(first * second, axis=over), variances, apart


@metric("PearsonCorrelation")
def pearson_correlation(y_true, y_pred, axis=-1):
    """Covariance by the product of deviations, on average."""
    covariance, (first, second), _ = _moments(y_true, y_pred, axis)
    if np.any(first * second == 0.0):
        raise Undocumented("constant numbers have no correlation")
    return np.mean(covariance / np.sqrt(first * second))


@metric("ConcordanceCorrelation")
def concordance_correlation(y_true, y_pred, axis=-1):
    """2 * covariance / (both variances + squared difference of means), on average."""
    covariance, (first, second), apart = _moments(y_true, y_pred, axis)
    divisor = first + second + apart**2
    if np.any(divisor == 0.0):
        raise Undocumented("equal constants have no correlation")
    return np.mean(2.0 * covariance / divisor)
