"""How coarse the numbers of a case are: layers may be told to compute in half precision."""

from collections.abc import Iterator
from typing import Any

import msgspec

from assay.ir import Case, Node

#: Distance from one to the next number, by the last word of a dtype or of a dtype policy.
_SPACING = {"float16": 2.0**-10, "bfloat16": 2.0**-7}
#: How much more is allowed than in float32, whose rounding stays far below what is allowed.
_FACTOR = {0.0: 1.0, 2.0**-10: 100.0, 2.0**-7: 300.0}


def spacing(case: Case) -> float:
    """The distance from one to the next number in the coarsest format layers are told to use.

    Zero if they are told nothing: then the dtypes of arrays say it.
    """
    layers = [node for node in case.graph.nodes if ".layers." in node.op]
    return max((found for node in layers for found in _named(node.params)), default=0.0)


def coarseness(case: Case) -> float:
    """How many times as much the screen allows as in full precision."""
    return _FACTOR[spacing(case)]


def in_full_precision(node: Node) -> Node:
    """The node without a word on half precision."""
    return msgspec.structs.replace(node, params=_without(node.params))


def in_format(node: Node, dtype: str) -> Node:
    """The node, told to compute in this format if it is a layer: layers cast their inputs."""
    if ".layers." not in node.op:
        return node
    return msgspec.structs.replace(node, params={**node.params, "dtype": dtype})


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
