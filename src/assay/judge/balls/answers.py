"""How far answers to a call are from its exact result, whichever way parameters are read.

A parameter 0.2 is the number that was given, and an operator that computes in a format has to round
it: both are tried, and the smaller error counts.
"""

import math
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from flint import arb

from assay.ir import Array, Case, Explicit
from assay.judge.balls.calls import enclose_case
from assay.judge.balls.errors import unit_errors
from assay.judge.balls.registry import formula_of
from assay.judge.balls.truth import Enclosure
from assay_worker.precision.formats import rounded

#: The enclosures of each output, one for each reading of the parameters.
Exact = tuple[tuple[Enclosure, ...], ...]


def exact_results(case: Case, computes: str, result: str) -> Exact:
    """Of a case in shared words whose operator computes in a format and gives another, or the same.

    Raises what ``enclose_case`` does.
    """
    wide = in_exact_numbers(case)
    readings = (wide, with_rounded_parameters(wide, computes))
    outputs = [enclose_case(reading, result, computes) for reading in readings]
    return tuple(zip(*outputs, strict=True))


def in_exact_numbers(case: Case) -> Case:
    """The case with floats in float64, which holds the numbers of every format."""
    arrays = case.input_arrays()
    floats = {name: array for name, array in arrays.items() if array.dtype.kind == "f"}
    given = {name: Explicit(np.asarray(array, "float64")) for name, array in floats.items()}
    inputs = tuple(
        msgspec.structs.replace(item, dtype="float64") if item.name in given else item
        for item in case.graph.inputs
    )
    graph = msgspec.structs.replace(case.graph, inputs=inputs)
    return msgspec.structs.replace(case, graph=graph, inputs={**case.inputs, **given})


def with_rounded_parameters(case: Case, dtype: str) -> Case:
    """The case with parameters as an operator in the format holds them, defaults included."""
    nodes = []
    for node in case.graph.nodes:
        named = {**node.params, **node.arguments}
        formula, settings = formula_of(node.op, named, len(node.inputs))
        told = {
            name: value
            for name, value in settings.items()
            if isinstance(value, float) and name not in named and formula.op == node.op
        }
        params = {name: _held(value, dtype) for name, value in {**told, **node.params}.items()}
        nodes.append(msgspec.structs.replace(node, params=params))
    graph = msgspec.structs.replace(case.graph, nodes=tuple(nodes))
    return msgspec.structs.replace(case, graph=graph)


def _held(value: Any, dtype: str) -> Any:
    if isinstance(value, float):
        return float(rounded(value, dtype))
    if isinstance(value, list | tuple):
        return [_held(item, dtype) for item in value]
    if isinstance(value, dict):
        return {name: _held(item, dtype) for name, item in value.items()}
    return value


def proven_errors(answers: Array, readings: Sequence[Enclosure]) -> Array:
    """Lower bounds of the errors, in units in the last place.

    NaN where there is no truth, infinite where a number was missed or one was given for none; 0
    where the result is below the normal numbers and the answer zero.
    """
    found = []
    for reading in readings:
        errors = unit_errors(answers, reading)
        found.append(np.where(errors.flushed, 0.0, errors.lower))
    # Open is open in every reading.
    return np.asarray(np.minimum.reduce(found))


def midpoints(enclosure: Enclosure) -> Array:
    """The exact results about, in float64; NaN where there is none, or no number holds it."""
    found = [float(item) if isinstance(item, arb) else math.nan for item in enclosure.elements.flat]
    return np.array(found, "float64").reshape(enclosure.elements.shape)


def at_place(enclosure: Enclosure, place: int) -> Enclosure:
    """One element of it, by its place in a row."""
    parts = {
        name: np.asarray(getattr(enclosure, name)).reshape(-1)[place : place + 1]
        for name in ("elements", "settled")
    }
    return msgspec.structs.replace(enclosure, **parts)
