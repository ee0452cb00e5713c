"""Enclosures of exact results, at a precision that is raised until they are narrow enough."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from flint import arb

from assay.ir import Array
from assay.judge.balls.formats import Format, format_of
from assay.judge.balls.registry import Formula, NoFormula, formula_of
from assay.judge.balls.truth import (
    Enclosure,
    Open,
    Special,
    Truth,
    exact,
    narrow,
    truth_of,
    working,
)

#: A radius of 2**-BITS units in the last place is small beside any error worth telling.
BITS = 16
#: No further than that: twice what sums of float64 numbers of all sizes need.
CEILING = 8192

Arrays = Sequence[Any]


def enclose(
    op: str,
    arrays: Arrays,
    params: Mapping[str, Any] | None = None,
    *,
    format: str = "float32",
    weights: Mapping[str, Any] | None = None,
    bits: int = BITS,
    ceiling: int = CEILING,
) -> tuple[Enclosure, ...]:
    """Where the exact results of a call are, one enclosure for each of its outputs.

    The call is ``op`` on ``arrays`` (its positional arguments; a list for an argument that is a
    list) with ``params``, numbers taken as they are: a parameter 0.2 is the float64 of that
    name. ``weights`` are those of a layer, by name. bfloat16 numbers come as float32.

    Each ball holds the exact result. Balls are computed again with twice the bits, up to
    ``ceiling``, until their radius is at most 2**-bits of a unit in the last place of
    ``format``. ``NoFormula`` if there is none for the op or for a parameter; ``NoTruth`` where the
    documentation leaves the whole call open; ``ValueError`` for a format that there is not, a
    weight that is missing, and shapes that do not go together.
    """
    formula, given = formula_of(op, params, len(arrays))
    kind = format_of(format)
    if weights and not formula.weights:
        raise NoFormula(f"the formula of {op} knows no weights")
    if formula.elementwise:
        return (_each(formula, arrays, given, kind, bits, ceiling),)
    return _whole(formula, arrays, given, dict(weights or {}), kind, (bits, ceiling))


def _first(kind: Format, bits: int) -> int:
    """A precision that is enough for most functions at most numbers."""
    return kind.digits + bits + 24


# -------------------------------------------------------------------------- single elements


def element(formula: Formula, numbers: Sequence[Any], given: dict[str, Any]) -> Truth:
    """The result of one element at the precision of the moment; numbers or exact balls."""
    if formula.edges is not None:
        for number in numbers:
            # Zeros have signs, and poles; a ball is neither infinite nor NaN.
            if number == 0 or (isinstance(number, float) and not math.isfinite(number)):
                plain = [float(item) for item in numbers]
                found = formula.edges(*plain, **given)
                if found is not None:
                    return truth_of(found)
                break
    balls = (item if isinstance(item, arb) else arb(item) for item in numbers)
    return truth_of(formula.evaluate(*balls, **given))


def _each(
    formula: Formula,
    arrays: Arrays,
    given: dict[str, Any],
    kind: Format,
    bits: int,
    ceiling: int,
) -> Enclosure:
    shape = np.broadcast_shapes(*(np.shape(array) for array in arrays))
    columns = [exact(np.broadcast_to(np.asarray(array), shape)) for array in arrays]
    rows = list(zip(*columns, strict=True))
    found = np.empty(len(rows), dtype=object)
    settled = np.zeros(len(rows), dtype=bool)
    pending, precision, used = list(range(len(rows))), _first(kind, bits), 0
    while pending and precision <= ceiling:
        left, used = [], precision
        with working(precision):
            for place in pending:
                found[place] = result = element(formula, rows[place], given)
                settled[place] = narrow(result, kind, bits)
                if not settled[place] and not _final(result):
                    left.append(place)
        pending, precision = left, 2 * precision
    return Enclosure(formula.op, kind, found.reshape(shape), settled.reshape(shape), used)


#: What a ball without end is told as: more bits may help.
_NO_BALL = truth_of(arb.nan())


def _final(found: Truth) -> bool:
    """Does the formula itself say that there is no truth?"""
    return isinstance(found, Open) and found != _NO_BALL


# ------------------------------------------------------------------------------ whole arrays


def balls_of(value: Any, sums: bool) -> Any:
    """An array as one of exact balls; what is not finite without information, unless in sums."""
    if isinstance(value, list):
        return [balls_of(item, sums) for item in value]
    numbers = exact(value)
    found = np.empty(len(numbers), dtype=object)
    for place, number in enumerate(numbers):
        whole = isinstance(number, int) or math.isfinite(number) or sums
        found[place] = arb(number) if whole else arb.nan()
    return found.reshape(np.shape(value))


class _Weights(dict[str, Any]):
    """The weights of a layer; one that is missing is named."""

    def __missing__(self, name: str) -> Any:
        raise ValueError(f"expected a weight {name}; received {', '.join(self) or 'none'}")


def weights_of(weights: Mapping[str, Any], sums: bool) -> Mapping[str, Any]:
    """Weights by name, as balls."""
    return _Weights({name: balls_of(value, sums) for name, value in weights.items()})


def settings_of(given: dict[str, Any], sums: bool) -> dict[str, Any]:
    """Parameters of which arrays have become balls."""
    return {
        name: balls_of(value, sums) if isinstance(value, np.ndarray) else value
        for name, value in given.items()
    }


def outputs(
    formula: Formula, balls: Sequence[Any], given: dict[str, Any], weights: Mapping[str, Any]
) -> tuple[Array, ...]:
    """What an arraywise formula gives for balls at the precision of the moment."""
    leading = (weights,) if formula.weights else ()
    result = formula.evaluate(*leading, *balls, **given)
    several = result if isinstance(result, tuple) else (result,)
    found = []
    for one in several:
        array = np.empty(np.shape(one), dtype=object)
        array[...] = one
        found.append(array)
    return tuple(found)


def _whole(
    formula: Formula,
    arrays: Arrays,
    given: dict[str, Any],
    weights: dict[str, Any],
    kind: Format,
    limits: tuple[int, int],
) -> tuple[Enclosure, ...]:
    bits, ceiling = limits
    balls = [balls_of(array, formula.sums) for array in arrays]
    own = weights_of(weights, formula.sums)
    settings = settings_of(given, formula.sums)
    finite = all(_finite(ball) for ball in (*balls, *own.values(), *settings.values()))
    precision = _first(kind, bits)
    while True:
        with working(precision):
            results = outputs(formula, balls, settings, own)
            best = tuple(
                _enclosure(formula, result, kind, bits, precision, finite) for result in results
            )
        if all(map(_done, best)) or 2 * precision > ceiling:
            return best
        precision *= 2


def _done(found: Enclosure) -> bool:
    pairs = zip(found.settled.flat, found.elements.flat, strict=True)
    return all(settled or _final(element) for settled, element in pairs)


def _finite(value: Any) -> bool:
    if isinstance(value, list):
        return all(_finite(item) for item in value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        return all(ball.is_finite() for ball in value.flat)
    return True


def _enclosure(
    formula: Formula, result: Array, kind: Format, bits: int, precision: int, finite: bool
) -> Enclosure:
    elements = np.empty(result.shape, dtype=object)
    settled = np.zeros(result.shape, dtype=bool)
    for place in np.ndindex(result.shape):
        found = truth_of(result[place])
        if found == _NO_BALL and not finite:
            found = _of_sum(result[place]) if formula.sums else Open("an input is not finite")
        elements[place] = found
        settled[place] = narrow(found, kind, bits)
    return Enclosure(formula.op, kind, elements, settled, precision)


def _of_sum(ball: Any) -> Truth:
    """What IEEE 754 says of a sum of products with terms that are not finite."""
    if ball.is_nan():
        return Special.NAN
    if ball.rad().is_zero() or ball > 0 or ball < 0:
        return Special.INFINITY if ball > 0 else Special.MINUS_INFINITY
    return Open("an input is not finite")
