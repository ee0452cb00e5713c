"""The exact results of a case: one node in the words of the shared vocabulary."""

from typing import Any, NamedTuple

import numpy as np

from assay.ir import Array, Case
from assay.ir.graph import is_tensor
from assay.judge.balls.enclosing import BITS, enclose
from assay.judge.balls.registry import NoFormula
from assay.judge.balls.truth import Enclosure
from assay_worker.precision.formats import rounded
from assay_worker.reference import Operation, Unsupported


class Call(NamedTuple):
    """The only node of a case as a formula is given it; ``arrays`` in the order of its inputs."""

    op: str
    arrays: list[Any]
    params: dict[str, Any]
    weights: dict[str, Array]


def enclose_case(
    case: Case, format: str, stored: str | None = None, bits: int = BITS
) -> tuple[Enclosure, ...]:
    """The exact results of the only node of a case, as ``enclose`` gives them.

    Inputs and weights are those of the case, floats rounded to the format ``stored`` if one is
    named. ``NoFormula`` for several nodes, for training, and as ``enclose`` says.
    """
    op, arrays, params, weights = call_of(case, stored)
    return enclose(op, arrays, params, format=format, weights=weights, bits=bits)


def call_of(case: Case, stored: str | None = None) -> Call:
    """The call of the only node of a case; ``NoFormula`` as above."""
    if len(case.graph.nodes) != 1 or case.training:
        raise NoFormula("there are formulas for single nodes, when not training, only")
    (node,) = case.graph.nodes
    given = {name: _stored(array, stored) for name, array in case.input_arrays().items()}
    arrays: list[Any] = [
        given[argument] if isinstance(argument, str) else [given[name] for name in argument]
        for argument in node.inputs
    ]
    named: dict[str, Any] = {}
    for name, value in node.arguments.items():
        if isinstance(value, list) and any(map(is_tensor, value)):
            raise NoFormula(f"there are no formulas for {name}, a list of tensors by name")
        named[name] = given[value["$tensor"]] if is_tensor(value) else value
    weights = _weights(case, arrays, named)
    return Call(
        node.op,
        arrays,
        {**node.params, **named},
        {name: _stored(array, stored) for name, array in weights.items()},
    )


def _stored(array: Array, name: str | None) -> Array:
    if name is None or array.dtype.kind != "f":
        return array
    return np.asarray(rounded(array, name))


def _weights(case: Case, arrays: list[Any], named: dict[str, Any]) -> dict[str, Array]:
    """The weights of the node by name: which there are, and their shapes, the reference knows."""
    (node,) = case.graph.nodes
    try:
        specified = Operation(node.op, node.params).weights(arrays, named)
    except Unsupported as error:
        raise NoFormula(str(error)) from error
    return {
        weight.name: case.weight_array(node.id, index, weight.name, weight.shape)
        for index, weight in enumerate(specified)
    }
