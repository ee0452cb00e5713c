"""Searched: a trial on which nothing showed, on more inputs, and then by populations.

Populations are evaluated by many individuals in one request (``assay_worker.individuals``). What
fails there becomes a case with its own arrays, and goes the way of every other trial.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from assay.campaign.hunt.fitness import Failing, Seen, failing, fitness, seen_of
from assay.campaign.hunt.individuals import Genes, Rows, drawn
from assay.campaign.running.laboratory import Laboratory
from assay.execute import Death
from assay.ir import Array, Case, Search, Trial
from assay.search import Breeding, Scores, Settings, create

#: Numbers that are sent in one request, and individuals.
_NUMBERS, _AT_ONCE = 1 << 23, 128
#: Cases that are looked at for one population, and for a whole search.
_OF_A_POPULATION, _AT_MOST = 2, 8

#: Looks at a case as at any trial: is it a bug?
Examine = Callable[[Case], bool]


class Searched(msgspec.Struct, frozen=True):
    """How a search went: how many individuals were evaluated, how many were looked at as cases,
    and how many showed a bug; the best fitness of each generation."""

    evaluations: int = 0
    examined: int = 0
    shown: int = 0
    best: tuple[float, ...] = ()


class Searching:
    """The search that a trial asks for, on these targets; a function of the trial and of what
    they answer."""

    def __init__(
        self,
        trial: Trial,
        targets: Sequence[str],
        laboratory: Laboratory,
        examine: Examine,
        seconds: float | None,
    ) -> None:
        assert trial.search is not None
        self._search: Search = trial.search
        self._case = trial.case
        self._targets = tuple(targets)
        self._laboratory = laboratory
        self._examine = examine
        self._seconds = seconds
        self._known: set[tuple[str, tuple[str, ...], str]] = set()
        self._evaluations = self._examined = self._shown = 0
        self._best: list[float] = []

    def run(self) -> Searched:
        """Search to its end."""
        if self._targets:
            self._instances()
            if not self._enough() and self._search.generations:
                self._generations()
        return Searched(self._evaluations, self._examined, self._shown, tuple(self._best))

    def _enough(self) -> bool:
        return self._shown >= self._search.failing or self._examined >= _AT_MOST

    def _instances(self) -> None:
        """Look at further draws of the inputs."""
        rows = drawn(self._case, self._search.instances)
        if rows.count and rows.inputs:
            plain = msgspec.structs.replace(self._search, level="input")
            self._look(self._evaluated(rows), rows, Genes(self._case, plain, {}, ()))

    def _generations(self) -> None:
        genes = self._genes()
        if genes is None or not genes.space().size:
            return
        own = self._search
        breeding = Breeding(own.parents, own.crossover, own.mutation, own.noise)
        strategy = create(own.strategy, genes.space(), own.seed, Settings(breeding=breeding))
        count = own.population
        for _ in range(own.generations):
            added = strategy.ask(count)
            rows = genes.rows(added)
            seen = self._evaluated(rows)
            found = self._look(seen, rows, genes)
            self._best.append(float(found.max()))
            if self._enough() or not seen:
                return
            strategy.tell(added, Scores(found, found, found))
            # The parents go on as they are, and their scores are known.
            count = own.population - own.parents if own.strategy == "genetic" else own.population

    def _genes(self) -> Genes | None:
        """The numbers to change; None if nobody tells the weights."""
        own = self._search
        if own.level == "input":
            return Genes(self._case, own, {}, ())
        for target in self._targets:
            answer = self._ask((target,), "weights", {}).get(target)
            if isinstance(answer, dict) and answer["status"] == "ok":
                return Genes(self._case, own, answer["weights"], answer["positive"])
        return None

    def _look(self, seen: Mapping[str, Seen], rows: Rows, genes: Genes) -> Array:
        """The fitness of all; those that fail are looked at, the fittest of each kind first."""
        own = self._search
        found = fitness(seen, own.goal, rows.count)
        suspects = failing(seen, own.goal, rows.count, own.published)
        suspects.sort(key=lambda item: -found[item.row])
        for item in list(self._new(suspects))[:_OF_A_POPULATION]:
            if self._enough():
                break
            self._known.add(item.key)
            self._examined += 1
            self._shown += self._examine(genes.case(rows, item.row))
        return found

    def _new(self, suspects: Sequence[Failing]) -> Iterator[Failing]:
        """One of each kind that was not looked at; a target that died may die of others again."""
        here: set[tuple[str, tuple[str, ...], str]] = set()
        for item in suspects:
            if item.key not in here and item.key not in self._known:
                here.add(item.key)
                yield item

    def _evaluated(self, rows: Rows) -> dict[str, Seen]:
        """What the targets give for all individuals."""
        self._evaluations += rows.count
        most = max(1, min(_AT_ONCE, _NUMBERS // max(1, rows.numbers)))
        size = -(-rows.count // -(-rows.count // most))
        parts: dict[str, list[tuple[Sequence[int], Mapping[str, Any] | str]]] = {
            target: [] for target in self._targets
        }
        for start in range(0, rows.count, size):
            some = range(start, min(start + size, rows.count))
            answers = self._ask(self._targets, "run", _asked(rows.part(some)))
            for target in self._targets:
                if target in answers:
                    parts[target] += self._parts(target, rows, some, answers[target])
        told = {target: item for target, item in parts.items() if item}
        return {target: seen_of(item, rows.count) for target, item in told.items()}

    def _parts(
        self, target: str, rows: Rows, some: Sequence[int], answer: dict[str, Any] | Death
    ) -> list[tuple[Sequence[int], Mapping[str, Any] | str]]:
        """The answer; of a part that killed the target, those of its halves."""
        if not isinstance(answer, Death):
            return [(some, answer)] if answer["status"] == "ok" else []
        if len(some) == 1:
            return [(some, answer.cause)]
        found = []
        for half in (some[: len(some) // 2], some[len(some) // 2 :]):
            again = self._ask((target,), "run", _asked(rows.part(half))).get(target)
            if again is not None:
                found += self._parts(target, rows, half, again)
        return found

    def _ask(
        self, targets: Sequence[str], step: str, more: Mapping[str, Any]
    ) -> dict[str, dict[str, Any] | Death]:
        return self._laboratory.individuals(
            self._case, self._search.logits, targets, step, more, self._seconds
        )


def _asked(rows: Rows) -> dict[str, Any]:
    """Individuals as a worker takes them."""
    weights = [[node, place, array] for (node, place), array in rows.weights.items()]
    return {"count": rows.count, "inputs": rows.inputs, "weights": weights}
