"""Ascent along the slope of the error, which is told by the inputs of a population."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.ir import Array
from assay.search._base import Inputs, Scores, Seeded, Settings, Space, strategy
from assay.search.numbers import anywhere, moved
from assay_worker.precision.formats import unit

#: After so many populations without an improvement it starts from somewhere else.
_PATIENCE = 4
#: Steps from this many units in the last place, as powers of two, to that many.
_SHORTEST, _LONGEST = 0.0, 20.0


@strategy("gradient")
class Gradient(Seeded):
    """Half of the inputs are beside one point and say in which direction the error grows; the
    others go in that direction, by steps of every length.

    Errors of formulas have slopes, rounding has none: the direction is that of the best fit of a
    plane through the scores. It starts from the best of a population of numbers of every size.
    """

    name = "gradient"

    def __init__(self, space: Space, seed: int, settings: Settings) -> None:
        super().__init__(space, seed, settings)
        self._here = np.zeros((0, space.size))
        self._slope = np.zeros(space.size)
        self._height = 0.0
        self._idle = 0

    def ask(self, count: int) -> Inputs:
        """See ``Strategy``."""
        generator, dtype = self.generator(), self.space.dtype
        shape = (count, self.space.size)
        if not len(self._here):
            return self.space.split(anywhere(generator, shape, dtype))
        here = np.repeat(self._here, count, axis=0)
        beside = moved(generator, here, dtype, 16, 8)
        powers = generator.uniform(_SHORTEST, _LONGEST, (count, 1))
        with np.errstate(over="ignore"):
            along = here + np.exp2(powers) * unit(here, dtype) * self._slope
        ascends = (np.arange(count) % 2 == 1)[:, None] & bool(self._slope.any())
        return self.space.split(np.where(ascends, along, beside))

    def tell(self, inputs: Inputs, scores: Scores) -> None:
        """The point goes to the best input, if that is higher; the slope is told anew."""
        found = np.nan_to_num(scores.of(self.settings.goal))
        flat, best = self.space.joined(inputs), int(np.argmax(found))
        if len(self._here):
            self._slope = self._fitted(flat, found)
        if not len(self._here) or found[best] > self._height:
            self._here, self._height, self._idle = flat[best : best + 1], float(found[best]), 0
            return
        self._idle += 1
        if self._idle >= _PATIENCE:
            self._here, self._height, self._idle = np.zeros((0, self.space.size)), 0.0, 0
            self._slope = np.zeros(self.space.size)

    def _fitted(self, flat: Array, found: Array) -> Array:
        """In units in the last place of each number, the largest 1; zeros where there is none."""
        with np.errstate(over="ignore", invalid="ignore"):
            steps = (flat - self._here) / unit(self._here, self.space.dtype)
            sizes = np.abs(steps).max(axis=1, initial=0.0)
            near = np.isfinite(steps).all(axis=1) & (sizes <= 2.0**17)
            rise = found[near] - self._height
            slope = steps[near].T @ rise
            most = np.abs(slope).max(initial=0.0)
            slope = slope / most if most > 0.0 else np.zeros(self.space.size)
        return np.nan_to_num(slope)

    def state(self) -> dict[str, Any]:
        """Where it is, how high, since when, and where it goes up."""
        own = {"here": self._here, "height": self._height, "idle": self._idle}
        return {**super().state(), **own, "slope": self._slope}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Strategy``."""
        super().restore(state)
        self._here, self._slope = np.asarray(state["here"]), np.asarray(state["slope"])
        self._height, self._idle = state["height"], state["idle"]
