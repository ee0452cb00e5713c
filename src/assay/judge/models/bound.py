"""How far may rounding, added up over all layers, bring two targets' outputs apart?

The bound is measured, for each output of each instance: inputs and every layer's output are
moved by about one ULP, several times, and what the output moves, times ``GRANTED``, is what
rounding explains: of the output as a whole, and of every element past the screen, so that one
that jumps excuses no other. Whoever is measured may be wrong itself, and jump where the others do
not: so the smallest bound of all that are asked counts.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from assay.gaps import FLUSHED, MODEL_SCREEN, Gap, gap, model_allowed
from assay.ir import Array
from assay.ir.transform import nudged_arrays
from assay.judge.distances import probability_floor
from assay.judge.rounding import NUDGES, Sensitivity, of_shape, sensitivity

#: How many times the movement under one ULP per layer is granted: another sum rounds
#: more often than once, and elsewhere. Clean models reach 0.26 of the bound at most (magika, ONNX
#: Runtime beside OpenVINO; ``benchmarks/check_clean.py``).
GRANTED = 16.0
#: The same for an element by itself: six nudges tell little of what moves one of many. Healthy
#: models reach 1.7 times ``GRANTED`` (magika, ONNX Runtime beside OpenVINO).
GRANTED_TO_ONE = 8 * GRANTED
#: Targets that a bound is measured on, at most: both would have to jump at the same place.
BASES = 2
#: So many times as many elements must jump as differ where nothing moves: nudges do not find
#: every near tie, but jumps are seldom where a few ULP cannot reach.
_JUMPING = 4
WHOLE = "iub"


class Models(Protocol):
    """A model that several targets hold."""

    def predict_on(self, target: str, inputs: Sequence[Array]) -> list[Array] | None:
        """The outputs of one target, None if it fails."""
        ...

    def nudged(
        self, target: str, inputs: Sequence[Array], copies: int, factor: float
    ) -> list[list[Array]]:
        """Outputs as they are, twice, then ``copies`` times with inputs and every layer's output
        moved by about ``factor`` ULP; empty if the target cannot run its layers one by one.
        """
        ...


class Bounds:
    """The bounds of one batch of ``count`` instances, measured on ``bases`` when asked for.

    What was measured of an instance is kept: it costs seven runs per base.
    """

    def __init__(
        self, models: Models, bases: Sequence[str], inputs: Sequence[Array], count: int
    ) -> None:
        self._models = models
        self._bases = tuple(bases)
        self._inputs = tuple(inputs)
        self._count = count
        #: By instance: how each base's outputs moved.
        self._known: dict[int, list[list[Sensitivity]]] = {}

    def ratios(self, first: Sequence[Array], second: Sequence[Array], asked: Array) -> Array:
        """How many times their bound these instances' outputs are apart: infinite where no
        bound can be measured, 0 for those that are not ``asked`` for.

        ``asked`` has one element where no axis of the outputs counts instances.
        """
        counted = self._count if len(asked) == self._count else 0
        places = [int(place) for place in np.flatnonzero(asked)]
        # What no axis counts is of all instances together: so they are moved together.
        moved = places if counts(first, counted) else range(len(asked))
        self._measure([place for place in moved if place not in self._known], counted)
        found = np.zeros(len(asked))
        for place in places:
            one, two = ([own(a, [place], counted) for a in side] for side in (first, second))
            ratios = [ratio(one, two, moved) for moved in self._known[place]]
            found[place] = max(ratios, default=np.inf)
        return found

    def _measure(self, places: Sequence[int], counted: int) -> None:
        if not places:
            return
        inputs = [own(array, places, counted) for array in self._inputs]
        measured = [found for base in self._bases if (found := self._moved(base, inputs))]
        among = len(places) if counted else 0
        bases = [[_sensitivities(copies, len(places), among) for copies in f] for f in measured]
        for position, place in enumerate(places):
            self._known[place] = [[output[position] for output in base] for base in bases]

    def _moved(self, base: str, inputs: Sequence[Array]) -> list[list[Array]]:
        """Each output as it is, then moved; empty if that cannot be had.

        Nothing is measured where it changes without being moved (a dropout that is on): that
        is as far as the nudges seem to move it.
        """
        runs = self._models.nudged(base, inputs, NUDGES, 1.0)
        if not runs:
            runs = self._by_inputs(base, inputs)
        elif any(array.dtype.kind in WHOLE for array in runs[0]):
            # Whole numbers jump or stay: they are shown what the others are granted.
            further = self._models.nudged(base, inputs, NUDGES, GRANTED)
            runs = [
                [b if a.dtype.kind in WHOLE else a for a, b in zip(near, far, strict=True)]
                for near, far in zip(runs, further, strict=True)
            ]
        if len(runs) < 3 or changes(*runs[:2]):
            return []
        return [list(copies) for copies in zip(*runs[1:], strict=True)]

    def _by_inputs(self, base: str, inputs: Sequence[Array]) -> list[list[Array]]:
        """The same where layers cannot be run one by one: the inputs alone are moved."""
        if not any(array.dtype.kind == "f" for array in inputs):
            return []
        named = {str(place): array for place, array in enumerate(inputs)}
        copies = (named, named, *nudged_arrays(named, NUDGES))
        given = [list(item.values()) for item in copies]
        found = [self._models.predict_on(base, item) for item in given]
        return [item for item in found if item is not None]


def _sensitivities(copies: Sequence[Array], places: int, among: int) -> list[Sensitivity]:
    """How an output moved in each of so many places; kept once if all of them share it."""
    if not counts(copies, among):
        plain, *moved = copies
        return [sensitivity(plain, of_shape(plain, moved))] * places
    found = []
    for place in range(places):
        plain, *moved = (own(copy, [place], among) for copy in copies)
        found.append(sensitivity(plain, of_shape(plain, moved)))
    return found


def ratio(one: Sequence[Array], two: Sequence[Array], moved: Sequence[Sensitivity]) -> float:
    """How many times their bound the outputs of one instance are apart, where that is most."""
    if not len(one) == len(two) == len(moved):
        return float("inf")
    return max((_of_output(*item) for item in zip(one, two, moved, strict=True)), default=0.0)


def _of_output(one: Array, two: Array, moved: Sensitivity) -> float:
    found = gap(one, two)
    if found is None or one.shape != moved.movement.shape:
        return float("inf")
    # Where a nudge makes a NaN come or go, either answer is one of rounding's.
    apart = np.where(moved.specials, 0.0, found.distance)
    if found.whole:
        return float("inf") if (apart > _jumped(apart, moved.movement)).any() else 0.0
    # One ULP per layer is the least that rounding does, and another sum is wrong elsewhere:
    # neither the place of the largest gap nor its exact size means anything.
    together = [
        size(apart) / (GRANTED * size(moved.movement) + FLUSHED) for size in (_largest, _typical)
    ]
    return max(*together, _of_elements(apart, found, moved.movement))


def _of_elements(apart: Array, found: Gap, movement: Array) -> float:
    """How many times its own bound an element is apart, where that is most: those past the screen.

    One that happens not to move has the bound of the others, if most move. If few do, the output
    is made of steps, or of zeros that rounding seldom crosses.
    """
    floor = probability_floor(found.first, found.second)
    allowed = model_allowed(found.size.reshape(1, -1), floor).reshape(apart.shape)
    past = np.where(apart > allowed, apart, 0.0)
    if not past.any():
        return 0.0
    moving = np.sort(movement[movement > 0], axis=None)
    middle = moving[(len(moving) - 1) // 2] if len(moving) else 0.0
    reached = np.maximum(movement, middle)
    if 2 * len(moving) < movement.size:
        reached = np.where(movement > 0, reached, _by_rank(past, movement))
    with np.errstate(invalid="ignore"):
        ratios = past / (GRANTED_TO_ONE * reached + FLUSHED)
    return float(np.where(np.isinf(past), np.inf, ratios).max())


def _jumped(apart: Array, movement: Array) -> Array:
    """How far whole numbers may differ: as the largest jump where they jump. How far one jumps
    means nothing if they are labels.
    """
    return np.where(movement > 0, _largest(movement), _by_rank(apart, movement))


def _by_rank(apart: Array, movement: Array) -> Array:
    """What is granted where nothing moves: the largest gap there as much as ``_JUMPING`` elements
    move, the next as twice as many do, and so on.
    """
    found = np.zeros(apart.shape)
    still = np.flatnonzero((movement == 0) & (apart > 0))
    order = still[np.argsort(-apart.flat[still], kind="stable")]
    steps = -np.sort(-movement, axis=None)[_JUMPING - 1 :: _JUMPING]
    found.flat[order[: len(steps)]] = steps[: len(order)]
    return found


def changes(first: Sequence[Array], second: Sequence[Array]) -> bool:
    """Are two runs on the same input further apart than the screen allows, in some output?"""
    return any(_past_the_screen(*two) for two in zip(first, second, strict=True))


def _past_the_screen(first: Array, second: Array) -> bool:
    found = gap(first, second)
    if found is None or found.special is not None:
        return True
    if found.whole or not first.size:
        return found.furthest > 0
    # Each instance beside its own largest element.
    rows = (first.shape[0] if first.ndim else 1, -1)
    size, deviation = found.size.reshape(rows), found.deviation.reshape(rows)
    allowed = MODEL_SCREEN.allowed(size, size.max(axis=1, keepdims=True))
    return bool((deviation > allowed).any())


def counts(outputs: Sequence[Array], count: int) -> bool:
    """Does an axis of every output count the instances?"""
    return all(array.ndim >= 1 and array.shape[0] == count for array in outputs)


def own(array: Array, places: Sequence[int], count: int) -> Array:
    """Some instances' part of an array of ``count``; the whole where no axis counts them."""
    counted = count and array.ndim and array.shape[0] == count
    return array[list(places)] if counted else array.copy()


def _largest(values: Array) -> float:
    return float(values.max(initial=0.0))


def _typical(values: Array) -> float:
    return float(np.sqrt(np.square(values).mean())) if values.size else 0.0
