"""What sources that learn have in common: generations, and a memory that survives a kill.

A subclass says what one trial is worth (``assess``), what a generation teaches (``learn``) and
what it remembers (``memory``, ``remember``); when what is told counts is settled here.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from assay.ir import Trace, Trial, Verdict


class Generational(ABC):
    """A source that learns from all trials of a generation at once.

    ``propose`` and ``learn`` may use what ``learn`` left behind, the seed and the index, and
    nothing else. What ``assess`` gives must be plain data: it is saved until the generation is
    complete.
    """

    def __init__(self, generation: int) -> None:
        if generation < 1:
            raise ValueError(f"a generation has at least one trial; received {generation}")
        self._size = generation
        self._complete = 0
        self._told: list[Any] = []

    @property
    def generation(self) -> int:
        """How many trials a generation has."""
        return self._size

    def ask(self, index: int) -> Trial:
        """A trial of the generation that is under way."""
        if index // self._size != self._complete:
            raise ValueError(
                f"trial {index} is of generation {index // self._size}, "
                f"and {self._complete} generations were told"
            )
        return self.propose(index)

    def tell(self, index: int, traces: Sequence[Trace], verdicts: Sequence[Verdict]) -> None:
        """Remember what a trial was worth; learn when it was the last of its generation."""
        expected = self._complete * self._size + len(self._told)
        if index != expected:
            raise ValueError(f"expected to be told of trial {expected}; received {index}")
        self._told.append(self.assess(index, traces, verdicts))
        if len(self._told) == self._size:
            self.learn(self._told)
            self._told = []
            self._complete += 1

    def state(self) -> dict[str, Any]:
        """Generations told, what was told of the one under way, and what the subclass knows."""
        return {"complete": self._complete, "told": list(self._told), "memory": self.memory()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        self._complete, self._told = int(state["complete"]), list(state["told"])
        self.remember(state["memory"])

    @abstractmethod
    def propose(self, index: int) -> Trial:
        """The trial with that index, given what was learned."""

    @abstractmethod
    def assess(self, index: int, traces: Sequence[Trace], verdicts: Sequence[Verdict]) -> Any:
        """What a trial was worth, as plain data."""

    @abstractmethod
    def learn(self, told: Sequence[Any]) -> None:
        """Learn from a whole generation: what ``assess`` gave, in the order of indices."""

    @abstractmethod
    def memory(self) -> Any:
        """What was learned, as plain data."""

    @abstractmethod
    def remember(self, memory: Any) -> None:
        """Go on from what ``memory`` gave."""
