"""Metrics from confusion matrices: counts at thresholds, areas under curves, overlaps."""

import numpy as np
from scipy import special

from assay_worker.reference import arrays
from assay_worker.reference.metrics.scores import in_top, largest, metric
from assay_worker.reference.registry import Undocumented, Unsupported


def _thresholds(thresholds, default=0.5):
    """Thresholds as an array, and whether there is one only."""
    given = default if thresholds is None else thresholds
    cuts = np.atleast_1d(np.asarray(given, dtype="float64"))
    if np.any((cuts < 0.0) | (cuts > 1.0)):
        raise ValueError("expected thresholds from 0 to 1; received %r" % (thresholds,))
    return cuts, cuts.size == 1


def _counts(y_true, y_pred, cuts):
    """True and false positives, true and false negatives, one row per threshold."""
    true = (y_true.reshape(-1) > 0)[None, :]
    found = y_pred.reshape(-1)[None, :] > cuts[:, None]
    return [
        np.sum(part, axis=1).astype("float64")
        for part in (true & found, ~true & found, ~true & ~found, true & ~found)
    ]


def _ratio(part, whole):
    """A ratio that is 0 where there is nothing."""
    return np.where(whole == 0.0, 0.0, part / np.where(whole == 0.0, 1.0, whole))


def _no_nan(y_pred):
    if np.isnan(y_pred).any():
        raise Undocumented("whether NaN is above a threshold is not documented")


@metric("TruePositives", which=0)
@metric("FalsePositives", which=1)
@metric("TrueNegatives", which=2)
@metric("FalseNegatives", which=3)
def count(y_true, y_pred, thresholds=None, which=0):
    """How many, for each threshold."""
    _no_nan(y_pred)
    cuts, single = _thresholds(thresholds)
    result = _counts(y_true, y_pred, cuts)[which]
    return result[0] if single else result


@metric("Precision", other=1)
@metric("Recall", other=3)
def precision_or_recall(y_true, y_pred, thresholds=None, top_k=None, class_id=None, other=1):
    """tp / (tp + fp), or tp / (tp + fn), for each threshold."""
    _no_nan(y_pred)
    cuts, single = _thresholds(thresholds, 0.5 if top_k is None else 0.0)
    if top_k is not None:
        if thresholds is None:
            cuts = np.array([-np.inf])
        y_pred = np.where(in_top(y_pred, min(top_k, y_pred.shape[-1])), y_pred, -np.inf)
    if class_id is not None:
        if not 0 <= class_id < y_pred.shape[-1]:
            raise ValueError("expected a class of the predictions; received %r" % (class_id,))
        y_true, y_pred = y_true[..., class_id], y_pred[..., class_id]
    counts = _counts(y_true, y_pred, cuts)
    result = _ratio(counts[0], counts[0] + counts[other])
    return result[0] if single else result


def _at(y_true, y_pred, num_thresholds, rates):
    """Both rates at evenly spaced thresholds."""
    _no_nan(y_pred)
    if not isinstance(num_thresholds, int) or num_thresholds < 1:
        raise ValueError("expected at least one threshold; received %r" % (num_thresholds,))
    cuts = np.linspace(0.0, 1.0, num_thresholds) if num_thresholds > 1 else np.array([0.5])
    tp, fp, tn, fn = _counts(y_true, y_pred, cuts)
    known = {
        "sensitivity": _ratio(tp, tp + fn),
        "recall": _ratio(tp, tp + fn),
        "specificity": _ratio(tn, tn + fp),
        "precision": _ratio(tp, tp + fp),
    }
    return [known[name] for name in rates]


def _best(wanted, given, least, name):
    """The best of one rate where the other is at least so much; 0 where it never is."""
    if not 0.0 <= least <= 1.0:
        raise ValueError("expected %s from 0 to 1; received %r" % (name, least))
    feasible = given >= least
    return np.max(wanted[feasible]) if feasible.any() else np.zeros(())


