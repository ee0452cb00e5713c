"""How far two targets' outputs are apart, instance by instance.

Class distance and MAD distance are those of CRADLE (Pham et al., ICSE 2019); the
direct measures need no ground truth. Arrays are ``(instances, values)``.
"""

import msgspec
import numpy as np

from assay.gaps import BESIDE_A_HALF, MODEL_SCREEN, OF_PROBABILITIES, gap, model_allowed
from assay.ir import Array

#: A label of rank 1 scores 2 ** (TOP - 1).
TOP = 5
#: Bounds of the bins of class distances, largest first; below the last is zero.
CLASS_BINS = (16.0, 8.0, 4.0, 2.0, 1.0)
MAD_BINS = 10


def ranks(scores: Array, labels: Array) -> Array:
    """The rank of each instance's label among its scores, 1 the best; ties by position.

    A label whose score is NaN is behind all others, and never among the best TOP.
    """
    chosen = np.take_along_axis(scores, labels[:, None], axis=1)
    better = (scores > chosen).sum(axis=1)
    before = np.arange(scores.shape[1])[None, :] < labels[:, None]
    rank = 1 + better + ((scores == chosen) & before).sum(axis=1)
    last = max(scores.shape[1], TOP) + 1
    return np.asarray(np.where(np.isnan(chosen[:, 0]), last, rank))


def among_best(scores: Array, labels: Array) -> Array:
    """Is each instance's label among the best 1, 2 … TOP scores? A column for each."""
    return np.asarray(ranks(scores, labels)[:, None] <= np.arange(1, TOP + 1))


def class_scores(scores: Array, labels: Array) -> Array:
    """2 ** (TOP - rank) where the label is among the best TOP, else 0."""
    rank = ranks(scores, labels)
    score: Array = np.where(rank <= TOP, 2.0 ** (TOP - np.minimum(rank, TOP)), 0.0)
    return score


def class_distance(first: Array, second: Array, labels: Array) -> Array:
    """How differently two targets rank the label: 0 to 16."""
    distance: Array = np.abs(class_scores(first, labels) - class_scores(second, labels))
    return distance


def mean_deviation(outputs: Array, truth: Array) -> Array:
    """Mean absolute deviation of each instance's outputs from the truth."""
    with np.errstate(invalid="ignore", over="ignore"):
        deviation: Array = np.abs(outputs - truth).mean(axis=1)
    return deviation


def mad_distance(first: Array, second: Array, truth: Array) -> Array:
    """Relative difference of two targets' deviations from the truth: 0 to 1."""
    a, b = mean_deviation(first, truth), mean_deviation(second, truth)
    total = a + b
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.where(total > 0, np.abs(a - b) / total, 0.0)
    # One side is not finite: as far apart as can be.
    return np.where(np.isfinite(a) == np.isfinite(b), np.nan_to_num(distance), 1.0)


def one_hot(labels: Array, classes: int) -> Array:
    """Labels as rows of zeros with a one."""
    return np.asarray(np.eye(classes)[labels])


def histogram(class_distances: Array | None, mad_distances: Array) -> Array:
    """Instances by class distance (16, [8,16), [4,8), [2,4), [1,2), [0,1)), then by MAD."""
    counts = []
    if class_distances is not None:
        upper = np.inf
        for bound in CLASS_BINS:
            counts.append(int(((class_distances >= bound) & (class_distances < upper)).sum()))
            upper = bound
        counts.append(int((class_distances < CLASS_BINS[-1]).sum()))
    counts += np.histogram(mad_distances, bins=MAD_BINS, range=(0.0, 1.0))[0].tolist()
    return np.array(counts, dtype="int64")


class Measures(msgspec.Struct, frozen=True):
    """Direct measures per instance. ``exceeds``: further apart than the screen allows."""

    max_abs: Array
    mean_abs: Array
    max_rel: Array
    max_ulp: Array
    exceeds: Array


def probability_floor(first: Array, second: Array) -> float:
    """What two outputs of a model may differ by if all of their values are from 0 to 1.

    It is a share of the largest, or of 1 where those of a side were rounded beside larger numbers.
    """
    both = [item[np.isfinite(item)] for item in (first, second)]
    if any((item < 0).any() or (item > 1).any() for item in both):
        return 0.0
    if any((item % BESIDE_A_HALF == 0).all() for item in both):
        return OF_PROBABILITIES
    return OF_PROBABILITIES * max(float(item.max(initial=0.0)) for item in both)


def measures(first: Array, second: Array, floor: float = 0.0) -> Measures:
    """Direct measures of two arrays of one shape. NaN equals NaN.

    ``floor`` is a deviation that is allowed whatever the size of the elements.
    """
    found = gap(first, second)
    if found is None:
        raise ValueError(f"expected arrays of one shape; received {first.shape}, {second.shape}")
    deviation, size = found.deviation, found.size
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(size > 0, deviation / size, 0.0)
    spacing = np.spacing(size.astype("float32")).astype("float64")
    special = np.zeros(size.shape, bool) if found.special is None else found.special
    wrong = special.any(axis=1)
    return Measures(
        max_abs=np.where(wrong, np.inf, deviation.max(axis=1)),
        mean_abs=np.where(wrong, np.inf, deviation.mean(axis=1)),
        max_rel=np.where(wrong, np.inf, relative.max(axis=1)),
        max_ulp=np.where(wrong, np.inf, (deviation / spacing).max(axis=1)),
        exceeds=np.asarray(wrong | _past_the_screen(deviation, size, floor)),
    )


def _past_the_screen(deviation: Array, size: Array, floor: float) -> Array:
    """Which rows have an element that differs by more than the screen allows?"""
    # To know what is allowed, elements are sorted: only where some differ by a share of their own.
    found: Array = np.asarray((deviation > MODEL_SCREEN.relative * size + floor).any(axis=1))
    if found.any():
        allowed = model_allowed(size[found], floor)
        found[found] = (deviation[found] > allowed).any(axis=1)
    return found
