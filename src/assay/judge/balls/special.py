"""Formulas of special functions by SciPy's names: error functions, gamma, integrals, entropies.

Where the reference says that nothing is documented, nothing is told here either.
"""

import math
from typing import Any

from flint import arb

from assay.judge.balls.registry import elementwise, unary
from assay.judge.balls.truth import Open, Special

INFINITY, NAN = math.inf, math.nan
_POLE = Open("an infinity of either sign, or NaN")
_CONVENTION = Open("a matter of conventions")
_LIMIT = Open("a limit")
#: Sums take as many terms, and minutes where the parameters are larger.
_MANY = 2**12
_COSTLY = Open("a sum of too many terms")
#: Where exponentials of squares have balls without end; every format ends long before.
_FAR = 2**40


def _path(*names: str) -> tuple[str, ...]:
    return tuple(f"scipy.special.{name}" for name in names)


# --------------------------------------------------------------------------- error functions


def _scaled(x: arb) -> arb:
    """exp(x * x) * erfc(x) of a positive number, without the large factor and the small one."""
    return (x * x).hypgeom_u(arb(0.5), arb(0.5)) / arb.const_sqrt_pi()


@unary(*_path("erfcx"), plus=0.0, minus=INFINITY)
def erfcx(x: arb) -> Any:
    """exp(x * x) * erfc(x)."""
    if x > 1:
        return _scaled(x)
    return Special.BEYOND if x < -_FAR else (x * x).exp() * x.erfc()


@unary(*_path("ndtr"), plus=1.0, minus=0.0)
def ndtr(x: arb) -> arb:
    """The share of a normal distribution below x."""
    return (-x / arb(2).sqrt()).erfc() / 2


@unary(*_path("log_ndtr"), plus=0.0, minus=-INFINITY)
def log_ndtr(x: arb) -> arb:
    """Its logarithm."""
    if x > -1:
        return (-(x / arb(2).sqrt()).erfc() / 2).log1p()
    return (_scaled(-x / arb(2).sqrt()) / 2).log() - x * x / 2


def _inverse(x: arb, end: int) -> Any:
    """What is known at 0, at the other end, and outside."""
    if x <= 0 or x >= end:
        return INFINITY if x.is_zero() else -INFINITY if x == end else NAN
    return None


@unary(*_path("erfcinv"), plus=NAN, minus=NAN)
def erfcinv(x: arb) -> Any:
    """The inverse of erfc, defined from 0 to 2."""
    known = _inverse(x, 2)
    return x.erfcinv() if known is None else known


@unary(*_path("ndtri"), plus=NAN, minus=NAN)
def ndtri(x: arb) -> Any:
    """The inverse of ndtr, defined from 0 to 1."""
    known = _inverse(x, 1)
    return -arb(2).sqrt() * (2 * x).erfcinv() if known is None else -known


@unary(*_path("logit"), plus=NAN, minus=NAN)
def logit(x: arb) -> Any:
    """log(x / (1 - x)), defined from 0 to 1."""
    known = _inverse(x, 1)
    return (x / (1 - x)).log() if known is None else -known


@unary(*_path("dawsn"), plus=0.0, minus=0.0)
def dawsn(x: arb) -> arb:
    """exp(-x * x) times the integral of exp(t * t) from 0 to x."""
    return x * (-x * x).hypgeom_1f1(arb(1), arb(1.5))


# ------------------------------------------------------------------------------------- gamma


def _is_pole(x: arb) -> bool:
    return bool(x <= 0) and bool(x.is_integer())


@unary(*_path("digamma"), plus=INFINITY, minus=NAN, negative_zero=_POLE)
def digamma(x: arb) -> Any:
    """The derivative of the logarithm of gamma, NaN at negative integers."""
    if _is_pole(x):
        return _POLE if x.is_zero() else NAN
    return x.digamma()


@unary(*_path("gamma"), plus=INFINITY, minus=NAN, negative_zero=-INFINITY)
def gamma(x: arb) -> Any:
    """(x - 1)!, NaN at negative integers."""
    if _is_pole(x):
        return INFINITY if x.is_zero() else NAN
    return Special.BEYOND if x > 2**20 else x.gamma()


@unary(*_path("gammaln"), plus=INFINITY, minus=_LIMIT)
def gammaln(x: arb) -> Any:
    """log(abs(gamma(x))), infinite at poles."""
    if _is_pole(x):
        return INFINITY
    if x > 0:
        return x.lgamma()
    return (arb.pi() / abs(x.sin_pi())).log() - (1 - x).lgamma()


def _positive(*strict: bool) -> Any:
    """Nothing is told of zeros (or of some), and of what is not finite."""

    def edges(*numbers: float) -> Any:
        for number, above in zip(numbers, strict, strict=True):
            if not math.isfinite(number) or (above and number == 0):
                return _CONVENTION
        return None

    return edges


_PAIR = _positive(True, True)


def _below_zero(*numbers: arb) -> bool:
    return any(number < 0 for number in numbers)


@elementwise(*_path("betaln"), edges=_PAIR)
def betaln(x: arb, y: arb) -> Any:
    """The logarithm of gamma(x) gamma(y) / gamma(x + y)."""
    return _CONVENTION if _below_zero(x, y) else x.lgamma() + y.lgamma() - (x + y).lgamma()


