"""Where two targets' outputs for one instance are farthest apart."""

from collections.abc import Sequence

import msgspec
import numpy as np

from assay.ir import Array
from assay.judge.compare import FLUSHED
from assay.judge.distances import OF_LARGEST, RELATIVE


class Farthest(msgspec.Struct, frozen=True):
    """An element of an output (by its place among all) that differs as ``Difference`` says.

    ``tolerance`` is what the screen allows there.
    """

    what: str
    place: int
    position: tuple[int, ...] = ()
    magnitude: float = 0.0
    tolerance: float = 0.0


def farthest(first: Sequence[Array], second: Sequence[Array]) -> Farthest:
    """The element that differs most: in shape, then in being a number, then in value."""
    if len(first) != len(second):
        return Farthest("shape", 0)
    found = [_of_output(place, *pair) for place, pair in enumerate(zip(first, second, strict=True))]
    order = ("shape", "nan", "value")
    return min(found, key=lambda item: (order.index(item.what), -item.magnitude))


def _of_output(place: int, first: Array, second: Array) -> Farthest:
    if first.shape != second.shape:
        return Farthest("shape", place)
    if not first.size:
        return Farthest("value", place)
    a, b = first.astype("float64"), second.astype("float64")
    finite = np.isfinite(a) & np.isfinite(b)
    special = ~finite & ~((a == b) | (np.isnan(a) & np.isnan(b)))
    if special.any():
        return Farthest("nan", place, _position(special), float("inf"))
    a, b = np.where(finite, a, 0.0), np.where(finite, b, 0.0)
    gap, size = np.abs(a - b), np.maximum(np.abs(a), np.abs(b))
    position = _position(gap)
    allowed = max(RELATIVE * float(size[position]), OF_LARGEST * float(size.max())) + FLUSHED
    return Farthest("value", place, position, float(gap[position]), allowed)


def _position(values: Array) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(values)), values.shape))
