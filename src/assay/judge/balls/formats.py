"""Number formats: which numbers there are, how far apart they lie, and where they end."""

import functools
from typing import Any

import msgspec
import numpy as np
from flint import arb

from assay.ir import Array
from assay_worker.precision.formats import FORMATS as WORKERS


class Format(msgspec.Struct, frozen=True):
    """A binary floating-point format with subnormals, infinities and NaN, as IEEE 754 has them.

    ``digits`` counts the bits of a significand, the leading one included; ``least`` and
    ``greatest`` are the exponents of two of the smallest and the largest normal numbers.
    """

    name: str
    digits: int
    least: int
    greatest: int

    @property
    def smallest(self) -> int:
        """The exponent of the smallest positive number, a subnormal one."""
        return self.least - self.digits + 1

    @property
    def end(self) -> int:
        """The exponent of the first power of two that is too large."""
        return self.greatest + 1


#: Those in which workers measure.
FORMATS = {name: Format(*found) for name, found in WORKERS.items()}


def format_of(name: str) -> Format:
    """The format of that name; ``ValueError`` if there is none."""
    if name not in FORMATS:
        raise ValueError(f"expected a format, one of {', '.join(FORMATS)}; received {name!r}")
    return FORMATS[name]


@functools.cache
def power(exponent: int) -> arb:
    """Two to that power, exactly."""
    return arb((1, exponent))


def exponent_of(number: arb) -> int:
    """The exponent of the largest power of two that is not above the size of an exact number.

    The number must not be zero.
    """
    significand, exponent = number.man_exp()
    return abs(int(significand)).bit_length() + int(exponent) - 1


def unit_exponent(kind: Format, size: arb) -> int:
    """The exponent of a unit in the last place at an exact number.

    That is the distance of the two numbers of the format between which it lies: of the lower
    one's binade at a power of two, of subnormal numbers around zero, of the last binade beyond
    the end.
    """
    if size.is_zero():
        return kind.smallest
    binade = min(max(exponent_of(size), kind.least), kind.greatest)
    return binade - kind.digits + 1


def belongs(kind: Format, values: Any) -> Array:
    """Which of these float64 numbers the format has; infinities and NaN it has."""
    numbers = np.asarray(values, dtype="float64")
    fractions, exponents = np.frexp(numbers)
    last = np.maximum(exponents - 1, kind.least) - kind.digits + 1
    with np.errstate(over="ignore", invalid="ignore"):
        # Two steps, as one of 1100 bits would overflow on its way.
        scaled = np.ldexp(fractions, exponents - last)
        inside = (scaled == np.floor(scaled)) & (exponents <= kind.end)
    return np.asarray(inside | ~np.isfinite(numbers))


def neighbours(kind: Format, value: arb) -> tuple[arb, arb]:
    """The numbers of the format next below and next above one of its own numbers.

    Beyond the largest number is the power of two that would come next, which stands for
    infinity; beyond that, nothing: the same number again.
    """
    if value.is_zero():
        return -power(kind.smallest), power(kind.smallest)
    size = abs(value)
    binade = exponent_of(size)
    outward = size if binade == kind.end else size + power(unit_exponent(kind, size))
    shorter = size == power(binade) and binade > kind.least
    inward = size - power(max(binade - shorter, kind.least) - kind.digits + 1)
    return (inward, outward) if value > 0 else (-outward, -inward)