@metric("SensitivityAtSpecificity")
def sensitivity_at_specificity(y_true, y_pred, specificity, num_thresholds=200):
    """The best sensitivity at that specificity."""
    rates = _at(y_true, y_pred, num_thresholds, ("sensitivity", "specificity"))
    return _best(rates[0], rates[1], specificity, "specificity")


@metric("SpecificityAtSensitivity")
def specificity_at_sensitivity(y_true, y_pred, sensitivity, num_thresholds=200):
    """The best specificity at that sensitivity."""
    rates = _at(y_true, y_pred, num_thresholds, ("specificity", "sensitivity"))
    return _best(rates[0], rates[1], sensitivity, "sensitivity")


@metric("PrecisionAtRecall")
def precision_at_recall(y_true, y_pred, recall, num_thresholds=200):
    """The best precision at that recall."""
    rates = _at(y_true, y_pred, num_thresholds, ("precision", "recall"))
    return _best(rates[0], rates[1], recall, "recall")


@metric("RecallAtPrecision")
def recall_at_precision(y_true, y_pred, precision, num_thresholds=200):
    """The best recall at that precision."""
    rates = _at(y_true, y_pred, num_thresholds, ("recall", "precision"))
    return _best(rates[0], rates[1], precision, "precision")


def _interpolated_pr(tp, fp, fn):
    """Davis and Goadrich, 2006: true positives are interpolated, not their ratio."""
    gained, predicted = tp[:-1] - tp[1:], tp + fp
    slope = _ratio(gained, np.maximum(predicted[:-1] - predicted[1:], 0.0))
    intercept = tp[1:] - slope * predicted[1:]
    both = (predicted[:-1] > 0) & (predicted[1:] > 0)
    ratio = np.where(both, _ratio(predicted[:-1], np.maximum(predicted[1:], 0.0)), 1.0)
    return np.sum(_ratio(slope * (gained + intercept * np.log(ratio)), tp[1:] + fn[1:]))


def _area(y_true, y_pred, cuts, curve, method):
    tp, fp, tn, fn = _counts(y_true, y_pred, cuts)
    if curve == "PR" and method == "interpolation":
        return _interpolated_pr(tp, fp, fn)
    recall = _ratio(tp, tp + fn)
    x, y = (_ratio(fp, fp + tn), recall) if curve == "ROC" else (recall, _ratio(tp, tp + fp))
    heights = {
        "interpolation": (y[:-1] + y[1:]) / 2.0,
        "minoring": np.minimum(y[:-1], y[1:]),
        "majoring": np.maximum(y[:-1], y[1:]),
    }
    return np.sum((x[:-1] - x[1:]) * heights[method])


@metric("AUC")
def auc(
    y_true,
    y_pred,
    num_thresholds=200,
    curve="ROC",
    summation_method="interpolation",
    thresholds=None,
    multi_label=False,
    label_weights=None,
    from_logits=False,
):
    """The area under the curve through the points at all thresholds."""
    if curve not in ("ROC", "PR"):
        raise ValueError("expected the curve ROC or PR; received %r" % (curve,))
    if summation_method not in ("interpolation", "minoring", "majoring"):
        raise ValueError("expected a summation method; received %r" % (summation_method,))
    if thresholds is None:
        if not isinstance(num_thresholds, int) or num_thresholds < 2:
            raise ValueError("expected two thresholds or more; received %r" % (num_thresholds,))
        inner = np.linspace(0.0, 1.0, num_thresholds)[1:-1]
    else:
        inner = np.sort(_thresholds(thresholds)[0])
    cuts = np.concatenate([[-1e-7], inner, [1.0 + 1e-7]])
    if from_logits:
        y_pred = special.expit(y_pred)
    _no_nan(y_pred)
    if not multi_label:
        if label_weights is not None:
            raise Unsupported("the reference has no weights of labels without labels")
        return _area(y_true, y_pred, cuts, curve, summation_method)
    arrays.need_rank(y_true, 2)
    areas = [
        _area(y_true[:, place], y_pred[:, place], cuts, curve, summation_method)
        for place in range(y_true.shape[1])
    ]
    weights = np.ones(len(areas)) if label_weights is None else np.asarray(label_weights)
    return np.sum(areas * weights) / np.sum(weights)


