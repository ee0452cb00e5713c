"""Where two targets' outputs for one instance are farthest apart."""

from collections.abc import Sequence

import msgspec

from assay.gaps import gap, model_allowed, peak
from assay.ir import Array


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
    apart = gap(first, second)
    if apart is None:
        return Farthest("shape", place)
    if apart.special is not None:
        return Farthest("nan", place, peak(apart.special), float("inf"))
    if not first.size:
        return Farthest("value", place)
    allowed = model_allowed(apart.size.reshape(1, -1)).reshape(first.shape)
    # Beside what is allowed there: rounding of a large element may be more than a small one.
    position = peak(apart.deviation if apart.whole else apart.deviation / allowed)
    return Farthest(
        "value", place, position, float(apart.deviation[position]), float(allowed[position])
    )
