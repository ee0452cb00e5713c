"""Which techniques a hunt uses, and whose turn it is."""

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from assay.campaign.hunt.options import HuntOptions
from assay.catalogue.chosen import Chosen
from assay.config import MutateConfig
from assay.errors import AssayError
from assay.ir import Trace, Trial, Verdict, to_json
from assay.ops import OpSpec
from assay.sources import Source, create, usual_techniques
from assay.sources.rewrite import Rewrite

#: Trials of a technique in each round, else one: a model costs as much as several calls.
_TURNS = {"single-op": 7}


def sources_for(
    techniques: Sequence[str],
    seed: int,
    arms: tuple[str, ...],
    vocabulary: Mapping[str, OpSpec],
    chosen: Chosen | None = None,
    mutation: MutateConfig | None = None,
) -> list[Source]:
    """The sources asked for; of the usual ones those that can use the ops named."""
    if techniques:
        return [create(name, seed, arms, vocabulary, chosen, mutation) for name in techniques]
    found: list[Source] = []
    refused: list[AssayError] = []
    for name in usual_techniques():
        try:
            found.append(create(name, seed, arms, vocabulary, chosen))
        except AssayError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    return found


def with_all_inputs(options: HuntOptions, sources: Sequence[Source]) -> HuntOptions:
    """The options with an end after the inputs that each pair of programs is to have.

    Where an end is told, it stays.
    """
    enough = sum(source.enough for source in sources if isinstance(source, Rewrite))
    if options.cases is not None or not enough:
        return options
    return msgspec.structs.replace(options, cases=enough)


def share(techniques: Sequence[str], index: int) -> tuple[int, int]:
    """Whose turn a trial is, as a place in ``techniques``, and its index among their own."""
    turns = [_TURNS.get(name, 1) for name in techniques]
    rounds, place = divmod(index, sum(turns))
    for technique, mine in enumerate(turns):
        if place < mine:
            return technique, rounds * mine + place
        place -= mine
    raise AssertionError("a place in a round belongs to someone")


@contextmanager
def _named(source: Source, what: str) -> Iterator[None]:
    """A fault of a technique that another package brings is told as theirs, not as ours."""
    try:
        yield
    except AssayError:
        raise
    except Exception as error:
        if type(source).__module__.startswith("assay."):
            raise
        raise AssayError(
            f'technique "{source.name}": {what}: {type(error).__name__}: {error}. '
            "Repair it; what was judged is stored."
        ) from error


def _check(trial: Trial, targets: Container[str]) -> None:
    """``ValueError`` for a trial of which something would silently not be compared."""
    if not isinstance(trial, Trial):
        raise TypeError(f"expected a Trial; received {type(trial).__name__}")
    names = {arm.name for arm in trial.arms}
    if not trial.arms or not trial.cases:
        raise ValueError("a trial has at least one arm and one case")
    if len(names) < len(trial.arms):
        raise ValueError("two arms of the trial have one name")
    for arm in trial.arms:
        if not 0 <= arm.case < len(trial.cases):
            raise ValueError(f"arm {arm.name!r} names case {arm.case} of {len(trial.cases)}")
        if arm.target not in targets:
            raise ValueError(f"arm {arm.name!r} is on no target of the hunt")
    strangers = sorted({name for item in trial.agreements for name in item.arms} - names)
    if strangers:
        raise ValueError(f"arms that are not there must agree: {', '.join(strangers)}")


class Turns:
    """The sources of a hunt as one: each trial is asked of whoever has its index.

    ``saved`` is what ``state`` gave when the campaign was left; ``targets`` are those that
    trials may name.
    """

    def __init__(
        self, sources: Sequence[Source], saved: Mapping[str, Any], targets: Container[str]
    ) -> None:
        self.sources = tuple(sources)
        self._targets = targets
        self.names = tuple(source.name for source in sources)
        self._told = dict.fromkeys(self.names, 0)
        for source in sources:
            if source.name in saved:
                self._told[source.name] = saved[source.name]["told"]
                with _named(source, "it could not go on from what was saved"):
                    source.restore(saved[source.name]["state"])

    def may_ask(self, index: int) -> bool:
        """Was all that the trial may depend on told? A generation waits for the one before."""
        source, own = self._whose(index)
        size = source.generation
        return not size or self._told[source.name] >= own // size * size

    def learning(self, index: int) -> frozenset[str]:
        """The name of the source of that trial, if it must be told of trials in their order."""
        source, _ = self._whose(index)
        return frozenset((source.name,)) if source.generation else frozenset()

    def ask(self, index: int) -> Trial:
        """The trial with that index in the hunt."""
        source, own = self._whose(index)
        with _named(source, f"trial {own} could not be asked for"):
            trial = source.ask(own)
            _check(trial, self._targets)
        return msgspec.structs.replace(trial, index=index)

    def tell(self, index: int, traces: Sequence[Trace], verdicts: Sequence[Verdict]) -> None:
        """What came of a trial. Of a source that learns, in the order of indices."""
        source, own = self._whose(index)
        with _named(source, f"trial {own} could not be told"):
            source.tell(own, traces, verdicts)
        self._told[source.name] += 1

    def state(self) -> dict[str, Any]:
        """What the sources that learn know, as plain data; nothing if none does."""
        found = {}
        for source in self.sources:
            if source.generation:
                with _named(source, "what it knows could not be saved"):
                    known = source.state()
                    to_json(known)
                    found[source.name] = {"told": self._told[source.name], "state": known}
        return found

    def _whose(self, index: int) -> tuple[Source, int]:
        place, own = share(self.names, index)
        return self.sources[place], own
