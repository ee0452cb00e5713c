"""Draw: random decisions that are the same for a seed on every machine and version."""

import random
from collections.abc import Sequence
from typing import TypeVar

from assay.ir import derive

Item = TypeVar("Item")


class Draw:
    """A stream of decisions, a function of the seed alone.

    Built on ``random.Random.random``, the one method whose stream Python
    promises to keep. With a ``turn`` (of a sequence of draws of one ``series``)
    some decisions are made in turn, so that few draws meet every choice.
    """

    def __init__(self, seed: int, turn: int | None = None, series: int = 0) -> None:
        self._next = random.Random(seed).random
        self._turn = turn
        self._series = series
        self._taken: set[str] = set()

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return self._next() < probability

    def share(self) -> float:
        """A number from 0 to 1, 1 excluded."""
        return self._next()

    def below(self, count: int) -> int:
        """A whole number from 0 to ``count - 1``."""
        return int(self._next() * count)

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items; ``items`` must not be empty."""
        return items[self.below(len(items))]

    def in_turn(self, name: str, items: Sequence[Item]) -> Item:
        """One of the items: in as many turns as there are items, each of them once.

        A second decision of the same name is a random one, and so is every one
        without a turn.
        """
        if self._turn is None or name in self._taken:
            return self.pick(items)
        self._taken.add(name)
        block, place = divmod(self._turn, len(items))
        return Draw(derive(self._series, name, block)).order(items)[place]

    def order(self, items: Sequence[Item]) -> list[Item]:
        """The items in a random order."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result
