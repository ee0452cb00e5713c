"""Errors worth a closer look: larger than formulas lose, at inputs that explain less."""

from collections.abc import Mapping

import msgspec
import numpy as np

from assay.campaign.precision.asking import in_format
from assay.campaign.precision.job import Job
from assay.ir import Array, Case, Constant, Dot, Explicit
from assay.ir.precision import Measurement, Worst
from assay.judge.allowance import family_of
from assay.judge.precise import UNITS
from assay.sources.precision import Drawn
from assay_worker.precision.formats import smallest, unit

#: So many times the smallest normal number nobody is held to the last place.
_BESIDE = 16.0


class Suspect(msgspec.Struct, frozen=True):
    """A case that may show it: the minimal input, in the format of the operator."""

    job: Job
    case: Case
    worst: Worst


def suspicious(measurement: Measurement) -> bool:
    """Is the worst error beyond what rounding of the input and the family of the op explain?

    The proven error decides where there is one. What only chooses, moves or compares computes
    nothing, and is none. In float64 the reference is no truth, and what a wider instance of the
    operator gives is not meant to be one.
    """
    worst = measurement.excess_at
    if worst is None or (worst.proven is None and "float64" in measurement.formats):
        return False
    return doubtful(measurement)


def doubtful(measurement: Measurement) -> bool:
    """The same where the reference is believed even in float64: enough to ask for a proof."""
    worst, family = measurement.excess_at, family_of(measurement.op)
    if worst is None or worst.ball is None or worst.condition is None or family.exact:
        return False
    if measurement.measure != "truth":
        return False
    # Beside the smallest numbers a term that is flushed to zero is the whole result.
    least = _BESIDE * max(smallest(name) for name in measurement.formats)
    if max(abs(worst.answer), abs(worst.truth)) < least:
        return False
    granted = family.units + family.growth(worst.terms) * 2.0 * worst.ball
    size = worst.ulp if worst.proven is None else worst.proven
    return size > max(granted, UNITS)


def within(worst: Worst, largest: float, dtype: str) -> bool:
    """Is an error small beside the largest result of the input, for one that hangs on several?

    Results that are made of the same sums are as exact as the largest of them.
    """
    apart = abs(worst.answer - worst.truth)
    return not alone(worst) and apart <= UNITS * float(unit(largest, dtype))


def alone(worst: Worst) -> bool:
    """Does the result hang on the numbers at its own place, and on no others?"""
    return all(isinstance(value, float) for value in worst.inputs.values())


def suspect_of(job: Job, drawn: Drawn, near: Mapping[str, Array], worst: Worst) -> Suspect:
    """The suspect: where one place alone counts, its numbers fill the tensors."""
    case = in_format(drawn.case, job.computes)
    stored = "float32" if job.computes == "bfloat16" else job.computes
    inputs = dict(case.inputs)
    for name, array in near.items():
        same = alone(worst) and name in worst.inputs
        filled = np.full(array.shape, worst.inputs[name]) if same else array
        inputs[name] = Explicit(filled.astype(stored))
    case = msgspec.structs.replace(case, inputs=inputs)
    if job.stage == "gradient":
        loss = Dot(tuple(Constant(1.0) for _ in case.graph.outputs))
        case = msgspec.structs.replace(case, loss=loss, stage="gradient")
    return Suspect(job, case, worst)
