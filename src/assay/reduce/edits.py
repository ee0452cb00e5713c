"""A case with one thing changed."""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from assay.ir import Array, Case, Explicit, Node, Recipe

replace = msgspec.structs.replace


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
    recipes: dict[str, Recipe] = {
        name: Explicit(arrays[name]) if name in arrays else recipe
        for name, recipe in case.inputs.items()
    }
    return replace(case, graph=replace(case.graph, inputs=inputs), inputs=recipes)


def with_node(case: Case, node: Node) -> Case:
    """The case with another node of the same id."""
    nodes = tuple(node if item.id == node.id else item for item in case.graph.nodes)
    return replace(case, graph=replace(case.graph, nodes=nodes))


def without_parameter(case: Case, node: Node, name: str) -> Case:
    """The case with a parameter of a node left to its default."""
    params = {key: value for key, value in node.params.items() if key != name}
    arguments = {key: value for key, value in node.arguments.items() if key != name}
    return with_node(case, replace(node, params=params, arguments=arguments))


def with_parameter(case: Case, node: Node, name: str, value: Any) -> Case:
    """The case with another value of a parameter of a node."""
    if name in node.arguments:
        return with_node(case, replace(node, arguments={**node.arguments, name: value}))
    return with_node(case, replace(node, params={**node.params, name: value}))


def without_unused_inputs(case: Case) -> Case:
    """The case without inputs that no node reads."""
    read = {name for node in case.graph.nodes for name in node.tensors()}
    read |= set(case.graph.outputs)
    inputs = tuple(item for item in case.graph.inputs if item.name in read)
    recipes = {item.name: case.inputs[item.name] for item in inputs}
    return replace(case, graph=replace(case.graph, inputs=inputs), inputs=recipes)
