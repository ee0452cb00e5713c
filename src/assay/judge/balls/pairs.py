"""Formulas of two numbers: arithmetic, powers, remainders, comparisons.

Where an argument is infinite, NaN or zero, IEEE 754 and C99 say what the result is, as NumPy's
float64 functions do; what they leave to a library is open.
"""

import math
from typing import Any

import numpy as np
from flint import arb

from assay.judge.balls.exact import COMPARED
from assay.judge.balls.registry import elementwise
from assay.judge.balls.truth import Open, Special

_FAR = 2**40


def _path(*names: str) -> tuple[str, ...]:
    return tuple(f"keras.ops.{name}" for name in names)


def _finite(*values: float) -> bool:
    return all(math.isfinite(value) for value in values)


def _ieee(function: Any) -> Any:
    """Of numbers that are not finite, what NumPy gives: exact, as no digits are involved."""

    def edges(x: float, y: float) -> float | None:
        if _finite(x, y):
            return None
        with np.errstate(all="ignore"):
            return float(function(float(x), float(y)))

    return edges


@elementwise(*_path("add"), edges=_ieee(np.add))
def add(x: arb, y: arb) -> arb:
    """x + y."""
    return x + y


@elementwise(*_path("subtract"), edges=_ieee(np.subtract))
def subtract(x: arb, y: arb) -> arb:
    """x - y."""
    return x - y


@elementwise(*_path("multiply"), edges=_ieee(np.multiply))
def multiply(x: arb, y: arb) -> arb:
    """x * y."""
    return x * y


def _of_quotient(x: float, y: float) -> Any:
    if _finite(x, y) and y != 0:
        return None
    with np.errstate(all="ignore"):
        return float(np.divide(float(x), float(y)))


@elementwise(*_path("divide", "true_divide"), edges=_of_quotient)
def divide(x: arb, y: arb) -> arb:
    """x / y."""
    return x / y


@elementwise(*_path("divide_no_nan"), edges=lambda x, y: 0.0 if y == 0 else _of_quotient(x, y))
def divide_no_nan(x: arb, y: arb) -> arb:
    """x / y, and 0 where y is 0."""
    return x / y


def _extreme(function: Any) -> Any:
    known = _ieee(function)
    return lambda x, y: COMPARED if x != x or y != y else known(x, y)


elementwise(*_path("maximum"), edges=_extreme(np.maximum))(lambda x, y: x.max(y))
elementwise(*_path("minimum"), edges=_extreme(np.minimum))(lambda x, y: x.min(y))
elementwise(*_path("fmax"), edges=_ieee(np.fmax))(lambda x, y: x.max(y))
elementwise(*_path("fmin"), edges=_ieee(np.fmin))(lambda x, y: x.min(y))


def _of_power(x: float, y: float) -> Any:
    if _finite(x, y) and x != 0 and y != 0:
        return None
    with np.errstate(all="ignore"):
        return float(np.power(float(x), float(y)))


@elementwise(*_path("power"), edges=_of_power)
def power(x: arb, y: arb) -> Any:
    """x to the power of y; NaN of a negative number and a broken exponent."""
    if x < 0 and not y.is_integer():
        return math.nan
    size = abs(x)
    odd = x < 0 and not (y / 2).is_integer()
    if y * size.log() > _FAR:
        return Special.MINUS_BEYOND if odd else Special.BEYOND
    raised = (y * size.log()).exp() if size != 1 else arb(1)
    if y.is_integer() and abs(y) <= 64:
        raised = size ** int(float(y))
    return -raised if odd else raised


def _of_angle(y: float, x: float) -> Any:
    if _finite(x, y) and x != 0 and y != 0:
        return None
    approximate = float(np.arctan2(float(y), float(x)))
    # At all of these it is a multiple of a quarter of pi.
    return math.nan if math.isnan(approximate) else arb.pi() * round(approximate * 4 / math.pi) / 4


@elementwise(*_path("arctan2"), edges=_of_angle)
def arctan2(y: arb, x: arb) -> arb:
    """The angle of the point (x, y)."""
    return arb.atan2(y, x)


@elementwise(*_path("hypot"), edges=_ieee(np.hypot))
def hypot(x: arb, y: arb) -> arb:
    """sqrt(x * x + y * y)."""
    return (x * x + y * y).sqrt()


@elementwise(*_path("logaddexp"), edges=_ieee(np.logaddexp))
def logaddexp(x: arb, y: arb) -> arb:
    """log(exp(x) + exp(y))."""
    return x.max(y) + (-abs(x - y)).exp().log1p()


@elementwise(*_path("logaddexp2"), edges=_ieee(np.logaddexp2))
def logaddexp2(x: arb, y: arb) -> arb:
    """log2(2**x + 2**y)."""
    two = arb.const_log2()
    return x.max(y) + (-abs(x - y) * two).exp().log1p() / two


# -------------------------------------------------------------------- quotients and remainders


def _quotient(x: arb, y: arb) -> Any:
    return x.fmpq() / y.fmpq()


def _of_whole(x: float, y: float) -> Any:
    if _finite(x, y) and y != 0:
        return None
    return Open("a division by zero, or of what is not finite, has no documented remainder")


@elementwise(*_path("floor_divide"), edges=_of_whole)
def floor_divide(x: arb, y: arb) -> arb:
    """The largest integer not above x / y."""
    return arb(_quotient(x, y).floor())


@elementwise(*_path("mod"), edges=_of_whole)
def mod(x: arb, y: arb) -> arb:
    """x - y * floor(x / y)."""
    return arb(x.fmpq() - y.fmpq() * _quotient(x, y).floor())


@elementwise(
    *_path("fmod"),
    edges=lambda x, y: None if _finite(x, y) and y != 0 else _ieee_remainder(x, y),
)
def fmod(x: arb, y: arb) -> arb:
    """x - y * (x / y towards zero)."""
    quotient = _quotient(x, y)
    whole = quotient.floor() if quotient > 0 else quotient.ceil()
    return arb(x.fmpq() - y.fmpq() * whole)


def _ieee_remainder(x: float, y: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.fmod(float(x), float(y)))


# ------------------------------------------------------------------------ steps and answers


@elementwise(
    *_path("heaviside"),
    edges=lambda x, y: COMPARED if x != x else (0.0 if x < 0 else 1.0) if x != 0 else float(y),
)
def heaviside(x: arb, y: arb) -> float:
    """0 below zero, 1 above it, y at it."""
    return 0.0 if x < 0 else 1.0


@elementwise(*_path("ldexp"), edges=lambda x, n: None if math.isfinite(x) else float(x))
def ldexp(x: arb, n: arb) -> arb:
    """x * 2**n."""
    return x * arb((1, int(n.fmpz())))


def _comparison(name: str, function: Any) -> None:
    """The answer of Python's floats, which compare exactly, NaN included."""
    elementwise(
        *_path(name),
        edges=lambda x, y: None if _finite(x, y) else float(function(x, y)),
    )(lambda x, y: float(function(x, y)))


_comparison("equal", lambda x, y: x == y)
_comparison("not_equal", lambda x, y: x != y)
_comparison("greater", lambda x, y: x > y)
_comparison("greater_equal", lambda x, y: x >= y)
_comparison("less", lambda x, y: x < y)
_comparison("less_equal", lambda x, y: x <= y)
_comparison("logical_and", lambda x, y: x != 0 and y != 0)
_comparison("logical_or", lambda x, y: x != 0 or y != 0)
_comparison("logical_xor", lambda x, y: (x != 0) != (y != 0))
