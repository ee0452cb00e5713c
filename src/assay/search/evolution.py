"""CMA-ES: a normal distribution of inputs that moves, and stretches, to where scores are high."""

from collections.abc import Mapping
from typing import Any

import cmaes
import numpy as np

from assay.ir import Array, derive
from assay.search._base import Inputs, Scores, Seeded, Settings, Space, strategy
from assay.search.numbers import anywhere
from assay_worker.precision.formats import FORMATS

#: Inputs of a generation, beside the number that the method itself proposes.
_GENERATION = 50
#: From so many numbers on it learns a variance for each, and no covariances.
_LARGE = 64
#: After so many generations without an improvement it starts from somewhere else.
_PATIENCE = 8
#: Width at first: in linear coordinates, and of all exponents.
_LINEAR, _SHARE = 0.5, 0.02


@strategy("cmaes")
class Evolution(Seeded):
    """Starts from the best of a population of numbers of every size, and again when it stalls.

    It moves in exponents where errors are told in units in the last place, so that numbers of any
    size are near; in the numbers themselves where they are told as they are.
    """

    name = "cmaes"

    def __init__(self, space: Space, seed: int, settings: Settings) -> None:
        super().__init__(space, seed, settings)
        self._start = np.zeros((0, space.size))
        self._height = 0.0
        self._idle = 0
        #: What was told since the start: points and scores, in whole generations and then the rest.
        self._told: list[tuple[Array, Array]] = []
        self._waiting: tuple[Array, Array] = (np.zeros((0, space.size)), np.zeros(0))
        self._optimizer: Any = None

    def ask(self, count: int) -> Inputs:
        """See ``Strategy``."""
        generator, shape = self.generator(), (count, self.space.size)
        if not len(self._start):
            return self.space.split(anywhere(generator, shape, self.space.dtype))
        optimizer = self._made()
        optimizer.reseed_rng(int(generator.integers(1 << 31)))
        points = np.array([optimizer.ask() for _ in range(count)])[:, : self.space.size]
        return self.space.split(self._numbers(points))

    def tell(self, inputs: Inputs, scores: Scores) -> None:
        """Generations are complete when enough inputs were told."""
        found = np.nan_to_num(scores.of(self.settings.goal))
        flat = self.space.joined(inputs)
        if not len(self._start):
            best = int(np.argmax(found))
            self._start, self._height = flat[best : best + 1], float(found[best])
            return
        points = np.concatenate([self._waiting[0], self._points(flat)])
        values = np.concatenate([self._waiting[1], found])
        while len(points) >= _GENERATION:
            self._learn(points[:_GENERATION], values[:_GENERATION])
            points, values = points[_GENERATION:], values[_GENERATION:]
            if not len(self._start):
                return
        self._waiting = points, values

    def _learn(self, points: Array, values: Array) -> None:
        self._made()
        self._hear(points, values)
        self._told.append((points, values))
        best = float(values.max())
        self._idle = 0 if best > self._height else self._idle + 1
        self._height = max(best, self._height)
        if self._idle >= _PATIENCE or self._made().should_stop():
            self._begin(np.zeros((0, self.space.size)), 0.0)

    def _begin(self, start: Array, height: float) -> None:
        self._start, self._height, self._idle = start, height, 0
        self._told, self._optimizer = [], None
        self._waiting = (np.zeros((0, self.space.size)), np.zeros(0))

    def _made(self) -> Any:
        """The optimizer, which knows what was told since the start."""
        if self._optimizer is None:
            kind = cmaes.CMA if self.space.size < _LARGE else cmaes.SepCMA
            start = self._points(self._start)[0]
            self._optimizer = kind(
                # It takes two numbers at least: of one, the second means nothing.
                start if len(start) > 1 else np.append(start, 0.0),
                _LINEAR if self._linear else _SHARE,
                seed=derive(self._seed, self.name) % (1 << 31),
                population_size=_GENERATION,
            )
            for points, values in self._told:
                self._hear(points, values)
        return self._optimizer

    def _hear(self, points: Array, values: Array) -> None:
        if points.shape[1] == 1:
            points = np.concatenate([points, np.zeros_like(points)], axis=1)
        self._optimizer.tell(list(zip(points, -values, strict=True)))

    @property
    def _linear(self) -> bool:
        return self.settings.goal != "units"

    def _points(self, flat: Array) -> Array:
        """Numbers as points: exponents from 0 to 1 of all, with the sign of the number."""
        if self._linear:
            return np.asarray(flat)
        found = FORMATS[self.space.dtype]
        with np.errstate(divide="ignore"):
            exponents = np.maximum(np.log2(np.abs(flat)), found.least) - found.least
        return np.asarray(np.copysign(exponents / (found.greatest - found.least), flat))

    def _numbers(self, points: Array) -> Array:
        """The inverse; what is beyond the format is kept at its end."""
        if self._linear:
            return points
        found = FORMATS[self.space.dtype]
        exponents = found.least + np.abs(points) * (found.greatest - found.least)
        sizes = np.exp2(np.minimum(exponents, found.greatest + 0.999))
        return np.asarray(np.copysign(sizes, points))

    def state(self) -> dict[str, Any]:
        """Where it started, and what it was told since."""
        points, values = self._waiting
        return {
            **super().state(),
            "start": self._start,
            "height": self._height,
            "idle": self._idle,
            "told": [{"points": one, "values": other} for one, other in self._told],
            "waiting": {"points": points, "values": values},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Strategy``."""
        super().restore(state)
        self._begin(np.asarray(state["start"]), state["height"])
        self._idle = state["idle"]
        self._told = [_pair(item) for item in state["told"]]
        self._waiting = _pair(state["waiting"])


def _pair(item: Mapping[str, Any]) -> tuple[Array, Array]:
    return np.asarray(item["points"]), np.asarray(item["values"])
