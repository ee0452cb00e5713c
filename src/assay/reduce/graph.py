"""Fewer nodes and fewer inputs."""

from collections.abc import Iterator

from msgspec.structs import replace

from assay.ir import Case, is_tensor
from assay.ir.transform import (
    bypassed,
    cut_out,
    reading,
    with_node,
    without_parameters,
    without_unused_inputs,
)
from assay.reduce.ddmin import ddmin
from assay.reduce.search import Search


def fewer_nodes(search: Search) -> None:
    """ddmin over the nodes: a removed one is bypassed, or what it gave becomes an input."""
    if len(search.case.graph.nodes) == 1:
        return
    whole = search.case

    def shows(kept: list[str]) -> bool:
        candidates = (bypassed(whole, kept), cut_out(whole, kept, search.shown.tensors))
        return any(candidate is not None and search.accept(candidate) for candidate in candidates)

    ddmin([node.id for node in whole.graph.nodes], shows)


def fewer_inputs(search: Search) -> None:
    """Without optional tensors, and with fewer tensors in lists."""
    while search.first(_leaner(search.case)) or search.first(_merged(search)):
        pass


def _leaner(case: Case) -> Iterator[Case]:
    for node in case.graph.nodes:
        for key, value in node.arguments.items():
            if key.isdigit() and str(int(key) + 1) in node.arguments:
                continue  # what stands behind it would take its place
            if is_tensor(value) or (isinstance(value, list) and any(map(is_tensor, value))):
                yield without_unused_inputs(without_parameters(case, node, (), {key}))
        lists = [place for place, item in enumerate(node.inputs) if not isinstance(item, str)]
        longest = max((len(node.inputs[place]) for place in lists), default=0)
        for position in range(longest if longest > 1 else 0):
            inputs = tuple(
                item
                if isinstance(item, str)
                else tuple(name for place, name in enumerate(item) if place != position)
                for item in node.inputs
            )
            yield without_unused_inputs(with_node(case, replace(node, inputs=inputs)))


def _merged(search: Search) -> Iterator[Case]:
    """One tensor in the place of several: where numbers do not matter, equal ones will do."""
    if search.classes is not None:
        return
    case = search.case
    for node in case.graph.nodes:
        names = list(dict.fromkeys(node.tensors()))
        for other in names[1:]:
            yield without_unused_inputs(with_node(case, reading(node, {other: names[0]})))
