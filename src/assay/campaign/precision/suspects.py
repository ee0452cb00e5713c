"""Errors worth a closer look: larger than formulas lose, at inputs that explain less."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from assay.campaign.precision.asking import in_format
from assay.campaign.precision.cotangents import upstream_of
from assay.campaign.precision.job import Job
from assay.ir import Array, Case, Dot, Explicit
from assay.ir.precision import Measurement, Worst
from assay.judge.allowance import Family, family_of
from assay.judge.precise import UNITS
from assay.judge.proven import TIMES
from assay.libraries import Untold, worded
from assay.sources.precision import Drawn
from assay_worker.precision.formats import smallest, unit

#: How many times what half a unit in the last place of all inputs does is granted beside a budget:
#: the formula rounds a sum or product of its inputs, too.
_PER_BALL = 2.0
#: How many times what the best of the others gets to at results of about that size is no fault.
_TWICE = 2.0


#: Results are of one size within so many powers of two.
_SIZES = 8


def size_class(truth: Array | float) -> Any:
    """Which size a result has, negative for negative ones."""
    with np.errstate(all="ignore"):
        return np.copysign(np.frexp(truth)[1] // _SIZES + 1000.0, truth)


class Measured(NamedTuple):
    """What was measured, and what of it is worth a closer look, the worst first.

    ``by_size``: the largest error of results of each size (``size_class``) that the inputs do not
    explain, where it is more than a few units.
    """

    measurement: Measurement
    suspects: "tuple[Suspect, ...]" = ()
    by_size: Mapping[float, float] = {}


class Suspect(msgspec.Struct, frozen=True):
    """A case that may show it: the minimal input, in the format of the operator.

    ``units`` is the budget that its proven error exceeds; None where nothing is proven, or not
    that little. ``large``: the error is beyond what formulas lose by votes, too, or the answer
    is NaN or infinite where the truth is a number.
    """

    job: Job
    case: Case
    worst: Worst
    dtype: str
    units: float | None = None
    large: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """Whose fault it would be."""
        job = self.job
        return job.operator.label, job.target.name, job.computes, job.stage


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
    least = family.beside * max(smallest(name) for name in measurement.formats)
    # Where a function is zero its smallest neighbours are the unit: it says nothing of size.
    if max(abs(worst.answer), abs(worst.truth)) < least or not worst.truth:
        return False
    if measurement.stage == "gradient":
        return is_large(measurement)
    budget = budget_of(family, worst, measurement.formats[0], 0.0)
    if worst.proven is not None and budget is not None:
        return worst.proven > budget
    return is_large(measurement)


def is_large(measurement: Measurement) -> bool:
    """Is it more than any formula of the family loses, so that votes may tell?"""
    worst = measurement.excess_at
    return worst is not None and size_of(worst) > granted(family_of(measurement.op), worst)


def size_of(worst: Worst) -> float:
    """The error in units in the last place: the proven one, where there is one."""
    return worst.ulp if worst.proven is None else worst.proven


def granted(family: Family, worst: Worst) -> float:
    """What votes grant: more than any formula of the family loses."""
    assert worst.ball is not None  # what is not known explains nothing
    return max(family.units + family.growth(worst.terms) * 2.0 * worst.ball, UNITS)


def budget_of(family: Family, worst: Worst, dtype: str, learned: float) -> float | None:
    """What is granted where the exact result is known, in units; None if nothing is held to that.

    ``learned``: how far off, besides what inputs explain, the best of the other implementations
    gets (see ``learned_from``).
    """
    if family.proven is None or worst.ball is None:
        return None
    # Results of several numbers are further off the more these cancel out, for everybody.
    others = _TWICE * learned if alone(worst) else TIMES * learned * (1.0 + worst.ball)
    own = max(family.proven, others)
    found = own + _PER_BALL * worst.ball
    if not family.of_input:
        return found
    largest = max((float(np.abs(value).max()) for value in _numbers(worst)), default=0.0)
    return found + family.of_input * float(unit(largest, dtype) / unit(worst.truth, dtype))


def _numbers(worst: Worst) -> list[Array]:
    return [np.atleast_1d(np.asarray(value, "float64")) for value in worst.inputs.values()]


def learned_from(suspect: Suspect, others: Sequence[tuple[Job, Measured]]) -> float:
    """How far off the best of the other implementations gets in the same format; 0 without one.

    Of a function of numbers by themselves: at results of about that size. Where a result hangs on
    several numbers, anywhere: the order in which they are added is everybody's choice, and
    each has inputs of its own that are worst for it.
    """
    op, job = suspect.job.operator.op, suspect.job
    mine, least = job.target.votes_as(op), size_class(suspect.worst.truth)
    found: dict[str, float] = {}
    for other, measured in others:
        vote = other.target.votes_as(op)
        same = (other.operator.label, other.computes, other.stage) == (
            job.operator.label,
            job.computes,
            job.stage,
        )
        if not same or vote == mine or not measured.measurement.formats:
            continue
        if alone(suspect.worst):
            own = max(measured.by_size.get(sign * least, 0.0) for sign in (1.0, -1.0))
        else:
            own = measured.measurement.own_ulp
        found[vote] = max(found.get(vote, 0.0), own)
    return min(found.values(), default=0.0)


def judged_by_proof(suspect: Suspect, learned: float) -> Suspect | None:
    """The suspect with its budget; None if it keeps within that, and is not large."""
    family, worst = family_of(suspect.job.operator.op), suspect.worst
    if suspect.job.stage == "gradient":  # budgets are those of results
        # Where results hang on several numbers, everybody may lose what the rule of the slope
        # cancels out: to be as far off as the best of the others is no fault.
        least = 0.0 if alone(worst) else TIMES * learned * (1.0 + (worst.ball or 0.0))
        return suspect if suspect.large and size_of(worst) > least else None
    budget = budget_of(family, worst, suspect.dtype, learned)
    # An overflow has no size, and what overflowed on the way is a matter of votes.
    if budget is None or worst.proven is None or not np.isfinite(worst.answer):
        return suspect if suspect.large else None
    if worst.proven <= budget:
        return suspect if suspect.large else None
    return msgspec.structs.replace(suspect, units=budget)


def within(worst: Worst, largest: float, dtype: str, units: float = UNITS) -> bool:
    """Is an error small beside the largest result of the input, for one that hangs on several?

    Results that are made of the same sums are as exact as the largest of them.
    """
    apart = abs(worst.answer - worst.truth)
    return not alone(worst) and apart <= units * float(unit(largest, dtype))


def alone(worst: Worst) -> bool:
    """Does the result hang on the numbers at its own place, and on no others?"""
    inputs = worst.inputs.values()  # of large tensors there are none
    return bool(inputs) and all(isinstance(value, float) for value in inputs)


def _worded(case: Case, job: Job) -> Case:
    """The case in the format; in the target's own words, if there it has no others for it."""
    found = in_format(case, job.computes)
    try:
        worded(found, job.target.library)
    except Untold:
        return in_format(worded(case, job.target.library), job.computes)
    return found


def suspect_of(
    job: Job,
    drawn: Drawn,
    near: Mapping[str, Array],
    worst: Worst,
    dtype: str,
    large: bool,
) -> Suspect:
    """The suspect: where one place alone counts, its numbers fill the tensors."""
    case = _worded(drawn.case, job)
    stored = "float32" if job.computes == "bfloat16" else job.computes
    inputs = dict(case.inputs)
    for name, array in near.items():
        same = alone(worst) and name in worst.inputs
        filled = np.full(array.shape, worst.inputs[name]) if same else array
        inputs[name] = Explicit(filled.astype(stored))
    case = msgspec.structs.replace(case, inputs=inputs)
    if job.stage == "gradient":
        loss = Dot(upstream_of(drawn))
        case = msgspec.structs.replace(case, loss=loss, stage="gradient")
    return Suspect(job, case, worst, dtype, large=large)