# ------------------------------------------------- intersection over union


def _overlaps(y_true, y_pred, classes, ignore_class):
    """Intersection and union of each class."""
    y_true, y_pred = y_true.reshape(-1), y_pred.reshape(-1)
    if ignore_class is not None:
        y_pred = y_pred[y_true != ignore_class]
        y_true = y_true[y_true != ignore_class]
    for ids in (y_true, y_pred):
        if np.any((ids < 0) | (ids >= classes)):
            raise Undocumented("an id out of range is not documented to mean anything")
    ids = np.arange(classes)[:, None]
    both = np.sum((y_true == ids) & (y_pred == ids), axis=1)
    either = np.sum((y_true == ids) | (y_pred == ids), axis=1)
    return both.astype("float64"), either.astype("float64")


def _mean_overlap(y_true, y_pred, classes, targets, ignore_class):
    if not isinstance(classes, int):
        raise ValueError("expected a number of classes; received %r" % (classes,))
    both, either = _overlaps(y_true, y_pred, classes, ignore_class)
    chosen = np.arange(classes) if targets is None else np.asarray(targets)
    if chosen.max() >= classes:
        raise ValueError("expected ids of classes; received %r" % (targets,))
    both, either = both[chosen], either[chosen]
    present = either > 0  # a class that does not occur has no ratio
    if not present.any():
        raise Undocumented("no class occurs")
    return np.mean(both[present] / either[present])


def _as_ids(x, sparse, axis):
    return x if sparse else largest(x, axis)


@metric("IoU")
def iou(
    y_true,
    y_pred,
    num_classes,
    target_class_ids,
    ignore_class=None,
    sparse_y_true=True,
    sparse_y_pred=True,
    axis=-1,
):
    """The mean over the classes asked for."""
    y_true, y_pred = _as_ids(y_true, sparse_y_true, axis), _as_ids(y_pred, sparse_y_pred, axis)
    return _mean_overlap(y_true, y_pred, num_classes, target_class_ids, ignore_class)


@metric("MeanIoU")
def mean_iou(
    y_true,
    y_pred,
    num_classes,
    ignore_class=None,
    sparse_y_true=True,
    sparse_y_pred=True,
    axis=-1,
):
    """The mean over all classes."""
    return iou(y_true, y_pred, num_classes, None, ignore_class, sparse_y_true, sparse_y_pred, axis)


@metric("OneHotIoU")
def one_hot_iou(
    y_true, y_pred, num_classes, target_class_ids, ignore_class=None, sparse_y_pred=False, axis=-1
):
    """Of one-hot labels."""
    return iou(
        y_true, y_pred, num_classes, target_class_ids, ignore_class, False, sparse_y_pred, axis
    )


@metric("OneHotMeanIoU")
def one_hot_mean_iou(y_true, y_pred, num_classes, ignore_class=None, sparse_y_pred=False, axis=-1):
    """Of one-hot labels, the mean over all classes."""
    return iou(y_true, y_pred, num_classes, None, ignore_class, False, sparse_y_pred, axis)


@metric("BinaryIoU")
def binary_iou(y_true, y_pred, target_class_ids=(0, 1), threshold=0.5):
    """Of labels 0 and 1 and predictions cut at a threshold."""
    _no_nan(y_pred)
    if threshold is not None and np.any(y_pred == threshold):
        raise Undocumented("a prediction at the threshold is neither below nor above it")
    if not set(target_class_ids) <= {0, 1}:
        raise ValueError("expected classes 0 and 1; received %r" % (target_class_ids,))
    return _mean_overlap(y_true, y_pred > threshold, 2, target_class_ids, None)
