"""Element-wise ops whose meaning takes more than NumPy's function of that name, from m to z."""

import numpy as np

from assay_worker.reference.registry import Undocumented, Unsupported, reference


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
    return np.sinc(x)


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