@elementwise(*_path("beta"), edges=_PAIR)
def beta(x: arb, y: arb) -> Any:
    """gamma(x) gamma(y) / gamma(x + y)."""
    return _CONVENTION if _below_zero(x, y) else betaln(x, y).exp()


@elementwise(*_path("betainc"), edges=_positive(True, True, False))
def betainc(x: arb, y: arb, z: arb) -> Any:
    """The regularized incomplete beta function, of z from 0 to 1."""
    if _below_zero(x, y, z) or z > 1:
        return _CONVENTION
    return _COSTLY if x + y > _MANY else z.beta_lower(x, y, regularized=1)


@elementwise(*_path("gammainc"), edges=_positive(True, False))
def gammainc(x: arb, y: arb) -> Any:
    """The regularized lower incomplete gamma function."""
    if _below_zero(x, y):
        return _CONVENTION
    return _COSTLY if x > _MANY else y.gamma_lower(x, regularized=1)


@elementwise(*_path("gammaincc"), edges=_positive(True, False))
def gammaincc(x: arb, y: arb) -> Any:
    """1 - gammainc."""
    if _below_zero(x, y):
        return _CONVENTION
    return _COSTLY if x > _MANY else y.gamma_upper(x, regularized=1)


@elementwise(*_path("zeta"), edges=_PAIR)
def zeta(x: arb, y: arb) -> Any:
    """The sum of (y + k) ** -x over k from 0 on."""
    if x <= 1 or y <= 0:
        return _CONVENTION
    if x <= 256:
        return x.zeta(y)
    # All terms after the first are at most y + 1 times the second.
    if -x * y.log() > _FAR:
        return Special.BEYOND
    rest = (-x * (y + 1).log()).exp() * (y + 2)
    return (-x * y.log()).exp() + rest.union(arb(0))


# ---------------------------------------------------------------- integrals and logarithms


@unary(*_path("exp1"), plus=_LIMIT, minus=_LIMIT)
def exp1(x: arb) -> Any:
    """The integral of exp(-t) / t from x on."""
    if x <= 0:
        return INFINITY if x.is_zero() else NAN
    return x.expint(arb(1))


@unary(*_path("expi"), plus=_LIMIT, minus=_LIMIT)
def expi(x: arb) -> Any:
    """The integral of exp(t) / t up to x."""
    if x <= 0:
        return _CONVENTION
    return Special.BEYOND if x > _FAR else x.ei()


@unary(*_path("spence"), plus=_LIMIT, minus=_LIMIT)
def spence(x: arb) -> Any:
    """The integral of log(t) / (1 - t) from 1 to x."""
    if x <= 0:
        return arb.pi() ** 2 / 6 if x.is_zero() else NAN
    return (1 - x).polylog(arb(2))


@unary(*_path("entr"), plus=-INFINITY, minus=-INFINITY)
def entr(x: arb) -> Any:
    """-x log(x), 0 at 0, minus infinity below it."""
    if x <= 0:
        return 0.0 if x.is_zero() else -INFINITY
    return -x * x.log()


def _of_product(start: float) -> Any:
    """0 where the first number is 0 and the logarithm of the second is one, or minus infinity."""

    def edges(x: float, y: float) -> Any:
        if x != x or y != y:
            return _CONVENTION if x == 0 else NAN
        if x == 0:
            return 0.0 if math.isfinite(y) and y >= start else _CONVENTION
        if y < start:
            return NAN
        if y == start:
            return math.copysign(INFINITY, -x)
        if math.isinf(y):
            return x * y
        logarithm = y - start - 1.0
        return None if math.isfinite(x) else x * logarithm if logarithm else NAN

    return edges


@elementwise(*_path("xlogy"), edges=_of_product(0.0))
def xlogy(x: arb, y: arb) -> Any:
    """x log(y)."""
    return NAN if y < 0 else x * y.log()


@elementwise(*_path("xlog1py"), edges=_of_product(-1.0))
def xlog1py(x: arb, y: arb) -> Any:
    """x log(1 + y)."""
    if y <= -1:
        return float(-x.sgn()) * INFINITY if y == -1 else NAN
    return x * y.log1p()


def _of_entropy(least: Any) -> Any:
    """Of zeros; what is not finite is nobody's."""

    def edges(x: float, y: float) -> Any:
        if not (math.isfinite(x) and math.isfinite(y)):
            return _CONVENTION
        return least(y) if x == 0 and y >= 0 else INFINITY

    return edges


@elementwise(*_path("rel_entr"), edges=_of_entropy(lambda y: 0.0))
def rel_entr(x: arb, y: arb) -> Any:
    """x log(x / y), infinite where one of them is negative."""
    return INFINITY if _below_zero(x, y) else x * (x / y).log()


@elementwise(*_path("kl_div"), edges=_of_entropy(lambda y: y))
def kl_div(x: arb, y: arb) -> Any:
    """x log(x / y) - x + y, infinite where one of them is negative."""
    return INFINITY if _below_zero(x, y) else x * (x / y).log() - x + y
