"""Functions of each element, or of each pair: NumPy's own are the documentation's model."""

import numpy as np
from scipy import special

from assay_worker.reference.registry import Undocumented, Unsupported, reference

#: Of one tensor, always computed in floats.
_UNARY = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log1p": np.log1p,
    "log2": np.log2, "log10": np.log10, "sqrt": np.sqrt, "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "reciprocal": np.reciprocal, "sin": np.sin, "cos": np.cos, "tan": np.tan, "arcsin": np.arcsin,
    "arccos": np.arccos, "arctan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "arcsinh": np.arcsinh, "arccosh": np.arccosh, "arctanh": np.arctanh, "erf": special.erf,
    "erfinv": special.erfinv, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
    "cbrt": np.cbrt, "deg2rad": np.deg2rad, "fabs": np.fabs,
}  # fmt: skip
#: Of one tensor; integers stay integers.
_UNARY_INTEGERS = {
    "abs": np.abs, "absolute": np.abs, "negative": np.negative, "square": np.square,
    "sign": np.sign, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite,
    "isneginf": lambda x: x == -np.inf, "isposinf": lambda x: x == np.inf, "isreal": np.isreal,
    "conj": np.conj, "conjugate": np.conj, "copy": np.copy, "imag": np.imag,
    "bitwise_invert": np.invert, "bitwise_not": np.invert, "logical_not": np.logical_not,
}  # fmt: skip
#: Of two tensors, in floats.
_BINARY = {
    "hypot": np.hypot, "logaddexp": np.logaddexp, "divide": np.true_divide,
    "true_divide": np.true_divide, "arctan2": np.arctan2, "logaddexp2": np.logaddexp2,
}  # fmt: skip
#: Of two tensors; integers stay integers.
_BINARY_INTEGERS = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum,
    "minimum": np.minimum, "equal": np.equal, "not_equal": np.not_equal, "greater": np.greater,
    "greater_equal": np.greater_equal, "less": np.less, "less_equal": np.less_equal,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
    "left_shift": np.left_shift, "bitwise_left_shift": np.left_shift,
    "bitwise_right_shift": np.right_shift, "fmax": np.fmax, "fmin": np.fmin, "fmod": np.fmod,
    "gcd": np.gcd, "lcm": np.lcm, "ldexp": np.ldexp,
}  # fmt: skip

#: Beyond this i0 overflows even in float64.
_LARGEST_OF_I0 = 700.0


def _unary(function):
    return lambda x: function(x)


def _binary(function):
    return lambda x1, x2: function(x1, x2)


for _table, _make, _integers in (
    (_UNARY, _unary, False),
    (_UNARY_INTEGERS, _unary, True),
    (_BINARY, _binary, False),
    (_BINARY_INTEGERS, _binary, True),
):
    for _name, _function in _table.items():
        reference("keras.ops." + _name, integers=_integers)(_make(_function))


@reference("keras.ops.angle")
def angle(x):
    """0 for positive numbers, pi for negative ones; -0.0 is one of these (IEEE 754, NumPy)."""
    return np.angle(x)


@reference("keras.ops.i0")
def i0(x):
    """The modified Bessel function of order 0."""
    if np.any(np.abs(x) > _LARGEST_OF_I0):
        raise Undocumented("i0 overflows, to infinity or to NaN")
    return special.i0(x)


@reference("keras.ops.array", integers=True)
def array(x, dtype=None):
    """The same elements; as a boolean, what is not zero."""
    return x != 0 if dtype == "bool" else x


@reference("keras.ops.clip", integers=True)
def clip(x, x_min, x_max):
    """Not below ``x_min``, not above ``x_max``."""
    return np.minimum(np.maximum(x, np.asarray(x_min)), np.asarray(x_max))


@reference("keras.ops.divide_no_nan")
def divide_no_nan(x1, x2):
    """The quotient, 0 where the denominator is 0."""
    return np.where(x2 == 0, 0.0, x1 / np.where(x2 == 0, 1.0, x2))


@reference("keras.ops.floor_divide", integers=True)
def floor_divide(x1, x2):
    """The largest integer not above the quotient."""
    if "f" in (x1.dtype.kind, x2.dtype.kind):
        if not (np.isfinite(x1).all() and np.isfinite(x2).all() and np.all(x2 != 0)):
            raise Undocumented("division of infinity or by 0 gives infinity or NaN, as one likes")
        return np.floor(x1 / x2)
    return np.floor_divide(x1, x2)


@reference("keras.ops.heaviside")
def heaviside(x1, x2):
    """0 below 0, 1 above it, ``x2`` at it."""
    if np.isnan(x1).any():
        raise Undocumented("the step at NaN is not documented")
    return np.heaviside(x1, x2)


