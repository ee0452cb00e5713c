"""Which techniques a hunt uses, and whose turn it is."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.ir import Trace, Trial, Verdict
from assay.ops import OpSpec
from assay.sources import Source, create, usual_techniques

#: Trials of a technique in each round, else one: a model costs as much as several calls.
_TURNS = {"single-op": 7}


def sources_for(
    techniques: Sequence[str], seed: int, arms: tuple[str, ...], vocabulary: Mapping[str, OpSpec]
) -> list[Source]:
    """The sources asked for; of the usual ones those that can use the ops named."""
    if techniques:
        return [create(name, seed, arms, vocabulary) for name in techniques]
    found: list[Source] = []
    refused: list[AssayError] = []
    for name in usual_techniques():
        try:
            found.append(create(name, seed, arms, vocabulary))
        except AssayError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    return found


def share(techniques: Sequence[str], index: int) -> tuple[int, int]:
    """Whose turn a trial is, as a place in ``techniques``, and its index among their own."""
    turns = [_TURNS.get(name, 1) for name in techniques]
    rounds, place = divmod(index, sum(turns))
    for technique, mine in enumerate(turns):
        if place < mine:
            return technique, rounds * mine + place
        place -= mine
    raise AssertionError("a place in a round belongs to someone")


class Turns:
    """The sources of a hunt as one: each trial is asked of whoever has its index.

    ``saved`` is what ``state`` gave when the campaign was left.
    """

    def __init__(self, sources: Sequence[Source], saved: Mapping[str, Any]) -> None:
        self.sources = tuple(sources)
        self.names = tuple(source.name for source in sources)
        self._told = dict.fromkeys(self.names, 0)
        for source in sources:
            if source.name in saved:
                self._told[source.name] = saved[source.name]["told"]
                source.restore(saved[source.name]["state"])

    def may_ask(self, index: int) -> bool:
        """Was all that the trial may depend on told? A generation waits for the one before."""
        source, own = self._whose(index)
        size = source.generation
        return not size or self._told[source.name] >= own // size * size

    def ask(self, index: int) -> Trial:
        """The trial with that index in the hunt."""
        source, own = self._whose(index)
        return msgspec.structs.replace(source.ask(own), index=index)

    def tell(self, index: int, traces: Sequence[Trace], verdicts: Sequence[Verdict]) -> None:
        """What came of a trial. In the order of indices."""
        source, own = self._whose(index)
        source.tell(own, traces, verdicts)
        self._told[source.name] += 1

    def state(self) -> dict[str, Any]:
        """What the sources that learn know, as plain data; nothing if none does."""
        return {
            source.name: {"told": self._told[source.name], "state": source.state()}
            for source in self.sources
            if source.generation
        }

    def _whose(self, index: int) -> tuple[Source, int]:
        place, own = share(self.names, index)
        return self.sources[place], own
