"""Fewer nodes and fewer inputs."""

from collections.abc import Iterator, Sequence
from typing import Any

from assay.ir import Case, Constant, Dot, Explicit, Graph, Input, Node, is_tensor, producer
from assay.reduce.ddmin import ddmin
from assay.reduce.edits import replace, with_node, without_unused_inputs
from assay.reduce.search import Search


def fewer_nodes(search: Search) -> None:
    """ddmin over the nodes: a removed one is bypassed, or what it gave becomes an input."""
    if len(search.case.graph.nodes) == 1:
        return
    whole = search.case

    def shows(kept: list[str]) -> bool:
        candidates = (_bypassed(whole, kept), _cut_out(whole, kept, search))
        return any(candidate is not None and search.accept(candidate) for candidate in candidates)

    ddmin([node.id for node in whole.graph.nodes], shows)


def _bypassed(case: Case, kept: Sequence[str]) -> Case:
    """These nodes alone: whoever reads a removed one reads its first input instead."""
    renamed: dict[str, str] = {}
    nodes = []
    for node in case.graph.nodes:
        node = _reading(node, renamed)
        if node.id in kept:
            nodes.append(node)
        else:
            renamed[node.id] = next(node.tensors(), node.id)
    inputs = {item.name: item for item in case.graph.inputs}
    return _assembled(case, inputs, dict(case.inputs), tuple(nodes))


def _cut_out(case: Case, kept: Sequence[str], search: Search) -> Case | None:
    """These nodes alone, on inputs of their own; None if the value of a tensor is not known."""
    nodes = tuple(node for node in case.graph.nodes if node.id in kept)
    inputs = {item.name: item for item in case.graph.inputs}
    recipes = dict(case.inputs)
    renamed: dict[str, str] = {}
    for tensor in dict.fromkeys(name for node in nodes for name in node.tensors()):
        if producer(tensor) in kept or tensor in inputs:
            continue
        array = search.shown.tensors.get(tensor)
        if array is None:
            return None
        renamed[tensor] = name = tensor.replace(":", "_") + "_"
        inputs[name] = Input(name, array.shape, array.dtype.name)
        recipes[name] = Explicit(array)
    nodes = tuple(_reading(node, renamed) for node in nodes)
    return _assembled(case, inputs, recipes, nodes)


def _assembled(
    case: Case, inputs: dict[str, Input], recipes: dict[str, Any], nodes: tuple[Node, ...]
) -> Case:
    read = {producer(name) for node in nodes for name in node.tensors()}
    outputs = tuple(node.id for node in nodes if node.id not in read)
    loss = case.loss
    if isinstance(loss, Dot) and outputs != case.graph.outputs:
        loss = Dot(tuple(Constant(1.0) for _ in outputs))
    graph = Graph(tuple(inputs.values()), nodes, outputs)
    return without_unused_inputs(replace(case, graph=graph, inputs=recipes, loss=loss))


def _reading(node: Node, renamed: dict[str, str]) -> Node:
    """The node with other names for some of the tensors it reads."""

    def name(value: Any) -> Any:
        if isinstance(value, list):
            return [name(item) for item in value]
        if is_tensor(value):
            return {"$tensor": renamed.get(value["$tensor"], value["$tensor"])}
        return value

    inputs = tuple(
        renamed.get(item, item)
        if isinstance(item, str)
        else tuple(renamed.get(tensor, tensor) for tensor in item)
        for item in node.inputs
    )
    arguments = {key: name(value) for key, value in node.arguments.items()}
    return replace(node, inputs=inputs, arguments=arguments)


def fewer_inputs(search: Search) -> None:
    """Without optional tensors, and with fewer tensors in lists."""
    while search.first(_leaner(search.case)) or search.first(_merged(search)):
        pass


def _leaner(case: Case) -> Iterator[Case]:
    for node in case.graph.nodes:
        for key, value in node.arguments.items():
            if is_tensor(value) or (isinstance(value, list) and any(map(is_tensor, value))):
                rest = {name: item for name, item in node.arguments.items() if name != key}
                changed = replace(node, arguments=rest)
                yield without_unused_inputs(with_node(case, changed))
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
            yield without_unused_inputs(with_node(case, _reading(node, {other: names[0]})))
