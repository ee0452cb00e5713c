"""Formulas of one number: elementary functions of ``keras.ops``.

Values at infinities, poles and outside of domains are those of IEEE 754 (clause 9.2) and C99,
Annex F. The sign of a result that is zero is not told.
"""

import math
from typing import Any

from flint import arb

from assay.judge.balls.registry import unary
from assay.judge.balls.truth import Open, Special

INFINITY, NAN = math.inf, math.nan
#: Where exp has a ball without end; every format ends long before.
_FAR = 2**40


def _path(*names: str) -> tuple[str, ...]:
    return tuple(f"keras.ops.{name}" for name in names)


def exp(x: arb) -> arb | Special:
    """exp(x); beyond every format where x is that large."""
    return Special.BEYOND if x > _FAR else x.exp()


def _register_methods() -> None:
    """Functions that a ball has as a method of the same meaning, defined everywhere."""
    for name, method, plus, minus in (
        ("sin", "sin", NAN, NAN),
        ("cos", "cos", NAN, NAN),
        ("tan", "tan", NAN, NAN),
        ("tanh", "tanh", 1.0, -1.0),
        ("arctan", "atan", lambda: arb.pi() / 2, lambda: -arb.pi() / 2),
        ("arcsinh", "asinh", INFINITY, -INFINITY),
        ("erf", "erf", 1.0, -1.0),
        ("erfc", "erfc", 0.0, 2.0),
        ("abs", "__abs__", INFINITY, INFINITY),
        ("absolute", "__abs__", INFINITY, INFINITY),
        ("fabs", "__abs__", INFINITY, INFINITY),
        ("negative", "__neg__", -INFINITY, INFINITY),
        ("floor", "floor", INFINITY, -INFINITY),
        ("ceil", "ceil", INFINITY, -INFINITY),
    ):
        unary(*_path(name), plus=plus, minus=minus)(_method(method))
    unary("keras.activations.tanh", plus=1.0, minus=-1.0)(_method("tanh"))
    unary("keras.activations.exponential", *_path("exp"), plus=INFINITY, minus=0.0)(exp)


def _method(name: str) -> Any:
    return lambda x: getattr(x, name)()


_register_methods()


@unary(*_path("exp2"), plus=INFINITY, minus=0.0)
def exp2(x: arb) -> Any:
    """2**x."""
    return Special.BEYOND if x > _FAR else (x * arb.const_log2()).exp()


@unary(*_path("expm1"), plus=INFINITY, minus=-1.0)
def expm1(x: arb) -> Any:
    """exp(x) - 1."""
    return Special.BEYOND if x > _FAR else x.expm1()


@unary(*_path("sinh"), plus=INFINITY, minus=-INFINITY)
def sinh(x: arb) -> Any:
    """Half of exp(x) - exp(-x)."""
    if abs(x) > _FAR:
        return Special.BEYOND if x > 0 else Special.MINUS_BEYOND
    return x.sinh()


@unary(*_path("cosh"), plus=INFINITY, minus=INFINITY)
def cosh(x: arb) -> Any:
    """Half of exp(x) + exp(-x)."""
    return Special.BEYOND if abs(x) > _FAR else x.cosh()


def _logarithm(name: str, base: Any) -> None:
    @unary(*_path(name), plus=INFINITY, minus=NAN)
    def logarithm(x: arb) -> Any:
        """The logarithm to a base."""
        if x <= 0:
            return -INFINITY if x.is_zero() else NAN
        return x.log() if base is None else x.log() / base()


_logarithm("log", None)
_logarithm("log2", arb.const_log2)
_logarithm("log10", arb.const_log10)


@unary(*_path("log1p"), plus=INFINITY, minus=NAN)
def log1p(x: arb) -> Any:
    """log(1 + x)."""
    if x <= -1:
        return -INFINITY if x == -1 else NAN
    return x.log1p()


@unary(*_path("sqrt"), plus=INFINITY, minus=NAN)
def sqrt(x: arb) -> Any:
    """The square root; of -0 it is zero."""
    return NAN if x < 0 else x.sqrt()


@unary(*_path("rsqrt"), plus=0.0, minus=NAN, negative_zero=-INFINITY)
def rsqrt(x: arb) -> Any:
    """1 / sqrt(x)."""
    if x <= 0:
        return INFINITY if x.is_zero() else NAN
    return x.rsqrt()


