"""Special functions, by SciPy's names and conventions; what those leave open is undocumented."""

import numpy as np
from scipy import special

from assay_worker.reference.registry import Undocumented, Unsupported, reference

#: Of one tensor, defined wherever SciPy is: NaN outside of the domain, infinite at its ends.
_UNARY = {
    "erfcx": special.erfcx, "ndtr": special.ndtr, "log_ndtr": special.log_ndtr,
    "dawsn": special.dawsn, "i0e": special.i0e, "i1e": special.i1e, "ndtri": special.ndtri,
    "erfcinv": special.erfcinv, "entr": special.entr, "logit": special.logit,
    "gamma": special.gamma,
}  # fmt: skip
#: Beyond this the phase of an oscillation takes a reduced argument.
_FAR = 1e4


def _unary(function):
    return lambda x: function(x)


for _name, _function in _UNARY.items():
    reference("scipy.special." + _name)(_unary(_function))


def _above_zero(function):
    def defined(x):
        if np.any(x <= 0):
            raise Undocumented("outside of the domain, or at its pole, NaN or an infinity")
        return function(x)

    return defined


for _name, _function in (
    ("k0", special.k0),
    ("k0e", special.k0e),
    ("k1", special.k1),
    ("k1e", special.k1e),
):
    reference("scipy.special." + _name)(_above_zero(_function))


@reference("scipy.special.i1")
def i1(x):
    """The modified Bessel function of order 1."""
    if np.isinf(x).any():
        raise Undocumented("i1 at infinity is an infinity by its limit, NaN by formulas")
    return special.i1(x)


# ------------------------------------------------------------------------------ oscillations


def _oscillating(near, terms, second):
    """A Bessel function; far out by Hankel's expansion, whose phase is reduced exactly."""

    def bessel(x):
        if np.isinf(x).any():
            raise Undocumented("at infinity it is 0 by its limit, cos(infinity) by formulas")
        size = np.abs(x)
        far = np.where(size > _FAR, size, 2 * _FAR)
        cosine, sine = (np.cos(far) + np.sin(far)), (np.sin(far) - np.cos(far))
        sign = 1.0
        if terms is _FIRST_ORDER:
            cosine, sine, sign = sine, -cosine, -1.0
        even, odd, cubic = terms
        amplitude = 1.0 / np.sqrt(np.pi * far)
        p = 1.0 + even / far**2
        q = odd / far + cubic / far**3
        wave = p * sine + q * cosine if second else p * cosine - q * sine
        found = np.where(size > _FAR, amplitude * wave, near(np.where(size > _FAR, 1.0, x)))
        return np.where((x < 0) & (size > _FAR), found * sign, found)

    return bessel


_ZEROTH_ORDER = (-9.0 / 128, -1.0 / 8, 75.0 / 1024)
_FIRST_ORDER = (15.0 / 128, 3.0 / 8, -105.0 / 1024)
for _name, _near, _terms, _second in (
    ("j0", special.j0, _ZEROTH_ORDER, False),
    ("j1", special.j1, _FIRST_ORDER, False),
    ("y0", special.y0, _ZEROTH_ORDER, True),
    ("y1", special.y1, _FIRST_ORDER, True),
):
    _bessel = _oscillating(_near, _terms, _second)
    reference("scipy.special." + _name)(_above_zero(_bessel) if _second else _bessel)


@reference("scipy.special.airy")
def airy(x):
    """Ai, the first of the four that SciPy's function gives."""
    if np.isinf(x).any():
        raise Undocumented("at infinity it is 0 by its limit, an oscillation by formulas")
    negative = np.where(x < -_FAR, -x, 2 * _FAR)
    angle = 2.0 / 3.0 * negative * np.sqrt(negative)
    cosine, sine = np.cos(angle) + np.sin(angle), np.sin(angle) - np.cos(angle)
    wave = cosine * (1.0 - 385.0 / 10368 / angle**2) + sine * (5.0 / 72 / angle)
    far = wave / np.sqrt(2.0 * np.pi * np.sqrt(negative))
    near = special.airy(np.where(x < -_FAR, 0.0, np.minimum(x, 200.0)))[0]
    return np.where(x < -_FAR, far, near)


@reference("scipy.special.spherical_jn")
def spherical_jn(x, n):
    """sin(x) / x, and 1 at 0: order 0."""
    if n != 0:
        raise Unsupported("the reference knows order 0")
    if np.isinf(x).any():
        raise Undocumented("at infinity it is 0 by its limit, sin(infinity) by its formula")
    return np.where(x == 0.0, 1.0, np.sin(x) / np.where(x == 0.0, 1.0, x))


# ------------------------------------------------------------------------------------- gamma


