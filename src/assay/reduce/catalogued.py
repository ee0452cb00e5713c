"""Calls of a catalogue: no spec says what is legal, but what was drawn says it."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from assay.ir import Case, Integers, Mixed, Node, Recipe, Uniform, is_tensor
from assay.ir.transform import with_node
from assay.ops import Domain
from assay.reduce.order import weight

#: Values that a call needs as they are: none are offered in their place.
FIXED = Domain(low=0.0, high=-1.0, special=False, kind="corners")
_PLAIN_NUMBERS: tuple[float, ...] = (0, 1, 2, 0.5, -1)


def is_catalogued(case: Case) -> bool:
    """Is it one call of a catalogue?"""
    nodes = case.graph.nodes
    return len(nodes) == 1 and nodes[0].catalogued


def ranges_of(case: Case) -> dict[str, Domain]:
    """Where the elements of each input of a call of a catalogue may come from."""
    if not is_catalogued(case):
        return {}
    return {name: _range(recipe) for name, recipe in case.inputs.items()}


def _range(recipe: Recipe) -> Domain:
    if isinstance(recipe, (Uniform, Mixed)):
        return Domain(recipe.low, recipe.high, special=isinstance(recipe, Mixed))
    if isinstance(recipe, Integers):
        return Domain(recipe.low, recipe.high, special=False, kind="ids")
    return FIXED


def resized(case: Case, old: int, new: int) -> Case:
    """The call with every argument that was as large as an axis as large as that is now."""
    (node,) = case.graph.nodes

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(item) for item in value]
        return new if type(value) is int and value == old else value

    params, arguments = (
        {key: changed(value) for key, value in part.items()}
        for part in (node.params, node.arguments)
    )
    return with_node(case, replace(node, params=params, arguments=arguments))


def constants(node: Node) -> list[str]:
    """Arguments without a tensor, those with a place only where nothing stands behind them."""
    found = [key for key, value in node.arguments.items() if not _reads(value)]
    places = sorted((int(key) for key in node.arguments if key.isdigit()), reverse=True)
    last = []
    for place in places:
        if str(place) not in found:
            break
        last.append(str(place))
    return [key for key in found if not key.isdigit() or key in last]


def plainer_arguments(case: Case) -> Iterator[Case]:
    """The call with one of its numbers plainer."""
    (node,) = case.graph.nodes
    for key, value in node.arguments.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        for other in sorted(_PLAIN_NUMBERS, key=weight):
            plain = type(value)(other)
            if plain == other and weight(plain) < weight(value):
                yield with_node(case, replace(node, arguments={**node.arguments, key: plain}))


def _reads(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_reads, value))
    return is_tensor(value) or (isinstance(value, dict) and any(map(_reads, value.values())))
