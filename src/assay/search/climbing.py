"""Hill climbing along coordinates: one element at a time, by steps that grow and shrink."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.ir import Array
from assay.search._base import Inputs, Scores, Seeded, Settings, Space, strategy
from assay.search.numbers import anywhere, moved

#: After so many populations without an improvement it starts from somewhere else.
_PATIENCE = 4


@strategy("climb")
class Climb(Seeded):
    """One point, moved along one coordinate in each input; the best move is made.

    It starts from the best of a population of numbers of every size, and again when no move of
    a few populations was one upwards.
    """

    name = "climb"

    def __init__(self, space: Space, seed: int, settings: Settings) -> None:
        super().__init__(space, seed, settings)
        self._here = np.zeros((0, space.size))
        self._height = 0.0
        self._idle = 0

    def ask(self, count: int) -> Inputs:
        """See ``Strategy``."""
        generator = self.generator()
        if not len(self._here):
            shape = (count, self.space.size)
            return self.space.split(anywhere(generator, shape, self.space.dtype))
        return self.space.split(self.beside(generator, count))

    def beside(self, generator: np.random.Generator, count: int) -> Array:
        """Copies of the point with one coordinate moved in each."""
        points = np.repeat(self._here, count, axis=0)
        rows = np.arange(count)
        columns = (rows + generator.integers(0, self.space.size)) % self.space.size
        # From the nearest number to half as much again, and now and then another sign.
        moves = moved(generator, points[rows, columns], self.space.dtype, 22, self.settings.finest)
        points[rows, columns] = np.where(generator.random(count) < 0.05, -moves, moves)
        return points

    def tell(self, inputs: Inputs, scores: Scores) -> None:
        """The best move is made, if it is one upwards."""
        found = np.nan_to_num(scores.of(self.settings.goal))
        best = int(np.argmax(found))
        if not len(self._here) or found[best] > self._height:
            self._here = self.space.joined(inputs)[best : best + 1]
            self._height, self._idle = float(found[best]), 0
            return
        self._idle += 1
        if self._idle >= _PATIENCE:
            self._here, self._height, self._idle = np.zeros((0, self.space.size)), 0.0, 0

    def state(self) -> dict[str, Any]:
        """Where it is, how high, and since when."""
        own = {"here": self._here, "height": self._height, "idle": self._idle}
        return {**super().state(), **own}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Strategy``."""
        super().restore(state)
        self._here = np.asarray(state["here"])
        self._height, self._idle = state["height"], state["idle"]
