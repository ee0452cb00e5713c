"""Ascent along the slope of the error, which is told by the inputs of a population."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.ir import Array
from assay.search._base import Inputs, Scores, Settings, Space, strategy
from assay.search.climbing import Climb
from assay.search.numbers import moved
from assay_worker.precision.formats import unit

#: Steps from this many units in the last place, as powers of two, to that many.
_SHORTEST, _LONGEST = 0.0, 20.0


@strategy("gradient")
class Gradient(Climb):
    """Half of the inputs are beside one point and say in which direction the error grows; the
    others go in that direction, by steps of every length.

    Errors of formulas have slopes, rounding has none: the direction is that of the best fit of a
    plane through the scores. It starts from the best of a population of numbers of every size.
    """

    name = "gradient"

    def __init__(self, space: Space, seed: int, settings: Settings) -> None:
        super().__init__(space, seed, settings)
        self._slope = np.zeros(space.size)

    def beside(self, generator: np.random.Generator, count: int) -> Array:
        """The point's neighbours, and numbers in the direction of the slope."""
        dtype = self.space.dtype
        here = np.repeat(self._here, count, axis=0)
        beside = moved(generator, here, dtype, 16, 8)
        powers = generator.uniform(_SHORTEST, _LONGEST, (count, 1))
        with np.errstate(over="ignore"):
            along = here + np.exp2(powers) * unit(here, dtype) * self._slope
        ascends = (np.arange(count) % 2 == 1)[:, None] & bool(self._slope.any())
        return np.where(ascends, along, beside)

    def tell(self, inputs: Inputs, scores: Scores) -> None:
        """The point goes to the best input, if that is higher; the slope is told anew."""
        if len(self._here):
            found = np.nan_to_num(scores.of(self.settings.goal))
            self._slope = self._fitted(self.space.joined(inputs), found)
        super().tell(inputs, scores)
        if not len(self._here):
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
        """Also where it goes up."""
        return {**super().state(), "slope": self._slope}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Strategy``."""
        super().restore(state)
        self._slope = np.asarray(state["slope"])
