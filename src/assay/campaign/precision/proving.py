"""The proven error of a worst input, by ball arithmetic, where it has a formula."""

import math
from collections.abc import Mapping

import msgspec
import numpy as np

from assay.campaign.precision.asking import Untold, in_format
from assay.campaign.precision.job import Job
from assay.errors import AssayError
from assay.ir import Array, Case, Explicit
from assay.ir.precision import Worst
from assay.libraries import SHARED, translated
from assay.sources.precision import Drawn
from assay_worker.precision.formats import unit


class ProofFault(AssayError):
    """A formula failed at what it should have refused, or told: our fault."""


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
    cancels out is none. ``ProofFault`` where a formula does not say that it has none.
    """
    # It takes python-flint, which no other command needs.
    from assay.judge.balls import NoFormula, NoTruth

    try:
        plain = _shared(job, drawn.case, near)
        error = _error(plain, worst, measured, dtype, job.computes)
    except (NoFormula, NoTruth, Untold):
        return worst
    except (ValueError, TypeError, ArithmeticError, LookupError) as fault:
        what = f"{type(fault).__name__}: {fault}"
        raise ProofFault(f"the formula of {job.operator.op} failed: {what}") from fault
    if error is None:
        return worst
    lower, exact = error
    found = msgspec.structs.replace(worst, proven=lower)
    if not math.isfinite(exact):
        return found
    found = msgspec.structs.replace(found, truth=exact)
    return _conditioned(found, plain, exact, job.dtype, dtype)


def _shared(job: Job, case: Case, near: Mapping[str, Array]) -> Case:
    case = in_format(translated(case, SHARED), job.computes)
    given = {name: Explicit(np.asarray(array, "float64")) for name, array in near.items()}
    inputs = tuple(
        msgspec.structs.replace(item, dtype="float64") if item.name in given else item
        for item in case.graph.inputs
    )
    graph = msgspec.structs.replace(case.graph, inputs=inputs)
    return msgspec.structs.replace(case, graph=graph, inputs={**case.inputs, **given})


def _error(
    case: Case, worst: Worst, measured: list[bool], dtype: str, stored: str
) -> tuple[float, float] | None:
    """A lower bound of the error at the worst place, and the exact result about; None if open."""
    from assay.judge.balls.answers import at_place, exact_results, midpoints, proven_errors

    outputs = exact_results(case, stored, dtype)
    if len(outputs) != len(measured):
        return None
    place = worst.place
    for readings, known in zip(outputs, measured, strict=True):
        if not known:
            continue
        size = readings[0].elements.size
        if place < size:
            here = [at_place(reading, place) for reading in readings]
            lower = float(proven_errors(np.array([worst.answer]), here)[0])
            # Without end where one of them is NaN or at a pole: no size of an error.
            return (lower, float(midpoints(here[0])[0])) if math.isfinite(lower) else None
        place -= size
    return None


def _conditioned(worst: Worst, case: Case, exact: float, dtype: str, result: str) -> Worst:
    """With the condition number of the formula, if it is one of numbers by themselves."""
    from assay.judge.balls import conditions
    from assay.judge.balls.registry import formula_of

    (node,) = case.graph.nodes
    arrays = case.input_arrays()
    alone = all(isinstance(value, float) for value in worst.inputs.values())
    single = [name for name in node.inputs if isinstance(name, str)]
    if not (alone and set(single) == set(worst.inputs)):
        return worst
    numbers = [float(arrays[name].reshape(-1)[worst.place]) for name in single]
    params = {name: value for name, value in node.params.items() if name != "dtype"}
    if not formula_of(node.op, params, len(numbers))[0].elementwise:
        return worst
    (condition,) = conditions(node.op, [np.array([number]) for number in numbers], params)
    if not math.isfinite(condition):
        return worst
    halves = [0.5 * float(unit(number, dtype)) / abs(number) for number in numbers if number]
    share = max(halves, default=0.0)
    ball = float(condition) * share * abs(exact) / float(unit(exact, result))
    return msgspec.structs.replace(worst, condition=float(condition), ball=ball)
