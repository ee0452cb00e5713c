"""Individuals of a search: how numbers of a case become rows, and rows become cases again."""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from assay.ir import Array, Case, Explicit, Search, derive
from assay.ops import Draw
from assay.search import Space, Tensor

#: Weights that are searched at most: a population has them all at once, in double precision.
MOST_WEIGHTS = 1 << 19
#: Name of a weight: its node, and its place among the node's weights.
Place = tuple[str, int]


class Rows(msgspec.Struct, frozen=True):
    """Inputs and weights of individuals; the first axis counts them."""

    count: int
    inputs: dict[str, Array]
    weights: dict[Place, Array]

    @property
    def numbers(self) -> int:
        """How many numbers each has."""
        arrays = (*self.inputs.values(), *self.weights.values())
        return sum(array[0].size for array in arrays) if self.count else 0

    def part(self, rows: Sequence[int]) -> "Rows":
        """Some of them."""
        return Rows(
            len(rows),
            {name: array[list(rows)] for name, array in self.inputs.items()},
            {place: array[list(rows)] for place, array in self.weights.items()},
        )


class Genes:
    """The numbers of a case that a search changes, and their names in its space."""

    def __init__(
        self,
        case: Case,
        search: Search,
        weights: Mapping[str, Sequence[Array]],
        positive: Sequence[tuple[str, int]],
    ) -> None:
        self._case = case
        self._weights = {name: [np.asarray(a) for a in arrays] for name, arrays in weights.items()}
        self._search = search
        self._positive = {(node, place) for node, place in positive}
        self._own: dict[str, Array] = {}
        self._place: dict[str, Place] = {}
        if search.level != "weight":
            arrays = case.input_arrays()
            self._own |= {f"input {n}": a for n, a in arrays.items() if a.dtype.kind == "f"}
        if search.level != "input":
            for node, place in self._chosen():
                name = f"weight {node} {place}"
                self._own[name], self._place[name] = self._weights[node][place], (node, place)

    def _chosen(self) -> list[Place]:
        """All weights; of a large model as many as a population can have, by the search's seed."""
        places = [(node, place) for node, own in self._weights.items() for place in range(len(own))]
        chosen, numbers = set(), 0
        for node, place in Draw(derive(self._search.seed, "weights")).order(places):
            size = self._weights[node][place].size
            if numbers + size <= MOST_WEIGHTS:
                chosen.add((node, place))
                numbers += size
        return [place for place in places if place in chosen]

    def space(self) -> Space:
        """What is searched: what is added to the numbers."""
        return Space(tuple(Tensor(name, array.shape) for name, array in self._own.items()))

    def rows(self, added: Mapping[str, Array]) -> Rows:
        """The individuals with that added to the case's own numbers."""
        inputs: dict[str, Array] = {}
        weights: dict[Place, Array] = {}
        count = 0
        for name, own in self._own.items():
            bound = self._search.weight_bound if name in self._place else self._search.bound
            most = min(bound, float(np.finfo(own.dtype).max))
            low = 0.0 if self._place.get(name) in self._positive else -most
            # Numbers that were beyond the bound before may stay.
            summed = np.clip(own + added[name], np.minimum(low, own), np.maximum(most, own))
            summed = summed.astype(own.dtype)
            count = len(summed)
            if name in self._place:
                weights[self._place[name]] = summed
            else:
                inputs[name.removeprefix("input ")] = summed
        return Rows(count, inputs, weights)

    def case(self, rows: Rows, row: int) -> Case:
        """One individual as a case of its own."""
        inputs = {name: Explicit(array[row]) for name, array in rows.inputs.items()}
        weights = {
            node: tuple(
                Explicit(rows.weights[node, place][row] if (node, place) in rows.weights else own)
                for place, own in enumerate(arrays)
            )
            for node, arrays in self._weights.items()
            if any((node, place) in rows.weights for place in range(len(arrays)))
        }
        return msgspec.structs.replace(
            self._case,
            inputs={**self._case.inputs, **inputs},
            explicit_weights={**self._case.explicit_weights, **weights},
        )


def drawn(case: Case, count: int) -> Rows:
    """So many draws of a case's inputs."""
    draws = [case.drawn(number + 1).input_arrays() for number in range(count)]
    names = list(draws[0]) if draws else []
    return Rows(count, {name: np.stack([draw[name] for draw in draws]) for name in names}, {})
