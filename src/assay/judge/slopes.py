"""One-sided slopes: is there a derivative, and which values may stand in for it?

At a kink every number between the slopes on its two sides is a subgradient. NaN is none.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from assay.ir import REFERENCE, Array, Case
from assay.ir.transform import stepped_cases, with_arrays
from assay.judge._base import Observed, Run

#: Steps to either side. In float64 small enough to see what a guard of 1e-7 does.
FINE = tuple(2.0**-exponent for exponent in (10, 14, 18, 26, 30, 32, 34))
#: A library computes the values in float32, whose noise would drown a smaller step.
_COARSE = tuple(2.0**-exponent for exponent in (5, 7, 9))
#: At zero float32 has smaller ones too, below a guard of 1e-7.
_TINY = tuple(2.0**-exponent for exponent in (26, 28, 30))
#: So has float64, below a guard of 1e-12: those of a root still grow there.
_MINUTE = tuple(2.0**-exponent for exponent in (44, 50, 56))
#: Slopes have settled if the last three differ by no more than this share of the largest.
_SETTLED = 0.1
_INPUT = "gradient:input:"


class Slopes(msgspec.Struct, frozen=True):
    """The slopes to the left and to the right of an element; None where there is none.

    None: they grow without bound (a root, a pole), or the function jumps. ``edge``: on one side
    there is no function at all.
    """

    left: float | None
    right: float | None
    edge: bool = False

    @property
    def exist(self) -> bool:
        """Is there a finite slope wherever there is a function?"""
        known = [side for side in (self.left, self.right) if side is not None]
        return len(known) == 2 or (self.edge and len(known) == 1)

    @property
    def values(self) -> tuple[float, ...]:
        """Those there are."""
        return tuple(side for side in (self.left, self.right) if side is not None)

    def smooth(self) -> bool:
        """Are both the same?"""
        if self.left is None or self.right is None:
            return False
        close = _SETTLED * max(1.0, abs(self.left), abs(self.right))
        return abs(self.left - self.right) <= close

    def between(self, value: float) -> bool:
        """Is a number one of the subgradients?"""
        if not self.exist or not np.isfinite(value):
            return False
        lowest, highest = min(self.values), max(self.values)
        close = _SETTLED * max(1.0, abs(lowest), abs(highest))
        return lowest - close <= value <= highest + close


def stepped(
    case: Case, where: str, position: tuple[int, ...], steps: Sequence[float], everywhere: bool
) -> tuple[Case, ...]:
    """The case as it is, and with one element of an input less and more, for its loss.

    Nothing if the gradient is not of an input, or the loss is not a sum of products.
    """
    name = where.removeprefix(_INPUT)
    if name == where or name not in case.inputs:
        return ()
    array = case.input_arrays()[name]
    if array.dtype.kind != "f" or len(position) != array.ndim:
        return ()
    if steps in (FINE, _MINUTE):
        wide = {
            other: item.astype("float64")
            for other, item in case.input_arrays().items()
            if item.dtype.kind == "f"
        }
        case = with_arrays(case, wide)
    scale = max(1.0, abs(float(array[position])))
    moves = [sign * step * scale for sign in (-1, 1) for step in steps]
    return stepped_cases(case, name, position, (0.0, *moves), everywhere=everywhere)


def sides(case: Case, where: str, position: tuple[int, ...]) -> tuple[Case, ...]:
    """The case with one element of an input somewhat less, and more, for its gradient.

    By a share of the element: of a huge one, a fixed step would be lost. Nothing as above.
    """
    name = where.removeprefix(_INPUT)
    if name == where:
        return ()
    step = FINE[0] * max(1.0, abs(float(case.input_arrays()[name][position])))
    return stepped_cases(case, name, position, (-step, step), "gradient")


def slopes_of(losses: Sequence[Array], steps: Sequence[float]) -> Slopes:
    """The slopes, of the losses that ``stepped`` cases give for steps of these sizes."""
    here, *others = (float(loss) for loss in losses)
    left, right = np.array(others[: len(steps)]), np.array(others[len(steps) :])
    sizes = np.array(steps)
    if not np.isfinite(here):
        return Slopes(None, None)
    edge = not (np.isfinite(left).all() and np.isfinite(right).all())
    return Slopes(_settled((here - left) / sizes), _settled((right - here) / sizes), edge)


def slopes(
    observed: Observed,
    where: str,
    position: tuple[int, ...],
    source: str,
    run: Run,
    everywhere: bool = True,
) -> Slopes | None:
    """The slopes that a target's values have there; None if it cannot be asked.

    ``everywhere``: of every output, also of those whose upstream gradient is zero.
    """
    sizes, smaller = (FINE, _MINUTE) if source == REFERENCE else (_COARSE, _TINY)
    found = _measured(observed, where, position, source, run, sizes, everywhere)
    array = observed.case.input_arrays().get(where.removeprefix(_INPUT))
    if found is None or found.exist or array is None or float(array[position]) != 0.0:
        return found
    nearer = _measured(observed, where, position, source, run, smaller, everywhere)
    return nearer if nearer is not None and nearer.exist else found


def slopes_together(
    observed: Observed, where: str, position: tuple[int, ...], run: Run
) -> tuple[Slopes, Array] | None:
    """The slopes as all elements that equal this one move together, and which ones those are.

    A tie stays a tie then. By the reference; None if it cannot be asked, or nothing is equal.
    """
    name, case = where.removeprefix(_INPUT), observed.case
    array = case.input_arrays().get(name)
    if array is None or name == where or len(position) != array.ndim:
        return None
    equal = np.asarray(array == array[position])
    if REFERENCE not in observed.traces or np.count_nonzero(equal) < 2:
        return None
    scale = max(1.0, abs(float(array[position])))
    sizes = [step * scale for step in FINE]
    wide = array.astype("float64")
    asked = msgspec.structs.replace(case, stage="loss")
    moves = (0.0, *(-size for size in sizes), *sizes)
    cases = [with_arrays(asked, {name: wide + move * equal}) for move in moves]
    losses = [trace.arrays["loss"] for trace in run(cases, REFERENCE) if "loss" in trace.arrays]
    return (slopes_of(losses, sizes), equal) if len(losses) == len(cases) else None


def _measured(
    observed: Observed,
    where: str,
    position: tuple[int, ...],
    source: str,
    run: Run,
    steps: Sequence[float],
    everywhere: bool,
) -> Slopes | None:
    cases = stepped(observed.case, where, position, steps, everywhere)
    traces = run(cases, source) if cases else ()
    losses = [trace.arrays["loss"] for trace in traces if "loss" in trace.arrays]
    if not cases or len(losses) < len(cases):
        return None
    array = observed.case.input_arrays()[where.removeprefix(_INPUT)]
    scale = max(1.0, abs(float(array[position])))
    return slopes_of(losses, [step * scale for step in steps])


def _settled(found: Array) -> float | None:
    last = found[-3:]
    if not np.isfinite(last).all():
        return None
    apart = float(np.ptp(last))
    return float(last[-1]) if apart <= _SETTLED * max(1e-3, float(np.abs(last).max())) else None
