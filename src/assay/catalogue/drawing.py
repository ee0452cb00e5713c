"""Cases of a catalogue's calls: what hunts draw."""

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from assay.catalogue.chosen import Drawing
from assay.catalogue.records import Call, Entry
from assay.ir import Case, Explicit, Graph, Input, Node, Recipe
from assay_worker.catalogue import drawing

#: The only node of a drawn case.
NODE = "call"


#: (api, aspect, class), as in ``Trial.classes``.
Triple = tuple[str, str, str]


class Drawn(NamedTuple):
    """A case, and the triples by which it differs from the sample."""

    case: Case
    classes: tuple[Triple, ...]


def drawn(entry: Entry, call: Call, seed: int, how: Drawing = "usual") -> Drawn:
    """A case with sizes, dtypes and values drawn anew: a function of its arguments."""
    plain = plain_call(call)
    uniform = how == "uniform"
    choice = drawing.uniform(plain, seed) if uniform else drawing.chosen(plain, seed)
    return _case(entry, plain, choice)


def sampled(entry: Entry, call: Call, seed: int = 0) -> Drawn:
    """The sample's own sizes and dtypes, with values drawn anew."""
    plain = plain_call(call)
    return _case(entry, plain, drawing.sample(plain, seed))


def possible(entry: Entry, calls: Iterable[Call]) -> Iterator[Triple]:
    """Every triple that draws of these calls can have."""
    for call in calls:
        for aspect, name in drawing.possible(plain_call(call)):
            yield entry.api, aspect, name


def _case(entry: Entry, call: Mapping[str, Any], choice: drawing.Choice) -> Drawn:
    made = drawing.drawn(call, choice)
    inputs = tuple(
        Input(item["name"], tuple(item["shape"]), item["dtype"]) for item in made["inputs"]
    )
    node = Node(NODE, entry.api, (), made["params"], made["arguments"])
    recipes = {item["name"]: _recipe(item["recipe"]) for item in made["inputs"]}
    classes = tuple((entry.api, *pair) for pair in drawing.features(call, choice))
    return Drawn(Case(Graph(inputs, (node,), (NODE,)), recipes), classes)


def _recipe(plain: dict[str, Any]) -> Recipe:
    if plain["kind"] == "explicit":
        return Explicit(plain["array"])
    return msgspec.convert(plain, Recipe)  # type: ignore[no-any-return]


def plain_call(call: Call) -> dict[str, Any]:
    """A call as the shared module takes it. Hunts draw many times of each: it is kept."""
    return _plain(_Kept(call))


class _Kept:
    """A call as the key of a cache: calls hold dictionaries, which cannot be hashed."""

    def __init__(self, call: Call) -> None:
        self.call = call

    def __hash__(self) -> int:
        return id(self.call)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kept) and other.call is self.call


@functools.lru_cache(maxsize=4096)
def _plain(kept: _Kept) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(kept.call)
    return found
