"""Formulas of Bessel's functions and their kin, by SciPy's names."""

from typing import Any

from flint import arb

from assay.judge.balls.registry import NoFormula, unary
from assay.judge.balls.truth import Open, Special

_LIMIT = Open("0 by its limit, an oscillation by formulas")
_OUTSIDE = Open("outside of the domain, or at its pole, NaN or an infinity")
#: Where exp is beyond every format.
_FAR = 2**20


def _path(name: str) -> str:
    return f"scipy.special.{name}"


def _first_kind(name: str, order: int) -> None:
    @unary(_path(name), plus=_LIMIT, minus=_LIMIT)
    def bessel(x: arb) -> arb:
        """Of the first kind."""
        return x.bessel_j(arb(order))


def _second_kind(name: str, order: int) -> None:
    @unary(_path(name), plus=_LIMIT, minus=_OUTSIDE)
    def bessel(x: arb) -> Any:
        """Of the second kind, of positive numbers."""
        return _OUTSIDE if x <= 0 else x.bessel_y(arb(order))


def _modified(name: str, order: int, scaled: bool) -> None:
    @unary(_path(name), plus=0.0, minus=_OUTSIDE)
    def bessel(x: arb) -> Any:
        """Modified, of the second kind, of positive numbers."""
        return _OUTSIDE if x <= 0 else x.bessel_k(arb(order), scaled=scaled)


for _order in (0, 1):
    _first_kind(f"j{_order}", _order)
    _second_kind(f"y{_order}", _order)
    _modified(f"k{_order}", _order, False)
    _modified(f"k{_order}e", _order, True)


@unary(_path("i0e"), plus=0.0, minus=0.0)
def i0e(x: arb) -> arb:
    """exp(-abs(x)) times the modified function of order 0."""
    return abs(x).bessel_i(arb(0), scaled=True)


@unary(_path("i1e"), plus=0.0, minus=0.0)
def i1e(x: arb) -> arb:
    """exp(-abs(x)) times the modified function of order 1."""
    size = abs(x).bessel_i(arb(1), scaled=True)
    return -size if x < 0 else size


@unary(_path("i1"), plus=_LIMIT, minus=_LIMIT)
def i1(x: arb) -> Any:
    """The modified function of order 1."""
    if abs(x) > _FAR:
        return Special.BEYOND if x > 0 else Special.MINUS_BEYOND
    return x.bessel_i(arb(1))


@unary(_path("airy"), plus=_LIMIT, minus=_LIMIT)
def airy(x: arb) -> arb:
    """Ai."""
    return x.airy_ai()


@unary(_path("spherical_jn"), plus=_LIMIT, minus=_LIMIT)
def spherical_jn(x: arb, n: int) -> Any:
    """sin(x) / x, and 1 at 0."""
    if n:
        raise NoFormula("there is a formula for order 0 only")
    return x.sinc()
