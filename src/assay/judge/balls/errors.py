"""How far answers are from exact results, in units in the last place, with proven bounds.

A unit at a result is the distance of the two numbers of the format between which it lies (of
subnormal ones around zero; at a power of two, of the binade that begins there). Then an answer
is correctly rounded only if its error is at most half a unit, and one of the two numbers beside
the result only if it is less than one.

Beyond the largest number the format goes on with one more, the next power of two, which stands
for infinity and for everything behind it: infinity is correctly rounded where IEEE 754 says so,
the largest number is one unit off an enormous result, and finite answers to it have finite errors.
"""

import math
from typing import Any

import msgspec
import numpy as np
from flint import arb

from assay.ir import Array
from assay.judge.balls.formats import Format, belongs, exponent_of, neighbours, power, unit_exponent
from assay.judge.balls.truth import Enclosure, Open, Special, exact, working

#: Enough for a difference whose bounds are then floats.
_PRECISION = 192

#: Verdicts, so that arrays of them can be counted.
NO, YES, UNDECIDED = 0, 1, -1


class Errors(msgspec.Struct, frozen=True):
    """The errors of an array of answers, in units in the last place.

    The error of each is between ``lower`` and ``upper``: 0 where a special result was given,
    infinite where it or a finite one was missed, NaN where there is no truth. ``faithful``
    (one of the two numbers beside the result, or the result itself) and ``rounded`` (the
    nearest, ties to even) are 1, 0, or -1 where the enclosure does not decide. ``flushed``: the
    answer is zero, the result below the smallest normal number.
    """

    lower: Array
    upper: Array
    faithful: Array
    rounded: Array
    flushed: Array


#: lower, upper, faithful, rounded, flushed.
_Row = tuple[float, float, int, int, bool]
_RIGHT: _Row = (0.0, 0.0, YES, YES, False)
_WRONG: _Row = (math.inf, math.inf, NO, NO, False)
_UNKNOWN: _Row = (math.nan, math.nan, UNDECIDED, UNDECIDED, False)


def unit_errors(answers: Any, enclosure: Enclosure) -> Errors:
    """The errors of answers in the format of the enclosure, which must have its shape.

    ``ValueError`` for another shape, and for numbers that the format does not have.
    """
    given = np.asarray(answers)
    if given.shape != enclosure.elements.shape:
        raise ValueError(
            f"expected answers of shape {enclosure.elements.shape}; received {given.shape}"
        )
    numbers = [float(number) for number in exact(given)]
    strange = ~belongs(enclosure.format, numbers)
    if strange.any():
        number = numbers[int(np.argmax(strange))]
        raise ValueError(f"expected numbers of {enclosure.format.name}; received {number!r}")
    with working(_PRECISION):
        rows = [
            _row(number, truth, enclosure.format)
            for number, truth in zip(numbers, enclosure.elements.flat, strict=True)
        ]
    columns = list(zip(*rows, strict=True)) if rows else [()] * 5
    kinds = ("float64", "float64", "int8", "int8", "bool")
    return Errors(
        *(
            np.array(column, dtype=kind).reshape(given.shape)
            for column, kind in zip(columns, kinds, strict=True)
        )
    )


def _row(number: float, truth: Any, kind: Format) -> _Row:
    if isinstance(truth, Open):
        return _UNKNOWN
    if truth is Special.NAN:
        return _RIGHT if math.isnan(number) else _WRONG
    if truth is Special.INFINITY or truth is Special.MINUS_INFINITY:
        return (
            _RIGHT if number == (math.inf if truth is Special.INFINITY else -math.inf) else _WRONG
        )
    if math.isnan(number):
        return _WRONG
    end = power(kind.end)
    if truth is Special.BEYOND or truth is Special.MINUS_BEYOND:
        truth = 2 * end if truth is Special.BEYOND else -2 * end
    answer = arb(number) if math.isfinite(number) else end if number > 0 else -end
    return _of_ball(answer, truth, kind, end)


def _of_ball(answer: arb, ball: arb, kind: Format, end: arb) -> _Row:
    least, greatest = ball.abs_lower(), ball.abs_upper()
    small, large = unit_exponent(kind, least), unit_exponent(kind, greatest)
    near = ball if greatest < end else ball.min(end).max(-end)
    apart = abs(answer - near)
    lower = _below(apart.abs_lower() * power(-large))
    upper = _above(apart.abs_upper() * power(-small))
    flushed = answer.is_zero() and greatest < power(kind.least) and not ball.is_zero()
    return lower, upper, *_verdicts(answer, ball, kind, end), bool(flushed)


def _verdicts(answer: arb, ball: arb, kind: Format, end: arb) -> tuple[int, int]:
    """Faithful, and correctly rounded."""
    if answer == ball:
        return YES, YES
    below, above = neighbours(kind, answer)
    # Results between the largest number and infinity have no other number beside them.
    low = None if below <= -end else below
    high = None if above >= end else above
    faithful = _within(ball, low, high, False)
    # Half of the way to the next number is exact at this precision; infinity has no next one.
    low = None if below == answer else (below + answer) / 2
    high = None if above == answer else (answer + above) / 2
    return faithful, _within(ball, low, high, _is_even(answer, kind))


def _within(ball: arb, low: arb | None, high: arb | None, closed: bool) -> int:
    """Is what the ball holds between the two, or at one of them if they belong to it?"""

    def above(one: arb, other: arb, equal: bool) -> bool:
        return bool(one >= other if equal else one > other)

    if (low is None or above(ball, low, closed)) and (high is None or above(high, ball, closed)):
        return YES
    outside = (low is not None and above(low, ball, not closed)) or (
        high is not None and above(ball, high, not closed)
    )
    return NO if outside else UNDECIDED


def _is_even(answer: arb, kind: Format) -> bool:
    """Is the last bit of a number of the format zero?"""
    if answer.is_zero() or exponent_of(abs(answer)) == kind.end:
        return True
    significand, exponent = answer.man_exp()
    return int(significand) % 2 == 0 or int(exponent) > unit_exponent(kind, abs(answer))


def _below(number: arb) -> float:
    found = float(number)
    if math.isinf(found):
        return math.nextafter(found, 0.0)
    return math.nextafter(found, 0.0) if arb(found) > number else found


def _above(number: arb) -> float:
    found = float(number)
    return math.nextafter(found, math.inf) if arb(found) < number else found
