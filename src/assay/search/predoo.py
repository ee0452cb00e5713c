"""The published strategies (Predoo, ISSTA 2021): seeds of a normal distribution, and guided ones.

A corpus of seeds is used up from its front; every input that is taken gives one mutant for each
theta: the same number, drawn from 0 to theta, is added to all of its elements. A mutant that
raises the largest error so far returns to the corpus, so that its surroundings are explored. An
empty corpus is filled with new seeds.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.ir import Array
from assay.search._base import Inputs, Scores, Seeded, Settings, Space, strategy


@strategy("random")
class Normal(Seeded):
    """Inputs of the standard normal distribution, each independent of the others."""

    name = "random"

    def ask(self, count: int) -> Inputs:
        """See ``Strategy``."""
        return self.space.split(self.generator().standard_normal((count, self.space.size)))


class _Guided(Seeded):
    """Seeds and mutants, guided by one norm of the error."""

    norm = ""

    def __init__(self, space: Space, seed: int, settings: Settings) -> None:
        super().__init__(space, seed, settings)
        self._corpus = np.zeros((0, space.size))
        self._largest = 0.0

    def ask(self, count: int) -> Inputs:
        """See ``Strategy``."""
        generator = self.generator()
        thetas = np.asarray(self.settings.theta)
        taken = -(-count // len(thetas))
        while len(self._corpus) < taken:
            seeds = generator.standard_normal((self.settings.corpus, self.space.size))
            self._corpus = np.concatenate([self._corpus, seeds])
        chosen, self._corpus = self._corpus[:taken], self._corpus[taken:]
        moves = thetas * generator.random((taken, len(thetas)))
        mutants = chosen[:, None, :] + moves[:, :, None]
        return self.space.split(mutants.reshape(-1, self.space.size)[:count])

    def tell(self, inputs: Inputs, scores: Scores) -> None:
        """An input that raises the largest error returns to the corpus."""
        found: Array = scores.of(self.norm)
        before = np.concatenate([[self._largest], np.maximum(found, self._largest)[:-1]])
        raises = found > np.maximum.accumulate(before)
        if raises.any():
            self._corpus = np.concatenate([self._corpus, self.space.joined(inputs)[raises]])
            self._largest = float(found.max())

    def state(self) -> dict[str, Any]:
        """The corpus, and the largest error."""
        return {**super().state(), "corpus": self._corpus, "largest": self._largest}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Strategy``."""
        super().restore(state)
        self._corpus, self._largest = np.asarray(state["corpus"]), state["largest"]


@strategy("linf")
class Linf(_Guided):
    """Guided by the largest error of an element."""

    name = norm = "linf"


@strategy("l1")
class L1(_Guided):
    """Guided by the sum of the errors of all elements."""

    name = norm = "l1"
