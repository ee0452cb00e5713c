"""The contract of a search, and the registry of strategies."""

import threading
from collections.abc import Callable, Mapping
from functools import cache
from math import prod
from typing import Any, Protocol, TypeVar

import msgspec
import numpy as np

from assay import extensions
from assay.errors import AssayError
from assay.ir import Array, derive
from assay.suggest import unknown
from assay_worker.precision.formats import largest

#: Entry points of this group are factories; the entry point's name is that of the strategy.
GROUP = "assay.strategies"

#: Tensors by name, each with one more axis in front: an input per row.
Inputs = Mapping[str, Array]


class Tensor(msgspec.Struct, frozen=True):
    """A tensor that is searched. ``low`` to ``high`` is where its numbers may be, both included."""

    name: str
    shape: tuple[int, ...]
    low: float = -np.inf
    high: float = np.inf

    @property
    def size(self) -> int:
        """How many elements it has."""
        return prod(self.shape)


class Space(msgspec.Struct, frozen=True):
    """What is searched: tensors of an operator's input, in a number format."""

    tensors: tuple[Tensor, ...]
    dtype: str = "float32"

    @property
    def size(self) -> int:
        """How many numbers an input has."""
        return sum(tensor.size for tensor in self.tensors)

    def split(self, flat: Array) -> dict[str, Array]:
        """Rows of all numbers as tensors by name: finite, and each within its bounds."""
        found, start, most = {}, 0, largest(self.dtype)
        for tensor in self.tensors:
            low, high = max(tensor.low, -most), min(tensor.high, most)
            part = np.clip(flat[:, start : start + tensor.size], low, high)
            found[tensor.name] = part.reshape(len(flat), *tensor.shape)
            start += tensor.size
        return found

    def joined(self, inputs: Inputs) -> Array:
        """The inverse of ``split``."""
        rows = [np.reshape(inputs[item.name], (-1, item.size)) for item in self.tensors]
        return np.concatenate(rows, axis=1)


class Breeding(msgspec.Struct, frozen=True):
    """What the genetic strategy may be told.

    So many ``parents`` are kept; a gene is the first parent's with the chance ``crossover``, a
    child is mutated with the chance ``mutation``, by Cauchy noise of the scale ``noise``.
    """

    parents: int = 10
    crossover: float = 0.5
    mutation: float = 0.5
    noise: float = 1.0


class Settings(msgspec.Struct, frozen=True):
    """What a user may choose. ``theta`` are the largest perturbations, ``corpus`` how many inputs.

    ``goal`` is the score that is to be large: ``linf`` or ``l1`` (absolute), or ``units``.
    """

    theta: tuple[float, ...] = (1e-4, 1e-6, 1e-8)
    corpus: int = 1000
    goal: str = "units"
    breeding: Breeding = Breeding()

    @property
    def finest(self) -> int:
        """The smallest step worth taking, as a power of two in units in the last place.

        Of absolute errors, rounding of the input is a part: what it loses is less than a unit.
        """
        return 0 if self.goal == "units" else -6


class Scores(msgspec.Struct, frozen=True):
    """What a population scored, a number per input: larger is further from the truth.

    ``linf`` is the largest absolute error of an element, ``l1`` the sum over elements, ``units``
    the largest error in units in the last place that the input does not explain.
    """

    linf: Array
    l1: Array
    units: Array

    def of(self, goal: str) -> Array:
        """The score of that name."""
        found: Array = getattr(self, goal)
        return found


class Strategy(Protocol):
    """Proposes inputs, a whole population at a time, and may learn from what they scored.

    What is asked for is a function of space, seed, settings, and of all that was asked for and
    told before, in order. Every population is told before the next is asked for. ``restore`` of
    what ``state`` gave, between two populations, makes a new strategy go on as the old one would.
    """

    @property
    def name(self) -> str:
        """As ``--strategy`` takes it."""

    def ask(self, count: int) -> Inputs:
        """Exactly ``count`` inputs (float64, within the bounds), not yet rounded to the format."""

    def tell(self, inputs: Inputs, scores: Scores) -> None:
        """What they scored, in their order."""

    def state(self) -> dict[str, Any]:
        """What was learned so far, as data for ``assay.ir.to_json``."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``state`` gave; called before the first ``ask``."""


class Seeded:
    """What strategies share: a space, settings, and a generator of its own for each population."""

    name = ""

    def __init__(self, space: Space, seed: int, settings: Settings) -> None:
        self.space = space
        self.settings = settings
        self._seed = seed
        self._asked = 0

    def generator(self) -> np.random.Generator:
        """Random numbers for the next population: a function of the seed and of its number."""
        self._asked += 1
        return np.random.Generator(np.random.PCG64(derive(self._seed, self.name, self._asked)))

    def tell(self, inputs: Inputs, scores: Scores) -> None:
        """Nothing is learned."""

    def state(self) -> dict[str, Any]:
        """How many populations were asked for."""
        return {"asked": self._asked}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Strategy``."""
        self._asked = state["asked"]


#: Makes a strategy of a space, a seed and settings.
Factory = Callable[[Space, int, Settings], Strategy]
_Factory = TypeVar("_Factory", bound=Factory)

_registered: dict[str, Factory] = {}


def strategy(name: str) -> Callable[[_Factory], _Factory]:
    """Register a factory (often the class itself) under a strategy's name."""

    def add(factory: _Factory) -> _Factory:
        if name in _registered:
            raise AssayError(f'strategy "{name}" is registered twice. Rename one of them.')
        _registered[name] = factory
        return factory

    return add


#: Strategies are registered once, whichever thread asks for them first.
_LOADING = threading.Lock()


def _load() -> None:
    with _LOADING:
        _register()


@cache
def _register() -> None:
    # Imported for their registration.
    from assay.search import (  # noqa: F401
        climbing,
        corners,
        elements,
        evolution,
        exponents,
        genetic,
        gradient,
        mixture,
        predoo,
    )

    for name, factory in extensions.load(GROUP).items():
        strategy(name)(factory)


def strategies() -> tuple[str, ...]:
    """Names of all strategies, in alphabetical order."""
    _load()
    return tuple(sorted(_registered))


def create(name: str, space: Space, seed: int, settings: Settings | None = None) -> Strategy:
    """The strategy of a name; ``AssayError`` if there is none."""
    if name not in strategies():
        raise AssayError(unknown("strategy", name, strategies()))
    return _registered[name](space, seed, settings or Settings())
