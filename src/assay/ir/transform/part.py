"""A part of a case: some of its nodes, on what they read."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from assay.ir import (
    Array,
    Case,
    Explicit,
    Graph,
    Input,
    Node,
    Recipe,
    Uniform,
    derive,
    producer,
    validate_case,
)
from assay.ir.transform.edit import (
    forward_only,
    reading,
    with_plain_upstream,
    with_upstream,
    without_unused_inputs,
)


def bypassed(case: Case, kept: Collection[str]) -> Case:
    """These nodes alone: whoever reads a removed one reads its first input instead."""
    renamed: dict[str, str] = {}
    nodes = []
    for node in case.graph.nodes:
        node = reading(node, renamed)
        if node.id in kept:
            nodes.append(node)
        else:
            renamed[node.id] = next(node.tensors(), node.id)
    return _ending_unread(case, nodes)


def cut_out(case: Case, kept: Collection[str], tensors: Mapping[str, Array]) -> Case | None:
    """These nodes alone, on inputs of their own; None if the value of a tensor is not known."""
    nodes = [node for node in case.graph.nodes if node.id in kept]
    given: dict[str, Array] = {}
    renamed: dict[str, str] = {}
    for tensor in dict.fromkeys(name for node in nodes for name in node.tensors()):
        if producer(tensor) in kept or tensor in case.inputs:
            continue
        if tensor not in tensors:
            return None
        renamed[tensor] = name = tensor.replace(":", "_") + "_"
        given[name] = tensors[tensor]
    return _ending_unread(_given(case, given), [reading(node, renamed) for node in nodes])


def part_before(case: Case, disputed: Collection[str]) -> Case | None:
    """What these nodes read from, with gradients from upstream gradients of its own.

    None if they read from no node, or one of them from another.
    """
    others = {node.id for node in case.graph.nodes} - set(disputed)
    ends = {
        tensor: None
        for node in case.graph.nodes
        if node.id in disputed
        for tensor in node.tensors()
        if producer(tensor) in others
    }
    nodes, needed = _leading_to(case, map(producer, ends), disputed)
    if not ends or not needed.isdisjoint(disputed):
        return None
    upstream = [Uniform(derive(case.weights.seed, "upstream", name), 0.5, 1.5) for name in ends]
    part = without_unused_inputs(_of_nodes(case, nodes, tuple(ends)))
    part = replace(with_upstream(part, upstream), optimizer=None, stage="gradient")
    return validate_case(part)


def part_behind(case: Case, values: Mapping[str, Array]) -> Case:
    """The case with the results of these nodes given, and without what only led to them."""
    nodes, _ = _leading_to(case, map(producer, case.graph.outputs), values)
    part = _of_nodes(_given(case, values), nodes, case.graph.outputs)
    return validate_case(without_unused_inputs(part))


def ending_with(case: Case, last: str) -> Case:
    """The case up to a node: what comes after it cannot change its output."""
    nodes = case.graph.nodes
    place = next(i for i, node in enumerate(nodes) if node.id == last)
    if place == len(nodes) - 1:
        return case
    return forward_only(without_unused_inputs(_of_nodes(case, nodes[: place + 1], (last,))))


def _leading_to(
    case: Case, ends: Iterable[str], without: Collection[str]
) -> tuple[tuple[Node, ...], set[str]]:
    """The nodes that lead to these ends, not through those without, and the names they need."""
    needed, nodes = set(ends), []
    for node in reversed(case.graph.nodes):
        if node.id in needed and node.id not in without:
            nodes.append(node)
            needed.update(map(producer, node.tensors()))
    return tuple(reversed(nodes)), needed


def _of_nodes(case: Case, nodes: Sequence[Node], outputs: tuple[str, ...]) -> Case:
    return replace(case, graph=Graph(case.graph.inputs, tuple(nodes), outputs))


def _given(case: Case, values: Mapping[str, Array]) -> Case:
    """The case with further inputs behind its own."""
    inputs = [Input(name, array.shape, array.dtype.name) for name, array in values.items()]
    graph = replace(case.graph, inputs=(*case.graph.inputs, *inputs))
    recipes: dict[str, Recipe] = {name: Explicit(array) for name, array in values.items()}
    return replace(case, graph=graph, inputs={**case.inputs, **recipes})


def _ending_unread(case: Case, nodes: Sequence[Node]) -> Case:
    """These nodes, with the results that none of them reads as outputs."""
    read = {producer(name) for node in nodes for name in node.tensors()}
    outputs = tuple(node.id for node in nodes if node.id not in read)
    part = _of_nodes(case, nodes, outputs)
    if outputs != case.graph.outputs:
        part = with_plain_upstream(part)
    return without_unused_inputs(part)
