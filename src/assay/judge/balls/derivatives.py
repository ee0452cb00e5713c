"""Derivatives of functions of numbers by themselves, from enclosures beside each number.

As for condition numbers, a derivative is a quotient of enclosed differences over a step that is far
below any format. It is told where the quotients of both sides agree: not at kinks, jumps and poles,
nor at the ends of a domain.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from assay.ir import Array
from assay.judge.balls.enclosing import CEILING, element
from assay.judge.balls.formats import Format, format_of, power
from assay.judge.balls.registry import NoFormula, formula_of
from assay.judge.balls.truth import exact, narrow, working

#: Steps as powers of two: a part of the number, of one if it is larger (whole numbers lie beside
#: it), and for zero a number.
_STEP, _OF_ZERO = 160, 400
#: Quotients of both sides are alike if they differ by no more than this part of themselves.
_ALIKE = arb((1, -100))
#: Bits to spare of a derivative, and of how far rounding of the numbers moves it, in units.
_BITS, _MOVED_BITS = 16, 4

Arrays = Sequence[Any]
#: The result where arguments are moved by so many of their steps.
_Moved = Callable[[Mapping[int, Any]], Any]


class Derivatives(NamedTuple):
    """By argument, then element: slopes, and the slopes of slopes (by two arguments).

    Slopes are the nearest float64 numbers; NaN where there is none or none is known.
    """

    first: Array
    second: Array


def derivatives(
    op: str,
    arrays: Arrays,
    params: Mapping[str, Any] | None = None,
    *,
    by: Sequence[int] = (),
    format: str = "float32",
) -> Derivatives:
    """The derivatives of an elementwise op by the arguments ``by`` (all without them).

    They are as exact as numbers of ``format`` may be rounded. ``NoFormula`` as for ``enclose``,
    and for an op that is not elementwise.
    """
    formula, given = formula_of(op, params, len(arrays))
    if not formula.elementwise:
        raise NoFormula(f"{op} is no function of numbers by themselves")
    kind = format_of(format)
    chosen = tuple(by) or tuple(range(len(arrays)))
    shape = np.broadcast_shapes(*(np.shape(array) for array in arrays))
    columns = [exact(np.broadcast_to(np.asarray(array), shape)) for array in arrays]
    rows = list(zip(*columns, strict=True))
    first = np.full((len(chosen), len(rows)), math.nan)
    second = np.full((len(chosen), len(chosen), len(rows)), math.nan)
    for place, numbers in enumerate(rows):
        found = _at(lambda moved: element(formula, moved, given), numbers, chosen, kind)
        if found is not None:
            first[:, place], second[:, :, place] = found
    return Derivatives(
        first.reshape(len(chosen), *shape), second.reshape(len(chosen), len(chosen), *shape)
    )


def _at(
    function: Callable[[Sequence[Any]], Any],
    numbers: Sequence[Any],
    chosen: Sequence[int],
    kind: Format,
) -> tuple[list[float], list[list[float]]] | None:
    """The derivatives at one place; None if there are none."""
    if not all(math.isfinite(number) for number in numbers):
        return None
    centre = [arb(number) for number in numbers]
    steps = [
        arb(min(abs(number), 1)) * power(-_STEP) if number else power(-_OF_ZERO)
        for number in numbers
    ]
    zeros = any(not number for number in numbers)
    large = max(0, *(math.frexp(number)[1] for number in numbers))
    precision = 2 * (_OF_ZERO if zeros else _STEP) + kind.digits + 4 * _BITS + large
    while precision <= CEILING:
        with working(precision):

            def moved(by: Mapping[int, Any]) -> Any:
                row = list(centre)
                for place, count in by.items():
                    row[place] = centre[place] + count * steps[place]
                return function(row)

            found = _known(moved, numbers, steps, chosen, kind)
        if found != _MORE:
            return found
        precision *= 2
    return None


#: More bits may tell.
_MORE: tuple[list[float], list[list[float]]] = ([], [])


def _known(
    moved: _Moved,
    numbers: Sequence[Any],
    steps: Sequence[arb],
    chosen: Sequence[int],
    kind: Format,
) -> tuple[list[float], list[list[float]]] | None:
    here = moved({})
    sides = [(moved({place: 1}), moved({place: -1})) for place in chosen]
    if not all(isinstance(value, arb) for value in (here, *(v for pair in sides for v in pair))):
        return None
    first, second = [], [[0.0] * len(chosen) for _ in chosen]
    for row, (place, (up, down)) in enumerate(zip(chosen, sides, strict=True)):
        right, left = (up - here) / steps[place], (here - down) / steps[place]
        slope = (up - down) / (2 * steps[place])
        if not (slope.is_finite() and narrow(slope, kind, _BITS)):
            return _MORE
        gap = abs(right - left)
        if not gap <= _ALIKE * abs(slope):
            if not gap > _ALIKE * abs(slope):
                # A ball that reaches to both sides of a bound tells nothing yet.
                return _MORE
            if numbers[place] or not _flat(moved, place, here, steps[place], gap):
                return None
            slope = arb(0)
        curve = (right - left) / steps[place]
        if not _enough(curve, numbers[place], slope, kind):
            return _MORE
        first.append(float(slope))
        second[row][row] = float(curve.mid())
    for row, one in enumerate(chosen):
        for column in range(row):
            other = chosen[column]
            both = moved({one: 1, other: 1})
            if not isinstance(both, arb):
                return None
            mixed = both - sides[row][0] - sides[column][0] + here
            second[row][column] = second[column][row] = float(
                (mixed / (steps[one] * steps[other])).mid()
            )
    return first, second


def _flat(moved: _Moved, place: int, here: arb, step: arb, gap: arb) -> bool:
    """At zero: are both sides bent alike, and is there no corner? Half of the step tells."""
    half = arb((1, -1))
    sides = [moved({place: half}), moved({place: -half})]
    if not all(isinstance(side, arb) for side in sides):
        return False
    nearer = abs(sides[0] - 2 * here + sides[1]) / (half * step)
    return bool(nearer < 0.75 * gap)


def _enough(curve: arb, number: float, slope: arb, kind: Format) -> bool:
    """Is it known how far half a unit in the last place of the number moves the slope?"""
    way = curve.rad() * abs(arb(number)) * power(-kind.digits)
    nothing = power(kind.smallest - _MOVED_BITS)
    return bool(way <= nothing or way <= abs(slope) * power(-kind.digits - _MOVED_BITS))