@reference("keras.ops.isclose")
def isclose(x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
    """|x1 - x2| <= atol + rtol |x2|."""
    return np.isclose(x1, x2, rtol=rtol, atol=atol, equal_nan=equal_nan)


@reference("keras.ops.allclose")
def allclose(x1, x2, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Are all elements close?"""
    return np.asarray(np.all(isclose(x1, x2, rtol, atol, equal_nan)))


def _whole(*arrays):
    return all(array.dtype.kind in "iub" for array in arrays)


@reference("keras.ops.mod", integers=True)
def mod(x1, x2):
    """The remainder, with the sign of the divisor."""
    if _whole(x1, x2) and np.any(x2 == 0):
        raise Undocumented("integers have no remainder of a division by 0")
    return np.mod(x1, x2)


@reference("keras.ops.nextafter")
def nextafter(x1, x2):
    """The next float32 towards x2: inputs of that precision are the only ones known here."""
    narrow = [x.astype("float32") for x in (x1, x2)]
    if any(np.any((x != y) & ~np.isnan(x)) for x, y in zip((x1, x2), narrow)):
        raise Unsupported("the reference knows the neighbours of float32 numbers only")
    return np.nextafter(*narrow).astype("float64")


@reference("keras.ops.power", integers=True)
def power(x1, x2):
    """x1 to the power of x2."""
    if not _whole(x1, x2):
        return np.power(x1.astype("float64"), x2.astype("float64"))
    if np.any(x2 < 0):
        raise Undocumented("integers have no negative powers")
    return np.power(x1, x2)


@reference("keras.ops.right_shift", integers=True)
def right_shift(x, y):
    """x / 2**y, rounded down."""
    if np.any(y < 0) or np.any(y >= 8 * x.dtype.itemsize):
        raise Undocumented("a shift by that many bits is not documented")
    return np.right_shift(x, y)


@reference("keras.ops.round", integers=True)
def rounded(x, decimals=0):
    """To that many decimals, halves to even."""
    if _whole(x) and decimals >= 0:
        return x
    if decimals:
        # In another precision other numbers are halves.
        scaled = np.abs(x * 10.0**decimals)
        if np.any(np.abs(scaled - np.floor(scaled) - 0.5) < 1e-5 * np.maximum(1.0, scaled)):
            raise Undocumented("which way a half goes depends on the precision")
    return np.round(x.astype("float64"), decimals)


@reference("keras.ops.rad2deg")
def rad2deg(x):
    """x * 180 / pi."""
    return np.rad2deg(x)


@reference("keras.ops.real", integers=True)
def real(x):
    """The real part."""
    return np.real(x)


@reference("keras.ops.signbit", integers=True)
def signbit(x):
    """Is the sign negative? That of -0.0 is."""
    if x.dtype.kind != "f":
        return x < 0
    if np.isnan(x).any():
        raise Undocumented("the sign of NaN is not documented")
    return np.signbit(x)


@reference("keras.ops.sinc")
def sinc(x):
    """sin(pi x) / (pi x), and 1 at 0."""
    if np.isinf(x).any():
        raise Undocumented("sinc at infinity is 0 / infinity by the formula, 0 by its limit")
    # Of a period, as pi * x has lost the digits that matter where x is large.
    nearest = np.round(x)
    sign = np.where(np.mod(nearest, 2.0) == 0.0, 1.0, -1.0)
    divisor = np.where(x == 0.0, 1.0, np.pi * x)
    return np.where(x == 0.0, 1.0, sign * np.sin(np.pi * (x - nearest)) / divisor)


@reference("keras.ops.nan_to_num", integers=True)
def nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    """NaN and infinities replaced."""
    if x.dtype.kind != "f":
        return x
    for value, given in ((np.inf, posinf), (-np.inf, neginf)):
        if given is None and np.any(x == value):
            raise Unsupported("the reference does not know the largest number of the dtype")
    result = np.where(np.isnan(x), 0.0 if nan is None else nan, x)
    result = np.where(x == np.inf, 0.0 if posinf is None else posinf, result)
    return np.where(x == -np.inf, 0.0 if neginf is None else neginf, result)


@reference("keras.ops.erfc")
def erfc(x):
    """1 - erf(x)."""
    return special.erfc(x)


@reference("keras.ops.polar")
def polar(abs_, angle):
    """abs (cos(angle) + i sin(angle))."""
    y = np.empty(np.broadcast(abs_, angle).shape, dtype="complex128")
    y.real, y.imag = abs_ * np.cos(angle), abs_ * np.sin(angle)
    return y
