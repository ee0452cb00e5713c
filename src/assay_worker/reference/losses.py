"""Losses: per sample as functions, reduced as objects."""

import numpy as np

from assay_worker.reference.registry import Unsupported, reference


def _reduced(values, reduction):
    if reduction in ("sum_over_batch_size", "mean", "mean_with_sample_weight"):
        return np.mean(values)
    if reduction == "sum":
        return np.sum(values)
    if reduction in ("none", None):
        return values
    raise ValueError("expected a reduction of losses; received %r" % (reduction,))


def _difference(y_true, y_pred):
    if y_true.ndim != y_pred.ndim:
        raise Unsupported("the reference has no loss for labels of another rank than predictions")
    return y_pred - y_true


@reference("keras.losses.mean_squared_error")
def mean_squared_error(y_true, y_pred):
    """Mean of squared differences over the last axis."""
    return np.mean(_difference(y_true, y_pred) ** 2, axis=-1)


@reference("keras.losses.mean_absolute_error")
def mean_absolute_error(y_true, y_pred):
    """Mean of absolute differences over the last axis."""
    return np.mean(np.abs(_difference(y_true, y_pred)), axis=-1)


@reference("keras.losses.MeanSquaredError")
def mean_squared_error_object(y_true, y_pred, reduction="sum_over_batch_size"):
    """``mean_squared_error``, reduced."""
    return _reduced(mean_squared_error(y_true, y_pred), reduction)


@reference("keras.losses.MeanAbsoluteError")
def mean_absolute_error_object(y_true, y_pred, reduction="sum_over_batch_size"):
    """``mean_absolute_error``, reduced."""
    return _reduced(mean_absolute_error(y_true, y_pred), reduction)
