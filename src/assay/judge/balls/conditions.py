"""How much results move when inputs do: condition numbers, from enclosures on both sides.

The condition number of one result y of inputs x is the sum over all elements of
|x_i| |dy / dx_i| / |y|: by how much the relative error of the inputs is magnified at worst, when
each moves by itself. Slopes are quotients of differences over a step that is far below any
format (2**-STEP of the element), on both sides, of which the larger counts: at a kink or a jump
that is the steeper side. Each difference is enclosed, so the quotient is proven; it is the
derivative but for the curvature within the step.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from flint import arb

from assay.ir import Array
from assay.judge.balls.enclosing import CEILING, balls_of, element, outputs, settings_of, weights_of
from assay.judge.balls.registry import Formula, formula_of
from assay.judge.balls.truth import Special, exact, truth_of, working

STEP = 160
#: A slope is known well enough when this many of its bits are.
_BITS = 12
_FIRST = 2 * STEP

Arrays = Sequence[Any]
#: An argument, and the place of an element in it.
_Place = tuple[int, int]
#: The result when the element at a place, if any, is moved by so many steps.
_Moved = Callable[[_Place | None, int], Any]


def conditions(op: str, arrays: Arrays, params: Mapping[str, Any] | None = None) -> Array:
    """The condition number at each element of an elementwise op, as float64.

    NaN where an input or the result is not finite, or more than 8192 bits would be needed.
    """
    formula, given = formula_of(op, params, len(arrays))
    if not formula.elementwise:
        raise ValueError(f"{op} is not elementwise: expected a position, as condition() takes")
    shape = np.broadcast_shapes(*(np.shape(array) for array in arrays))
    columns = [exact(np.broadcast_to(np.asarray(array), shape)) for array in arrays]
    found = [_of_numbers(formula, row, given) for row in zip(*columns, strict=True)]
    return np.array(found, dtype="float64").reshape(shape)


def condition(
    op: str,
    arrays: Arrays,
    params: Mapping[str, Any] | None = None,
    *,
    output: int = 0,
    position: tuple[int, ...] = (),
    weights: Mapping[str, Any] | None = None,
) -> float:
    """The condition number of one element of a result, over all elements of all float arrays.

    Takes two evaluations of the op for each of these: meant for small inputs. NaN as above.
    """
    formula, given = formula_of(op, params, len(arrays))
    if formula.elementwise:
        shape = np.broadcast_shapes(*(np.shape(array) for array in arrays))
        spread = [np.broadcast_to(np.asarray(array), shape)[position] for array in arrays]
        return float(conditions(op, spread, params))
    balls = [balls_of(array, False) for array in arrays]
    settings = settings_of(given, False)
    own = weights_of(weights or {}, False)
    parts = [part for ball in balls for part in (ball if isinstance(ball, list) else [ball])]

    def moved(which: _Place | None, steps: int) -> Any:
        if which is None:
            return outputs(formula, balls, settings, own)[output][position]
        argument, place = which
        flat = parts[argument].reshape(-1)
        kept = flat[place]
        flat[place] = _stepped(kept, steps)
        try:
            return outputs(formula, balls, settings, own)[output][position]
        finally:
            flat[place] = kept

    arguments = [
        item for array in arrays for item in (array if isinstance(array, list) else [array])
    ]
    places = [
        (argument, place)
        for argument, part in enumerate(parts)
        if np.asarray(arguments[argument]).dtype.kind not in "biu"
        for place in range(part.size)
        if not part.reshape(-1)[place].is_zero()
    ]
    return _raised(moved, places)


def _of_numbers(formula: Formula, numbers: Sequence[Any], given: dict[str, Any]) -> float:
    if not all(math.isfinite(number) for number in numbers):
        return math.nan
    places = [
        (0, place) for place, number in enumerate(numbers) if isinstance(number, float) and number
    ]

    def moved(which: _Place | None, steps: int) -> Any:
        row: list[Any] = list(numbers)
        if which is not None:
            row[which[1]] = _stepped(arb(row[which[1]]), steps)
        return element(formula, row, given)

    return _raised(moved, places)


def _stepped(number: arb, steps: int) -> arb:
    """An exact number and a part of it; twice the bits of a float64 and the step are kept."""
    return number + number * steps * arb((1, -STEP))


def _raised(moved: _Moved, places: Sequence[_Place]) -> float:
    """The sum of the slopes, at a precision that is raised until they are known."""
    precision = _FIRST
    while precision <= CEILING:
        with working(precision):
            here = truth_of(moved(None, 0))
            if isinstance(here, Special):
                return math.nan
            found = _magnified(here, moved, places) if isinstance(here, arb) else None
        if found is not None:
            return found
        precision *= 2
    return math.nan


def _magnified(here: arb, moved: _Moved, places: Sequence[_Place]) -> float | None:
    """The condition number; None if this precision does not tell."""
    total = arb(0)
    for place in places:
        sides = [truth_of(moved(place, steps)) for steps in (-1, 1)]
        slopes = [abs(side - here) for side in sides if isinstance(side, arb)]
        if not slopes:
            return None
        if not all(slope.is_zero() or slope.rel_accuracy_bits() >= _BITS for slope in slopes):
            return None
        total += slopes[0] if len(slopes) == 1 else slopes[0].max(slopes[1])
    if total.is_zero():
        return 0.0
    if here.is_zero():
        return math.inf
    if here.contains(0) or here.rel_accuracy_bits() < _BITS:
        return None
    return float(total * arb((1, STEP)) / abs(here))
