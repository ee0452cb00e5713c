"""Number formats: rounding to them, and their units in the last place. Host and worker share it."""

import collections

import numpy as np

#: ``bits`` of the significand, the hidden one included; ``least`` and ``greatest`` are the
#: exponents of the smallest and of the largest normal number.
Format = collections.namedtuple("Format", ["name", "bits", "least", "greatest"])

FORMATS = {
    "float16": Format("float16", 11, -14, 15),
    "bfloat16": Format("bfloat16", 8, -126, 127),
    "float32": Format("float32", 24, -126, 127),
    "float64": Format("float64", 53, -1022, 1023),
}


#: How a float64 is stored: bits of its significand, those of its exponent, and what is added to it.
_STORED, _EXPONENT, _BIAS = 52, 0x7FF, 1023


def smallest(name):
    """The smallest normal number."""
    return float(np.ldexp(1.0, FORMATS[name].least))


def largest(name):
    """The largest number."""
    found = FORMATS[name]
    # 2 - 2^(1-bits), times the largest power of two; in this order nothing overflows.
    return float(np.ldexp(2.0 - np.ldexp(1.0, 1 - found.bits), found.greatest))


def flushes(name):
    """Are inputs below the normal numbers left out? Libraries differ in what they make of them.

    Those of float16 are normal numbers where it is computed.
    """
    return name != "float16"


def unit(values, name):
    """The distance of the next number at each value: one unit in the last place, as float64."""
    found = FORMATS[name]
    values = np.asarray(values, dtype="float64")
    # The bits of an exponent, which are those of the power of two that it means.
    exponents = ((values.view("int64") >> _STORED) & _EXPONENT) - _BIAS
    # Zero and smaller numbers have the unit of the least exponent, infinity that of the greatest.
    places = np.clip(exponents, found.least, found.greatest) - (found.bits - 1)
    if found.least - found.bits < -_BIAS:
        return np.ldexp(1.0, places)
    return ((places + _BIAS) << _STORED).view("float64")


def rounded(values, name, flush=False):
    """The values as the format holds them (nearest, ties to even), as float64.

    What is too large becomes infinite. With ``flush`` numbers below the normal ones become zero,
    as they do where a library tells the processor so.
    """
    values = np.asarray(values, dtype="float64")
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        if name == "bfloat16":
            step = unit(values, name)
            near = np.rint(values / step) * step
            near = np.where(np.abs(near) > largest(name), np.copysign(np.inf, near), near)
            near = np.where(np.isfinite(values), near, values)
        else:
            near = values.astype(name).astype("float64")
    if flush:
        near = np.where(np.abs(near) < smallest(name), np.copysign(0.0, near), near)
    return near