@unary(*_path("reciprocal"), plus=0.0, minus=0.0, negative_zero=-INFINITY)
def reciprocal(x: arb) -> Any:
    """1 / x."""
    return INFINITY if x.is_zero() else 1 / x


def _within(name: str, method: str) -> None:
    @unary(*_path(name), plus=NAN, minus=NAN)
    def inverse(x: arb) -> Any:
        """Defined between -1 and 1, both included."""
        return NAN if abs(x) > 1 else getattr(x, method)()


_within("arcsin", "asin")
_within("arccos", "acos")


def _with_poles(name: str, method: str) -> None:
    @unary(*_path(name), plus=NAN, minus=NAN)
    def inverse(x: arb) -> Any:
        """Defined between -1 and 1, where it is infinite."""
        if abs(x) >= 1:
            return math.copysign(INFINITY, float(x)) if abs(x) == 1 else NAN
        return getattr(x, method)()


_with_poles("arctanh", "atanh")
_with_poles("erfinv", "erfinv")


@unary(*_path("arccosh"), plus=INFINITY, minus=NAN)
def arccosh(x: arb) -> Any:
    """Defined from 1 on."""
    return NAN if x < 1 else x.acosh()


@unary(*_path("cbrt"), plus=INFINITY, minus=-INFINITY)
def cbrt(x: arb) -> arb:
    """The real cube root."""
    return -((-x).root(3)) if x < 0 else x.root(3)


@unary(*_path("square"), plus=INFINITY, minus=INFINITY)
def square(x: arb) -> arb:
    """x * x."""
    return x * x


@unary(*_path("deg2rad"), plus=INFINITY, minus=-INFINITY)
def deg2rad(x: arb) -> arb:
    """x * pi / 180."""
    return x * arb.pi() / 180


@unary(*_path("rad2deg"), plus=INFINITY, minus=-INFINITY)
def rad2deg(x: arb) -> arb:
    """x * 180 / pi."""
    return x * 180 / arb.pi()


@unary(*_path("sinc"), plus=Open("0 / infinity by its formula, 0 by its limit"))
def sinc(x: arb) -> arb:
    """sin(pi x) / (pi x), and 1 at 0."""
    return x.sinc_pi()


@unary(*_path("i0"))
def i0(x: arb) -> Any:
    """The modified Bessel function of order 0."""
    # Of a large number exp(x) / sqrt(2 pi x), which no format holds.
    return Special.BEYOND if abs(x) > 2**20 else x.bessel_i(arb(0))


@unary(*_path("trunc"), plus=INFINITY, minus=-INFINITY)
def trunc(x: arb) -> arb:
    """Towards zero."""
    return x.ceil() if x < 0 else x.floor()


def to_even(x: arb) -> arb:
    """The nearest integer of an exact number, halves to even."""
    below = x.floor()
    rest = x - below
    odd = not (below / 2).is_integer()
    return below + 1 if rest > 0.5 or (rest == 0.5 and odd) else below


def _where_rounded(x: float) -> Any:
    return lambda decimals=0: x


@unary(*_path("round"), plus=_where_rounded(INFINITY), minus=_where_rounded(-INFINITY))
def rounded(x: arb, decimals: int = 0) -> Any:
    """To that many decimals; with decimals, what is near a half goes either way."""
    if not decimals:
        return to_even(x)
    scale = arb(10) ** abs(decimals)
    scaled = x * scale if decimals > 0 else x / scale
    size = abs(scaled)
    off = abs(size - size.floor() - 0.5)
    if not off > 1e-5 * size.max(arb(1)):
        return Open("which way a half goes depends on the precision")
    near = (scaled + 0.5).floor()
    return near / scale if decimals > 0 else near * scale


@unary(*_path("sign"), plus=1.0, minus=-1.0)
def sign(x: arb) -> arb:
    """-1, 0 or 1."""
    return x.sgn()


@unary(*_path("angle"), plus=0.0, minus=arb.pi, negative_zero=Open("the sign of zero"))
def angle(x: arb) -> Any:
    """0, or pi for negative numbers."""
    return arb.pi() if x < 0 else 0.0
