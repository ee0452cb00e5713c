"""What is known of the exact result of an element, and of an array of them."""

import contextlib
import enum
import math
import threading
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
from flint import arb, ctx

from assay.ir import Array
from assay.judge.balls.formats import Format, power


class Special(enum.Enum):
    """A result that no ball holds.

    ``BEYOND`` is a real number larger than any format has, so large that its ball has no end.
    """

    NAN = "NaN"
    INFINITY = "infinity"
    MINUS_INFINITY = "minus infinity"
    BEYOND = "beyond every format"
    MINUS_BEYOND = "below every format"


class Open(msgspec.Struct, frozen=True):
    """No truth: neither IEEE 754 nor documentation says what the result is, or no ball tells."""

    reason: str


#: The exact result lies in the ball, or is special, or nobody knows it.
Truth = arb | Special | Open

_SPECIAL = {math.inf: Special.INFINITY, -math.inf: Special.MINUS_INFINITY}


class Enclosure(msgspec.Struct, frozen=True):
    """Where the exact results of one output are, element by element.

    ``elements`` is an array of ``Truth``. ``settled`` says where a ball is as narrow as was
    asked for in ``format``, or the result is special; a ball that is not settled holds the
    result all the same. ``precision`` is the number of bits that the last element took.
    """

    op: str
    format: Format
    elements: Array
    settled: Array
    precision: int

    def reasons(self) -> dict[str, int]:
        """Why elements have no truth, and how many each."""
        found: dict[str, int] = {}
        for element in self.elements.flat:
            if isinstance(element, Open):
                found[element.reason] = found.get(element.reason, 0) + 1
        return found


#: The working precision is a property of the process.
_LOCK = threading.RLock()


@contextlib.contextmanager
def working(bits: int) -> Iterator[None]:
    """Balls are rounded to that many bits meanwhile; threads take turns."""
    with _LOCK:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before


def truth_of(value: Any) -> Truth:
    """What a formula gave, as a truth: floats are exact, and a ball without end tells nothing."""
    if isinstance(value, arb):
        if value.is_finite():
            return value
        return Open("no ball holds it at this precision")
    if isinstance(value, float):
        if math.isnan(value):
            return Special.NAN
        return _SPECIAL.get(value) or arb(value)
    if isinstance(value, bool | int):
        return arb(int(value))
    if isinstance(value, Special | Open):
        return value
    raise TypeError(f"expected a ball, a number, Special or Open; received {value!r}")


def narrow(found: Truth, kind: Format, bits: int) -> bool:
    """Is the radius of a ball at most 2**-bits of a unit in the last place, wherever it is?

    What is special is; so is a ball beyond the end of the format.
    """
    if isinstance(found, Special):
        return True
    if isinstance(found, Open):
        return False
    # A unit is more than 2**-digits of any number in its binade.
    if found.rel_accuracy_bits() > kind.digits + bits:
        return True
    least = found.abs_lower()
    if least >= power(kind.end):
        return True
    # No unit is smaller than the distance of subnormal numbers.
    return bool(found.rad() <= power(kind.smallest - bits))


def exact(values: Any) -> list[float] | list[int]:
    """The elements of an array of numbers as Python's, exactly; ``TypeError`` for others."""
    array = np.asarray(values)
    if array.dtype.kind in "biu":
        return [int(item) for item in array.reshape(-1).tolist()]
    if array.dtype.kind in "fV" and array.dtype.itemsize <= 8:
        # ml_dtypes' bfloat16 is of kind V, and is converted exactly as well.
        with np.errstate(invalid="ignore"):
            # A signalling NaN becomes a quiet one.
            return [float(item) for item in array.astype("float64").reshape(-1).tolist()]
    raise TypeError(f"expected real numbers; received an array of {array.dtype}")
