"""When are two arrays the same answer?

The screen is generous: ordinary rounding of ordinary numbers never reaches the
referee. What it lets through is judged again by how far one ULP moves the
answer (``assay.judge.rounding``).
"""

import msgspec
import numpy as np

from assay.ir import Array, Case
from assay.ir.transform import spacing

#: Relative to the element, and to the largest finite element of the array.
RELATIVE = 1e-3
OF_LARGEST = 1e-4
#: Below this, results may be flushed to zero (subnormal float32).
FLUSHED = 1.2e-38
#: Half precision has eleven bits.
HALF_PRECISION_FACTOR = 100.0
#: How much more is allowed than in float32, by what ``spacing`` says of the layers.
_COARSENESS = {0.0: 1.0, 2.0**-10: 100.0, 2.0**-7: 300.0}


class Difference(msgspec.Struct, frozen=True):
    """How two answers differ: ``shape``, ``nan`` (or infinity) or ``value``.

    ``position`` is the element that differs most, ``magnitude`` by how much,
    ``tolerance`` what the screen allows there.
    """

    what: str
    position: tuple[int, ...] = ()
    magnitude: float = 0.0
    tolerance: float = 0.0


def coarseness(case: Case) -> float:
    """How many times as much the screen allows as in full precision."""
    return _COARSENESS[spacing(case)]


def difference(first: Array, second: Array, coarse: float = 1.0) -> Difference | None:
    """How the arrays differ, or None if they are the same answer. NaN equals NaN.

    ``coarse`` times as much is allowed as in float32.
    """
    if first.shape != second.shape:
        return Difference("shape")
    if first.size == 0:
        return None
    if first.dtype.kind not in "fc" and second.dtype.kind not in "fc":
        return _exact(first, second)
    if first.dtype.kind == "c" or second.dtype.kind == "c":
        found = difference(_parts(first), _parts(second), coarse)
        return found and msgspec.structs.replace(found, position=found.position[:-1])
    half = "float16" in (first.dtype.name, second.dtype.name)
    factor = max(coarse, HALF_PRECISION_FACTOR if half else 1.0)
    with np.errstate(invalid="ignore"):  # uninitialised memory may hold signalling NaN
        a, b = first.astype("float64"), second.astype("float64")
    finite = np.isfinite(a) & np.isfinite(b)
    # Equal infinities are equal; NaN equals NaN.
    special = ~finite & ~((a == b) | (np.isnan(a) & np.isnan(b)))
    if special.any():
        return Difference("nan", _position(special), float("inf"))
    if not finite.any():
        return None
    a, b = np.where(finite, a, 0.0), np.where(finite, b, 0.0)
    size = np.maximum(np.abs(a), np.abs(b))
    allowed = factor * np.maximum(RELATIVE * size, OF_LARGEST * float(size.max())) + FLUSHED
    deviation = np.abs(a - b)
    excess = deviation - allowed
    if excess.max() <= 0:
        return None
    where = np.unravel_index(int(np.argmax(excess)), excess.shape)
    position = tuple(int(i) for i in where)
    return Difference("value", position, float(deviation[where]), float(allowed[where]))


def _exact(first: Array, second: Array) -> Difference | None:
    different = first != second
    if not different.any():
        return None
    position = _position(different)
    # As Python integers: float64 holds no 64-bit difference of one.
    magnitude = abs(int(first[position]) - int(second[position]))
    return Difference("value", position, float(magnitude), 0.0)


def _parts(array: Array) -> Array:
    """Real and imaginary parts along a new last axis."""
    return np.stack([array.real, array.imag], axis=-1)


def _position(mask: Array) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(mask)), mask.shape))
