"""Elementary changes of a case, of which the others are made."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from assay.ir import Array, Case, Constant, Dot, Explicit, Node, Recipe, is_tensor


def with_values(case: Case, arrays: Mapping[str, Array]) -> Case:
    """The case with other numbers in some inputs; their shapes and dtypes stay."""
    explicit: dict[str, Recipe] = {name: Explicit(array) for name, array in arrays.items()}
    return replace(case, inputs={**case.inputs, **explicit})


def with_arrays(case: Case, arrays: Mapping[str, Array]) -> Case:
    """The case with other values, shapes and dtypes of some inputs."""
    # NumPy makes plain numbers of arrays without axes.
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    inputs = tuple(
        replace(item, shape=arrays[item.name].shape, dtype=arrays[item.name].dtype.name)
        if item.name in arrays
        else item
        for item in case.graph.inputs
    )
    return with_values(replace(case, graph=replace(case.graph, inputs=inputs)), arrays)


def without_unused_inputs(case: Case) -> Case:
    """The case without inputs that no node reads."""
    read = {name for node in case.graph.nodes for name in node.tensors()}
    read |= set(case.graph.outputs)
    inputs = tuple(item for item in case.graph.inputs if item.name in read)
    recipes = {item.name: case.inputs[item.name] for item in inputs}
    return replace(case, graph=replace(case.graph, inputs=inputs), inputs=recipes)


def with_node(case: Case, node: Node) -> Case:
    """The case with another node of the same id."""
    return with_nodes(case, [node if item.id == node.id else item for item in case.graph.nodes])


def with_nodes(case: Case, nodes: Sequence[Node]) -> Case:
    """The case with other nodes between its inputs and outputs."""
    return replace(case, graph=replace(case.graph, nodes=tuple(nodes)))


def reading(node: Node, names: Mapping[str, str]) -> Node:
    """The node with other names for some of the tensors it reads."""

    def renamed(value: Any) -> Any:
        if isinstance(value, list):
            return [renamed(item) for item in value]
        if is_tensor(value):
            return {"$tensor": names.get(value["$tensor"], value["$tensor"])}
        return value

    inputs = tuple(
        names.get(item, item)
        if isinstance(item, str)
        else tuple(names.get(tensor, tensor) for tensor in item)
        for item in node.inputs
    )
    arguments = {key: renamed(value) for key, value in node.arguments.items()}
    return replace(node, inputs=inputs, arguments=arguments)


def forward_only(case: Case) -> Case:
    """The case without a loss: only what comes out is asked for."""
    return replace(case, loss=None, stage="forward")


def with_upstream(case: Case, upstream: Sequence[Recipe]) -> Case:
    """The case with other upstream gradients, one for each output."""
    return replace(case, loss=Dot(tuple(upstream)))


def with_plain_upstream(case: Case) -> Case:
    """The case with ones as upstream gradients, if it has upstream gradients at all."""
    if not isinstance(case.loss, Dot):
        return case
    return with_upstream(case, [Constant(1.0) for _ in case.graph.outputs])
