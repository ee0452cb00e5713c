"""Graph: a DAG of nodes. Pure data.

Tensors are named: ``"x"`` is the graph input ``x``; ``"n1"`` is the output of
node ``n1``; ``"n1:2"`` the third output of a node with several.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

Parameters = dict[str, Any]
#: One positional argument of a call: a tensor, or a list of tensors.
Argument = str | tuple[str, ...]


def _plain(value: Any) -> Any:
    """``value`` as JSON would give it back: lists for tuples, at every depth."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def is_tensor(value: Any) -> bool:
    """Does a keyword argument, or an item of one, stand for a tensor?"""
    return isinstance(value, dict) and "$tensor" in value


def _tensors_in(value: Any) -> Iterator[str]:
    if is_tensor(value):
        yield value["$tensor"]
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors_in(item)


class Input(msgspec.Struct, frozen=True):
    """A tensor the graph is given. ``shape`` includes the batch."""

    name: str
    shape: tuple[int, ...]
    dtype: str = "float32"


class Node(msgspec.Struct, frozen=True):
    """One call of an op.

    ``params`` construct the op (or are the keyword arguments of a function);
    ``inputs`` are the positional arguments of the call; ``arguments`` its
    keyword arguments, where ``{"$tensor": name}`` stands for a tensor, alone or
    inside. Without ``inputs``, positional arguments are there too, under their places
    (``"0"``, ``"1"`` …), as ``assay_worker.calls`` says.
    Inside ``params``, ``{"$op": name, "params": {...}}`` stands for another op
    object (the layer inside a wrapper). Tuples are stored as lists, as in JSON;
    both reach the library as tuples.
    """

    id: str
    op: str
    inputs: tuple[Argument, ...] = ()
    params: Parameters = {}
    arguments: Parameters = {}

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "params", _plain(self.params))
        msgspec.structs.force_setattr(self, "arguments", _plain(self.arguments))

    @property
    def catalogued(self) -> bool:
        """Has it all that it is given under names and places, as calls of a catalogue have?"""
        return not self.inputs and bool(self.arguments)

    def tensors(self) -> Iterator[str]:
        """Every tensor this node reads, in order."""
        for argument in self.inputs:
            if isinstance(argument, str):
                yield argument
            else:
                yield from argument
        yield from _tensors_in(list(self.arguments.values()))


class Graph(msgspec.Struct, frozen=True):
    """Nodes in topological order. ``outputs`` name tensors."""

    inputs: tuple[Input, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]

    def node(self, node_id: str) -> Node:
        """The node with that id."""
        for node in self.nodes:
            if node.id == node_id:
                return node
        raise KeyError(node_id)


class InvalidGraph(ValueError):
    """A graph that is not a DAG over its own inputs, in topological order."""


def producer(tensor: str) -> str:
    """The graph input or node that a tensor comes from."""
    return tensor.partition(":")[0]


def plain_name(tensor: str) -> str:
    """The name a trace knows a tensor by: ``n:0`` is ``n``."""
    return tensor.removesuffix(":0")


def validate(graph: Graph) -> Graph:
    """The graph itself, or ``InvalidGraph`` saying what is wrong with it."""
    known: set[str] = set()
    inputs = {item.name for item in graph.inputs}
    for item in graph.inputs:
        if item.name in known:
            raise InvalidGraph(f"input {item.name!r} is defined twice")
        if not item.name or ":" in item.name:
            raise InvalidGraph(f"input name {item.name!r} must not be empty or contain ':'")
        known.add(item.name)
    for node in graph.nodes:
        if node.id in known:
            raise InvalidGraph(f"node {node.id!r} is defined twice")
        if not node.id or ":" in node.id:
            raise InvalidGraph(f"node id {node.id!r} must not be empty or contain ':'")
        for tensor in node.tensors():
            if producer(tensor) not in known:
                raise InvalidGraph(
                    f"node {node.id!r} reads {tensor!r}, which is not defined before it"
                )
            _check_place(tensor, f"node {node.id!r} reads", inputs)
        known.add(node.id)
    if not graph.outputs:
        raise InvalidGraph("a graph needs at least one output")
    for tensor in graph.outputs:
        if producer(tensor) not in known:
            raise InvalidGraph(f"output {tensor!r} is not defined")
        _check_place(tensor, "the graph gives", inputs)
    return graph


def _check_place(tensor: str, who: str, inputs: set[str]) -> None:
    """What follows the colon must be the place of an output, and only nodes have several."""
    name, colon, place = tensor.partition(":")
    if colon and not (place.isascii() and place.isdigit()):
        raise InvalidGraph(f"{who} {tensor!r}: expected a whole number after ':'")
    if colon and name in inputs:
        raise InvalidGraph(f"{who} {tensor!r}, but the input {name!r} is one tensor")
