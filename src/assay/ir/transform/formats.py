"""The number formats that layers are told to compute in, and others for them."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from assay.ir import Case, Node, Parameters
from assay.ir.transform.edit import with_arrays, with_nodes

#: Distance from one to the next number, by the last word of a dtype or of a dtype policy.
_SPACING = {"float16": 2.0**-10, "bfloat16": 2.0**-7}
#: The next wider format of each.
_WIDER = {"float16": "float32", "bfloat16": "float32", "float32": "float64"}
#: Arrays have no such dtype: they hold its numbers as float32.
_UNTOLD = "bfloat16"


def spacing(case: Case) -> float:
    """The distance from one to the next number in the coarsest format that arrays do not show.

    Layers may be told to use one, and inputs of bfloat16 have arrays of float32. Zero without
    any: then the dtypes of arrays say it.
    """
    given = [_SPACING[_UNTOLD] for item in case.graph.inputs if item.dtype == _UNTOLD]
    return max((_told(case), *given))


def _told(case: Case) -> float:
    """The coarsest that layers are told; zero if they are told nothing."""
    layers = [node for node in case.graph.nodes if _is_layer(node.op)]
    return max((found for node in layers for found in _named(node.params)), default=0.0)


def widened_case(case: Case) -> Case | None:
    """The case with the same numbers in the next wider formats; None if there is none."""
    if _told(case):
        return with_nodes(case, [_in_full_precision(node) for node in case.graph.nodes])
    wider = {item.name: _WIDER[item.dtype] for item in case.graph.inputs if item.dtype in _WIDER}
    if not wider:
        return None
    arrays = {
        name: array.astype(wider.get(name, array.dtype))
        for name, array in case.input_arrays().items()
    }
    widened, widest = with_arrays(case, arrays), max(wider.values())
    return with_nodes(widened, [_in_format(node, widest) for node in case.graph.nodes])


def with_policy(node: Node, policy: str) -> Node:
    """The node, computing by a dtype policy if it is a layer; layers inside of it too."""
    if not _is_layer(node.op):
        return node

    def told(params: Parameters) -> Parameters:
        inside = {
            key: {**value, "params": told(value.get("params", {}))}
            if isinstance(value, dict) and _is_layer(str(value.get("$op", "")))
            else value
            for key, value in params.items()
        }
        return {**inside, "dtype": policy}

    return replace(node, params=told(node.params))


def _is_layer(op: str) -> bool:
    return ".layers." in op


def _in_full_precision(node: Node) -> Node:
    """The node without a word on half precision."""
    return replace(node, params=_without(node.params))


def _in_format(node: Node, dtype: str) -> Node:
    """The node, told to compute in this format if it is a layer: layers cast their inputs."""
    return replace(node, params={**node.params, "dtype": dtype}) if _is_layer(node.op) else node


def _named(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        dtype = value.get("dtype")
        if isinstance(dtype, str):
            yield _SPACING.get(dtype.removeprefix("mixed_"), 0.0)
        for item in value.values():
            yield from _named(item)


def _without(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    kept = {key: item for key, item in value.items() if key != "dtype" or not any(_named(value))}
    return {key: _without(item) for key, item in kept.items()}
