"""Mutation of single elements of the inputs that scored highest."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.ir import Array
from assay.search._base import Inputs, Scores, Seeded, Settings, Space, strategy
from assay.search.numbers import anywhere, edges, halfway, moved, spread

#: So many of the best inputs are kept.
_KEPT = 24
#: Inputs among the mutants that are one place of a parent, everywhere, and beside it: where each
#: element stands for itself, all of them look where the worst one is.
_REPEATED = 0.25
#: New inputs among the mutants: none of the best need be where the worst error is.
_NEW = 0.1


@strategy("elements")
class Elements(Seeded):
    """The best inputs so far, with one element changed, a few of them, or all."""

    name = "elements"

    def __init__(self, space: Space, seed: int, settings: Settings) -> None:
        super().__init__(space, seed, settings)
        self._best = np.zeros((0, space.size))
        self._scores = np.zeros(0)

    def ask(self, count: int) -> Inputs:
        """See ``Strategy``."""
        generator, dtype = self.generator(), self.space.dtype
        shape = (count, self.space.size)
        fresh = anywhere(generator, shape, dtype)
        if self.settings.finest < 0:
            # What rounding of the input loses is a part of an absolute error.
            fresh = np.where(generator.random(shape) < 0.5, generator.standard_normal(shape), fresh)
            fresh = halfway(generator, fresh, dtype)
        if not len(self._best):
            return self.space.split(fresh)
        parents = self._best[generator.integers(0, len(self._best), count)]
        # A share of the elements that is different for every input; at least one of them.
        share = generator.choice([0.0, 0.1, 0.5, 1.0], (count, 1))
        changed = generator.random(shape) < share
        changed[np.arange(count), generator.integers(0, self.space.size, count)] = True
        mutants = np.where(changed, self._changed(generator, parents), parents)
        repeated = generator.random((count, 1)) < _REPEATED
        mutants = np.where(repeated, self._repeated(generator, parents), mutants)
        new = generator.random((count, 1)) < _NEW
        return self.space.split(np.where(new, fresh, mutants))

    def _repeated(self, generator: np.random.Generator, parents: Array) -> Array:
        """One place of each parent in all places of each tensor, and numbers beside it."""
        rows, start, found = np.arange(len(parents)), 0, np.empty_like(parents)
        chosen = generator.integers(0, self.space.size, len(parents))
        for tensor in self.space.tensors:
            here = parents[rows, start + chosen % tensor.size]
            found[:, start : start + tensor.size] = here[:, None]
            start += tensor.size
        return moved(generator, found, self.space.dtype, 20, self.settings.finest)

    def _changed(self, generator: np.random.Generator, parents: Array) -> Array:
        """Every element of the parents as something else."""
        dtype, shape = self.space.dtype, parents.shape
        order = generator.permutation(parents.shape[1])
        moves = np.round(4.0 * generator.standard_normal(shape))
        tame = np.clip(parents, -1e300, 1e300)
        ways = [
            moved(generator, parents, dtype, 4, self.settings.finest),
            moved(generator, parents, dtype, 20, self.settings.finest),
            tame * np.exp2(moves),
            tame * (1.0 + 0.25 * generator.standard_normal(shape)),
            spread(generator, shape, dtype),
            generator.standard_normal(shape),
            generator.choice(edges(dtype), shape),
            np.where(generator.random(shape) < 0.5, -1.0, 1.0) * parents[:, order],
        ]
        if self.settings.finest < 0:
            ways += [halfway(generator, way, dtype) for way in ways]
        kind = generator.integers(0, len(ways), shape)
        return np.asarray(np.choose(kind, ways))

    def tell(self, inputs: Inputs, scores: Scores) -> None:
        """The best are kept."""
        flat = np.concatenate([self._best, self.space.joined(inputs)])
        found = np.concatenate([self._scores, np.nan_to_num(scores.of(self.settings.goal))])
        order = np.argsort(-found, kind="stable")[:_KEPT]
        self._best, self._scores = flat[order], found[order]

    def state(self) -> dict[str, Any]:
        """The best inputs, and what they scored."""
        return {**super().state(), "best": self._best, "scores": self._scores}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Strategy``."""
        super().restore(state)
        self._best, self._scores = np.asarray(state["best"]), np.asarray(state["scores"])