@reference("scipy.special.digamma")
def digamma(x):
    """The derivative of the logarithm of gamma, NaN at negative integers."""
    if np.any(x == 0):
        raise Undocumented("digamma of 0 is an infinity of either sign, or NaN")
    return special.digamma(x)


@reference("scipy.special.gammaln")
def gammaln(x):
    """log(abs(gamma(x))), infinite at poles (C99)."""
    if np.any(x == -np.inf):
        raise Undocumented("gammaln has no limit at minus infinity")
    return special.gammaln(x)


def _within(low, arrays, what):
    """What lies outside, or is infinite, has conventions that differ."""
    for x, strict in zip(arrays, low):
        outside = x <= 0 if strict else x < 0
        if np.any(outside | ~np.isfinite(x)):
            raise Undocumented("%s there is a matter of conventions" % what)


@reference("scipy.special.beta")
def beta(x1, x2):
    """gamma(x1) gamma(x2) / gamma(x1 + x2)."""
    _within((True, True), (x1, x2), "beta")
    return special.beta(x1, x2)


@reference("scipy.special.betaln")
def betaln(x1, x2):
    """The logarithm of beta."""
    _within((True, True), (x1, x2), "beta")
    return special.betaln(x1, x2)


@reference("scipy.special.betainc")
def betainc(x1, x2, x3):
    """The regularized incomplete beta function, of x3 from 0 to 1."""
    _within((True, True, False), (x1, x2, x3), "betainc")
    if np.any(x3 > 1):
        raise Undocumented("betainc is defined from 0 to 1")
    return special.betainc(x1, x2, x3)


@reference("scipy.special.gammainc")
def gammainc(x1, x2):
    """The regularized lower incomplete gamma function."""
    _within((True, False), (x1, x2), "gammainc")
    return special.gammainc(x1, x2)


@reference("scipy.special.gammaincc")
def gammaincc(x1, x2):
    """1 - gammainc."""
    _within((True, False), (x1, x2), "gammaincc")
    return special.gammaincc(x1, x2)


@reference("scipy.special.zeta")
def zeta(x1, x2):
    """The sum of (x2 + k) ** -x1 over k from 0 on, which ends where x1 is above 1."""
    if np.any(x1 <= 1):
        raise Undocumented("the sum has no end at 1, and NaN or a continuation stands below")
    _within((True, True), (x1, x2), "zeta")
    found = special.zeta(x1, x2)
    # Of a power so large its own product is infinity times zero; the first term is all of it.
    return np.where(np.isnan(found), np.exp(-x1 * np.log(x2)), found)


# ------------------------------------------------------------------------------- logarithms


@reference("scipy.special.exp1")
def exp1(x):
    """The integral of exp(-t) / t from x on."""
    if np.isinf(x).any():
        raise Undocumented("exp1 at infinity is a limit")
    return special.exp1(x)


@reference("scipy.special.expi")
def expi(x):
    """The integral of exp(t) / t up to x; TensorFlow documents positive numbers only."""
    if np.any((x <= 0) | np.isinf(x)):
        raise Undocumented("expi at infinity is a limit, and not everywhere defined below 0")
    return special.expi(x)


@reference("scipy.special.spence")
def spence(x):
    """The integral of log(t) / (1 - t) from 1 to x."""
    if np.isinf(x).any():
        raise Undocumented("spence at infinity is a limit")
    return special.spence(x)


def _times_logarithm(function):
    def product(x1, x2):
        if np.any((x1 == 0) & ~(np.isfinite(x2) & (x2 >= 0))):
            raise Undocumented("0 times what is no number is 0 or NaN")
        return function(x1, x2)

    return product


reference("scipy.special.xlogy")(_times_logarithm(special.xlogy))


@reference("scipy.special.xlog1py")
def xlog1py(x1, x2):
    """x1 log(1 + x2), 0 where x1 is."""
    if np.any((x1 == 0) & ~(np.isfinite(x2) & (x2 >= -1))):
        raise Undocumented("0 times what is no number is 0 or NaN")
    return special.xlog1py(x1, x2)


def _finite(arrays, name):
    if not all(np.isfinite(x).all() for x in arrays):
        raise Undocumented("%s is infinite outside of its domain, and at NaN as one likes" % name)


@reference("scipy.special.kl_div")
def kl_div(x1, x2):
    """x1 log(x1 / x2) - x1 + x2 of positive numbers, x2 where x1 is 0, infinite elsewhere."""
    _finite((x1, x2), "kl_div")
    return special.kl_div(x1, x2)


@reference("scipy.special.rel_entr")
def rel_entr(x1, x2):
    """x1 log(x1 / x2) of positive numbers, 0 where x1 is 0, infinite elsewhere."""
    _finite((x1, x2), "rel_entr")
    return special.rel_entr(x1, x2)
