"""The published genetic search (Audee, ASE 2020, Algorithm 1).

It starts from Cauchy noise around zero: whoever searches around numbers of their own adds them.
The best are parents. A child has each gene of one of two of them, drawn at random; only those
that are mutated, by more noise, go on.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.ir import Array
from assay.search._base import Inputs, Scores, Seeded, Settings, Space, strategy


@strategy("genetic")
class Genetic(Seeded):
    """A population of which the best are kept, and bred with each other.

    The first population is as large as is asked for, of later ones the parents, whose scores are
    known, are left out.
    """

    name = "genetic"

    def __init__(self, space: Space, seed: int, settings: Settings) -> None:
        super().__init__(space, seed, settings)
        self._parents = np.zeros((0, space.size))
        self._scores = np.zeros(0)

    def ask(self, count: int) -> Inputs:
        """See ``Strategy``."""
        generator, how = self.generator(), self.settings.breeding
        shape = (count, self.space.size)
        if not len(self._parents):
            return self.space.split(how.noise * generator.standard_cauchy(shape))
        children = np.zeros((0, self.space.size))
        while len(children) < count:
            born = self._children(generator, count)
            mutated = generator.random(count) < how.mutation
            children = np.concatenate([children, born[mutated]])[:count]
        return self.space.split(children + how.noise * generator.standard_cauchy(shape))

    def _children(self, generator: np.random.Generator, count: int) -> Array:
        pairs = generator.integers(0, len(self._parents), (2, count))
        first, second = self._parents[pairs[0]], self._parents[pairs[1]]
        of_first = generator.random(first.shape) < self.settings.breeding.crossover
        return np.asarray(np.where(of_first, first, second))

    def tell(self, inputs: Inputs, scores: Scores) -> None:
        """The best of these and of their parents are kept."""
        flat = np.concatenate([self._parents, self.space.joined(inputs)])
        found = np.concatenate([self._scores, np.nan_to_num(scores.of(self.settings.goal))])
        order = np.argsort(-found, kind="stable")[: self.settings.breeding.parents]
        self._parents, self._scores = flat[order], found[order]

    def state(self) -> dict[str, Any]:
        """The parents, and what they scored."""
        return {**super().state(), "parents": self._parents, "scores": self._scores}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Strategy``."""
        super().restore(state)
        self._parents, self._scores = np.asarray(state["parents"]), np.asarray(state["scores"])
