"""The proven error of a worst input, by ball arithmetic, where it has a formula."""

import math
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from assay.campaign.precision.asking import Untold, in_format
from assay.campaign.precision.job import Job
from assay.ir import Array, Case, Explicit
from assay.ir.precision import Worst
from assay.libraries import SHARED, translated
from assay.sources.precision import Drawn
from assay_worker.precision.formats import rounded, unit


def proved(
    job: Job,
    drawn: Drawn,
    near: Mapping[str, Array],
    worst: Worst,
    measured: list[bool],
    dtype: str,
) -> Worst:
    """The same with the exact result and a lower bound of the error; unchanged without proof.

    ``near`` are the rounded inputs, ``dtype`` is the format of the result. A function of numbers
    by themselves has the condition number of its formula, too, as that of a reference that
    cancels out is none.
    """
    # It takes python-flint, which no other command needs.
    from assay.judge.balls import NoFormula, NoTruth

    try:
        plain = _shared(job, drawn.case, near)
        errors = [
            _error(case, worst, measured, dtype, job.computes)
            for case in (plain, parameters_held(plain, job.computes))
        ]
    except (NoFormula, NoTruth, Untold, ValueError, TypeError):
        # A formula refuses what it was not written for: the reference is what remains.
        return worst
    known = [error for error in errors if error is not None]
    if len(known) < len(errors):
        return worst
    lower, exact = min(known)
    found = msgspec.structs.replace(worst, proven=lower)
    if not math.isfinite(exact):
        return found
    found = msgspec.structs.replace(found, truth=exact)
    return _conditioned(found, plain, exact, job.dtype, dtype)


def _shared(job: Job, case: Case, near: Mapping[str, Array]) -> Case:
    case = in_format(translated(case, SHARED), job.computes)
    # Numbers of every format are float64 numbers.
    given = {name: Explicit(np.asarray(array, "float64")) for name, array in near.items()}
    inputs = tuple(
        msgspec.structs.replace(item, dtype="float64") if item.name in given else item
        for item in case.graph.inputs
    )
    graph = msgspec.structs.replace(case.graph, inputs=inputs)
    return msgspec.structs.replace(case, graph=graph, inputs={**case.inputs, **given})


def parameters_held(case: Case, dtype: str) -> Case:
    """The case with parameters as an operator in the format holds them, defaults included."""
    from assay.judge.balls.registry import formula_of

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


def _error(
    case: Case, worst: Worst, measured: list[bool], dtype: str, stored: str
) -> tuple[float, float] | None:
    """A lower bound of the error at the worst place, and the exact result about; None if open."""
    from assay.judge.balls import Enclosure, enclose_case, unit_errors

    outputs = enclose_case(case, dtype, stored)
    if len(outputs) != len(measured):
        return None
    kept = [
        (element, settled)
        for output, known in zip(outputs, measured, strict=True)
        for element, settled in zip(output.elements.flat, output.settled.flat, strict=True)
        if known
    ]
    if worst.place >= len(kept):
        return None
    element, settled = kept[worst.place]
    elements = np.empty(1, dtype=object)
    elements[0] = element
    one = Enclosure(outputs[0].op, outputs[0].format, elements, np.array([settled]), 0)
    lower = float(unit_errors(np.array([worst.answer]), one).lower[0])
    # Without end where one of them is NaN or at a pole: no size of an error.
    exact = float(element) if math.isfinite(lower) and not hasattr(element, "value") else math.nan
    return (lower, exact) if math.isfinite(lower) else None


def _conditioned(worst: Worst, case: Case, exact: float, dtype: str, result: str) -> Worst:
    """With the condition number of the formula, if it is one of numbers by themselves."""
    from assay.judge.balls import conditions

    (node,) = case.graph.nodes
    arrays = case.input_arrays()
    alone = all(isinstance(value, float) for value in worst.inputs.values())
    single = [name for name in node.inputs if isinstance(name, str)]
    if not (alone and set(single) == set(worst.inputs)):
        return worst
    numbers = [float(arrays[name].reshape(-1)[worst.place]) for name in single]
    params = {name: value for name, value in node.params.items() if name != "dtype"}
    try:
        (condition,) = conditions(node.op, [np.array([number]) for number in numbers], params)
    except ValueError:
        return worst
    if not math.isfinite(condition):
        return worst
    halves = [0.5 * float(unit(number, dtype)) / abs(number) for number in numbers if number]
    share = max(halves, default=0.0)
    ball = float(condition) * share * abs(exact) / float(unit(exact, result))
    return msgspec.structs.replace(worst, condition=float(condition), ball=ball)
