"""Two targets compared over all batches; what is kept does not grow with the data."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np

from assay.errors import AssayError
from assay.ir import Array
from assay.ir.check import DECADES
from assay.judge import distances
from assay.judge.models.bound import WHOLE, counts, own

Task = Literal["classification", "regression"]
#: CRADLE's thresholds.
CLASS_THRESHOLD = 8.0
MAD_THRESHOLD = 0.2
#: Instances beyond their bounds after which a pair's further ones are not measured.
_PROVEN = 32
#: Bins of deviations; below the first there is none at all.
_BINS = np.array([np.nextafter(0.0, 1.0), *DECADES])

#: How many times their rounding bound the instances of a mask are apart.
Ratios = Callable[[Array], Array]


def rows(outputs: Sequence[Array], count: int) -> Array:
    """All outputs that count instances as one row for each; a single row where none does."""
    counting = [array for array in outputs if counts([array], count)]
    parts = [own_rows(array, count) for array in counting or outputs]
    return np.concatenate([part.astype("float64") for part in parts], axis=1)


def own_rows(array: Array, count: int) -> Array:
    """An output as one row per instance, or a single one if no axis of it counts them: that is
    of all instances together.
    """
    lines = count if counts([array], count) else 1
    return array.reshape(lines, array.size // max(1, lines))


def scores(outputs: Sequence[Array], count: int) -> Array | None:
    """The first output as one score per class, if it can be that."""
    first = outputs[0]
    if first.ndim == 2 and first.shape[0] == count and first.shape[1] >= 2:
        return first.astype("float64")
    return None


def task_of(
    outputs: Sequence[Array], count: int, labels: Array | None, classifier: bool = False
) -> Task | None:
    """A classifier gives probabilities, or is labelled with whole numbers, or is said to be one.

    None if its scores cannot tell, as each instance has NaN or infinities.
    """
    found = scores(outputs, count)
    if classifier and found is None:
        raise AssayError(
            "expected a classifier: scores as the first output, one row per instance and one "
            f"column per class; received {_shapes(outputs[:1])} for {count} instances. Leave out "
            "--classifier, --min-agreement and --metric."
        )
    if found is None or classifier:
        return "regression" if found is None else "classification"
    if labels is not None and labels.dtype.kind in "iub":
        return "classification"
    found = found[np.isfinite(found).all(axis=1)]
    if not len(found):
        return None
    probabilities = (found >= 0).all() and np.allclose(found.sum(axis=1), 1.0, atol=1e-3)
    return "classification" if probabilities else "regression"


class Truth(msgspec.Struct, frozen=True):
    """What a batch is measured against: labels of classes, values of rows."""

    labels: Array | None
    values: Array
    known: bool


def truth_of(
    task: Task, outputs: Mapping[str, Sequence[Array]], labels: Array | None, count: int
) -> Truth:
    """The ground truth; without one, what most targets predict takes its place."""
    flat = [rows(item, count) for item in outputs.values()]
    width = flat[0].shape
    if task == "classification":
        found = [s for item in outputs.values() if (s := scores(item, count)) is not None]
        classes = found[0].shape[1]
        if labels is None:
            votes = np.stack([np.nan_to_num(item).argmax(axis=1) for item in found])
            counted = np.stack([(votes == place).sum(axis=0) for place in range(classes)], axis=1)
            true = counted.argmax(axis=1)
        else:
            true = _whole_labels(labels, classes, count)
        return Truth(true, distances.one_hot(true, classes), labels is not None)
    if labels is not None and labels.size == flat[0].size:
        return Truth(None, labels.reshape(width).astype("float64"), True)
    same = [item for item in flat if item.shape == width]
    return Truth(None, np.median(np.stack(same), axis=0), False)


def _whole_labels(labels: Array, classes: int, count: int) -> Array:
    if labels.ndim == 2 and labels.shape[1] == classes and classes > 1:
        return np.asarray(labels.argmax(axis=1))
    whole: Array = labels.reshape(count, -1)[:, 0].astype("int64")
    if whole.min() < 0 or whole.max() >= classes:
        wrong = int(whole[(whole < 0) | (whole >= classes)][0])
        raise AssayError(
            f"the model has {classes} classes, so labels go from 0 to {classes - 1}; "
            f"received y = {wrong}."
        )
    return whole


class Worst(msgspec.Struct, frozen=True):
    """The most inconsistent instance of a pair by some measure.

    ``labels`` are the two predicted ones and the true one; ``inputs`` are of ``count``
    instances: one, where an axis counts them. ``known`` is the ground truth given for them.
    """

    value: float
    instance: int
    labels: tuple[int, ...]
    inputs: tuple[Array, ...]
    count: int = 1
    known: Array | None = None


class Cutoffs(msgspec.Struct, frozen=True):
    """From where on an instance counts as distant; of how many best labels accuracies are."""

    class_distance: float = CLASS_THRESHOLD
    mad_distance: float = MAD_THRESHOLD
    top_k: int = 1


class Tally:
    """One pair of targets, over all batches so far."""

    def __init__(self, task: Task, cutoffs: Cutoffs | None = None) -> None:
        self.task = task
        self._cutoffs = cutoffs or Cutoffs()
        self.instances = 0
        self.agreeing = 0
        self.exceeding = 0
        #: Elements that are finite on a side at least.
        self.comparable = 0
        #: Instances beyond their rounding bound, and how many times the worst is.
        self.beyond = 0
        self.ratio: float | None = None
        self.over_class = 0
        self.over_mad = 0
        #: Instances whose label is among the best 1 to TOP, on each side.
        self._right = np.zeros((2, distances.TOP), int)
        self.max_abs = self.max_rel = self.max_ulp = self.sum_abs = 0.0
        self.d_class_max = self.d_mad_max = 0.0
        self.histogram: Array | None = None
        #: Instances by their largest deviation: none, below the first decade, and so on.
        self.deviations = np.zeros(len(_BINS) + 1, "int64")
        #: What the outputs' shapes are, if they are not the same.
        self.shapes = ""
        self._worst: dict[str, Worst] = {}

    def add(
        self,
        start: int,
        inputs: tuple[Array, ...],
        first: Sequence[Array],
        second: Sequence[Array],
        truth: Truth,
        count: int,
        ratios: Ratios | None = None,
        gated: Array | None = None,
    ) -> None:
        """Count a batch. ``ratios`` is asked for instances that are past the screen.

        ``gated`` is how far each instance is beyond a threshold that was given, 0 if it is not.
        """
        apart = _apart(first, second, count)
        if apart is None:
            self.shapes = f"{_shapes(first)} and {_shapes(second)}"
            apart = _Apart.anywhere(count)
            d_mad = np.ones(count)
        else:
            a, b = rows(first, count), rows(second, count)
            compared = bool(a.size) and truth.values.shape == a.shape
            d_mad = distances.mad_distance(a, b, truth.values) if compared else np.zeros(len(a))
            if not truth.known and self.task == "regression":
                # Both are as near to the median as rounding allows: no distance.
                d_mad = np.where(apart.measured.exceeds, d_mad, 0.0)
        measured, exceeds = apart.measured, apart.measured.exceeds
        one, two = scores(first, count), scores(second, count)
        if one is not None and two is not None:
            self.agreeing += int((one.argmax(axis=1) == two.argmax(axis=1)).sum())
        d_class = labels = None
        if truth.labels is not None and one is not None and two is not None:
            if compared_shapes(one, two):
                d_class = distances.class_distance(one, two, truth.labels)
                right = np.stack([distances.among_best(s, truth.labels) for s in (one, two)])
                self._right += right.sum(axis=1)
            labels = np.stack([one.argmax(axis=1), two.argmax(axis=1), truth.labels], axis=1)
        self.instances += len(exceeds)
        self.exceeding += int(exceeds.sum())
        self.comparable += apart.comparable
        self.max_abs = max(self.max_abs, float(measured.max_abs.max()))
        self.max_rel = max(self.max_rel, float(measured.max_rel.max()))
        self.max_ulp = max(self.max_ulp, float(measured.max_ulp.max()))
        places = np.searchsorted(_BINS, measured.max_abs, side="right")
        self.deviations += np.bincount(places, minlength=len(self.deviations))
        self.sum_abs += float(measured.mean_abs.sum())
        self.d_mad_max = max(self.d_mad_max, float(d_mad.max()))
        self.over_mad += int((d_mad > self._cutoffs.mad_distance).sum())
        if d_class is not None:
            self.d_class_max = max(self.d_class_max, float(d_class.max()))
            self.over_class += int((d_class > self._cutoffs.class_distance).sum())
        bins = distances.histogram(d_class, d_mad)
        self.histogram = bins if self.histogram is None else self.histogram + bins
        relative = measured.max_abs / np.maximum(apart.largest, 1e-30)
        kinds = {"deviation": relative, "mad": d_mad}
        if d_class is not None:
            kinds["class"] = d_class + 1e-3 * np.minimum(relative, 1.0)
            one_sided = right[0] != right[1]
            kinds["accuracy"] = np.where(one_sided[:, self._cutoffs.top_k - 1], relative, -1.0)
        if labels is not None:
            flipped = labels[:, 0] != labels[:, 1]
            kinds["flipped"] = np.where(flipped, relative, -1.0)
        if ratios is not None and exceeds.any() and not self.shapes and self.beyond < _PROVEN:
            found = np.where(exceeds, ratios(exceeds), -1.0)
            self.beyond += int((found > 1.0).sum())
            self.ratio = max(self.ratio or 0.0, float(found.max()))
            kinds["bound"] = found
            if labels is not None:
                kinds["flipped beyond"] = np.where(flipped & (found > 1.0), found, -1.0)
        if gated is not None:
            kinds["gate"] = np.where(gated > 0, gated, -1.0)
        # Outputs of all instances together are those of the whole batch, never of one alone.
        counted = count if counts([*first, *second], count) else 0
        self._remember(kinds, start, inputs, labels, truth, count, counted)

    def classify(self) -> None:
        """Go on as of a classifier: no instance so far had scores that could tell."""
        self.task = "classification"
        if self.histogram is not None:
            near = distances.histogram(np.zeros(self.instances), np.zeros(0))
            self.histogram = np.concatenate([near[: -distances.MAD_BINS], self.histogram])

    def _remember(
        self,
        kinds: Mapping[str, Array],
        start: int,
        inputs: tuple[Array, ...],
        labels: Array | None,
        truth: Truth,
        count: int,
        counted: int,
    ) -> None:
        """Keep the instance that is worst by each measure; of ``counted`` 0 the whole batch."""
        known = (truth.values if truth.labels is None else truth.labels) if truth.known else None
        for kind, values in kinds.items():
            place = int(np.argmax(values))
            value = float(values[place])
            if value < 0 or (kind in self._worst and value <= self._worst[kind].value):
                continue
            self._worst[kind] = Worst(
                value=value,
                instance=start + place,
                labels=tuple(int(item) for item in labels[place]) if labels is not None else (),
                inputs=tuple(own(array, [place], counted) for array in inputs),
                count=1 if counted else count,
                known=None if known is None else own(known, [place], counted),
            )

    @property
    def flips(self) -> int:
        """Instances whose predicted labels differ."""
        return self.instances - self.agreeing if self.task == "classification" else 0

    @property
    def accuracy_differences(self) -> tuple[float, ...]:
        """By how much the accuracies of the best 1 to TOP labels differ, of a classifier."""
        if self.task != "classification" or not self.instances:
            return ()
        return tuple(
            float(item) for item in np.abs(self._right[0] - self._right[1]) / self.instances
        )

    @property
    def explained(self) -> bool:
        """Does rounding, as it was measured, explain every difference past the screen?"""
        measured = self.ratio is not None or not self.exceeding
        return measured and not self.beyond and not self.shapes

    def worst(self, kind: str = "") -> Worst:
        """The most inconsistent instance.

        By how many times its own rounding bound it is apart, where that was measured, else
        by deviation; but rather one whose label flips if it deviates comparably.
        """
        if kind in self._worst:
            return self._worst[kind]
        by, flipped = ("bound", "flipped beyond") if self.beyond else ("deviation", "flipped")
        chosen = self._worst[by]
        if flipped in self._worst and self._worst[flipped].value >= 0.1 * chosen.value:
            chosen = self._worst[flipped]
        return chosen


class _Apart(msgspec.Struct, frozen=True):
    """Two targets' outputs, instance by instance: how far they are apart, which are past the
    screen, each output beside its own largest element, and how large the largest of all is.
    ``comparable`` elements are finite on a side at least.
    """

    measured: distances.Measures
    largest: Array
    comparable: int

    @classmethod
    def anywhere(cls, count: int) -> "_Apart":
        """As far apart as can be."""
        far = np.full((count, 1), np.inf)
        return cls(distances.measures(far, np.zeros((count, 1))), np.zeros(count), count)


def _apart(first: Sequence[Array], second: Sequence[Array], count: int) -> _Apart | None:
    """How far outputs are apart, each as it is: float64 does not hold every whole number.

    None if their shapes differ.
    """
    sides = [[own_rows(array, count) for array in side] for side in (first, second)]
    if [part.shape for part in sides[0]] != [part.shape for part in sides[1]]:
        return None
    lines = max((len(part) for part in sides[0]), default=1)
    zeros = np.zeros(lines)
    furthest, total, relative, ulp, largest, exceeds = (zeros.copy() for _ in range(6))
    comparable = elements = 0
    for a, b in zip(*sides, strict=True):
        if not a.size:
            continue
        whole = a.dtype.kind in WHOLE and b.dtype.kind in WHOLE
        found = distances.measures(a, b, 0.0 if whole else distances.probability_floor(a, b))
        past = found.max_abs > 0 if whole else found.exceeds
        # Of an output without instances, each of them has all.
        furthest = np.maximum(furthest, found.max_abs)
        total = total + found.mean_abs * a.shape[1]
        relative = np.maximum(relative, found.max_rel)
        ulp = np.maximum(ulp, found.max_ulp)
        exceeds = np.maximum(exceeds, past)
        finite = np.isfinite(a)
        largest = np.maximum(largest, np.abs(np.where(finite, a, 0).astype("float64")).max(axis=1))
        comparable += int((finite | np.isfinite(b)).sum())
        elements += a.shape[1]
    mean = total / max(1, elements)
    measured = distances.Measures(furthest, mean, relative, ulp, exceeds > 0)
    return _Apart(measured, largest, comparable)


def _shapes(outputs: Sequence[Array]) -> str:
    return ", ".join("×".join(map(str, array.shape)) or "a scalar" for array in outputs)


def compared_shapes(one: Array, two: Array) -> bool:
    """Can the scores be ranked against the same labels?"""
    return bool(one.shape == two.shape)
