"""The admissible set of one element of a gradient.

A gradient is a sum of products: upstream gradients times slopes of the results. One unit in the
last place of every upstream gradient moves it by |u·J|, and of every input by as much as the
slopes move. The slopes are central differences of the float64 reference.
"""

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from assay.ir import REFERENCE, Array, Case, Dot, Trace
from assay.ir.transform import Ball, ball_of, forward_only, with_arrays
from assay.judge._base import Observed, Run
from assay.judge.admissible import NUDGES, Region, point
from assay.judge.allowance import Family, family_of

_INPUT = "gradient:input:"
#: Steps to either side, as the reference differentiates; of small numbers a share of them.
_STEPS = (2.0**-10, 2.0**-14, 2.0**-18)
_SMALL = 2.0**-8
#: A step will do if its slope is so near to the derivative that the reference claims, or is it
#: but for the rounding of its terms.
_NEAR = 1e-3
#: What float64 leaves of a difference, in units of the larger number.
_NOISE = 64 * float(np.finfo("float64").eps)


class _Question(msgspec.Struct, frozen=True):
    """Which element is differentiated, by which step, with which upstream gradients."""

    name: str
    position: tuple[int, ...]
    upstream: dict[str, Array]
    step: float
    run: Run

    def products(self, cases: Sequence[Case]) -> list[Array]:
        """u·J of every case, one number for each element of the results."""
        asked = [self._moved(case, sign * self.step) for case in cases for sign in (1, -1)]
        traces = self.run(asked, REFERENCE)
        if len(traces) < len(asked):
            return []
        ups, downs = traces[::2], traces[1::2]
        return [self._product(up, down) for up, down in zip(ups, downs, strict=True)]

    def _moved(self, case: Case, step: float) -> Case:
        arrays = case.input_arrays()
        array = arrays[self.name].astype("float64")
        array[self.position] += step
        return with_arrays(forward_only(case), {self.name: array})

    def _product(self, up: Trace, down: Trace) -> Array:
        parts = [np.zeros(1)]
        for name, weights in self.upstream.items():
            above, below = (trace.outputs().get(name) for trace in (up, down))
            if above is None or below is None or not above.shape == below.shape == weights.shape:
                return np.array([np.nan])
            with np.errstate(invalid="ignore", over="ignore"):
                slope = (above.astype("float64") - below) / (2 * self.step)
                parts.append((weights * slope).reshape(-1))
        return np.concatenate(parts)


def derivative_region(
    observed: Observed, where: str, position: tuple[int, ...], op: str, run: Run
) -> Region | None:
    """The set around the derivative that the reference claims at the disputed element.

    Everything is inside elsewhere. None if it is no input's gradient, or no step gives that
    derivative. What computes nothing still sums upstream gradients, and rounds.
    """
    case, truth = observed.case, observed.traces.get(REFERENCE)
    name, around = where.removeprefix(_INPUT), ball_of(case, NUDGES)
    if truth is None or where not in truth.arrays or name not in case.inputs or around is None:
        return None
    centre, upstream = truth.arrays[where], upstream_of(case, truth)
    largest = sum(_sum(np.abs(u * truth.outputs()[n])) for n, u in upstream.items())
    start = abs(float(case.input_arrays()[name][position]))
    plain = point(observed, where, _summing(family_of(op)), REFERENCE, centre)
    for step in _steps(start):
        question = _Question(name, position, upstream, step, run)
        noise = _NOISE * largest / step
        for products in question.products((with_arrays(case, _wide(case)),)):
            off = abs(_sum(products) - float(centre[position]))
            rounded = plain.epsilon * _sum(np.abs(products))
            if off <= _NEAR * abs(float(centre[position])) + rounded + noise:
                return _measured(plain, position, question, products, around, noise)
    return None


def _measured(
    plain: Region,
    position: tuple[int, ...],
    question: _Question,
    products: Array,
    around: Ball,
    noise: float,
) -> Region | None:
    extra = around.flushed
    found = question.products((*around.joint, *extra, *around.up, *around.down))
    if not found:
        return None
    moved = np.nan_to_num([_sum(item) - _sum(products) for item in found], posinf=0.0, neginf=0.0)
    joint, first = len(around.joint), len(around.joint) + len(extra)
    steps = np.abs(moved[first:].reshape(2, -1)).max(axis=0)
    # Inside of a group signs may cancel out.
    together = around.size / len(around.up)
    ball = np.full(plain.centre.shape, np.inf)
    of_inputs = float(np.sqrt(together) * steps.sum())
    ball[position] = of_inputs + plain.epsilon * _sum(np.abs(products)) + noise
    moving = float(np.count_nonzero(steps > noise)) * together
    return msgspec.structs.replace(
        plain,
        ball=ball,
        flushed=np.full(ball.shape, float(np.abs(moved[joint:first]).max(initial=0.0))),
        nudged=tuple(plain.centre + item for item in moved[:joint]),
        terms=max(1, round(moving) + int(np.count_nonzero(products))),
    )


def upstream_of(case: Case, truth: Trace) -> dict[str, Array]:
    """The upstream gradient of each result that has one, by the tensor's name."""
    if not isinstance(case.loss, Dot):
        return {}
    outputs = truth.outputs()
    known = [name for name in case.graph.outputs if name in outputs]
    floats = [name for name in known if outputs[name].dtype.kind == "f"]
    recipes = dict(zip(case.graph.outputs, case.loss.upstream, strict=True))
    return {
        name: recipes[name].materialise(outputs[name].shape, "float32").astype("float64")
        for name in floats
    }


def _steps(start: float) -> Iterable[float]:
    yield from (step * max(1.0, start) for step in _STEPS)
    if 0.0 < start < _SMALL:
        yield _STEPS[0] * start


def _wide(case: Case) -> dict[str, Array]:
    arrays = case.input_arrays()
    return {n: array.astype("float64") for n, array in arrays.items() if array.dtype.kind == "f"}


def _summing(family: Family) -> Family:
    """The row of a gradient: what computes nothing forward sums upstream gradients backward."""
    return family_of("*") if family.exact else family


def _sum(array: Array) -> float:
    return float(array.sum())
