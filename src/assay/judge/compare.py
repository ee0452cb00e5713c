"""When are two arrays the same answer?

The screen is generous: ordinary rounding of ordinary numbers never reaches the
referee. What it lets through is judged again by how far one ULP moves the
answer (``assay.judge.rounding``).
"""

import msgspec

from assay.gaps import COARSENESS, HALF_PRECISION, SCREEN, gap, in_parts, peak
from assay.ir import Array, Case
from assay.ir.transform import spacing


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
    return COARSENESS[spacing(case)]


def difference(first: Array, second: Array, coarse: float = 1.0) -> Difference | None:
    """How the arrays differ, or None if they are the same answer. NaN equals NaN.

    ``coarse`` times as much is allowed as in float32.
    """
    if first.dtype.kind == "c" or second.dtype.kind == "c":
        found = difference(in_parts(first), in_parts(second), coarse)
        return found and msgspec.structs.replace(found, position=found.position[:-1])
    apart = gap(first, second)
    if apart is None:
        return Difference("shape")
    if apart.special is not None:
        return Difference("nan", peak(apart.special), float("inf"))
    if not apart.furthest:
        return None
    if apart.whole:
        position = peak(apart.deviation > 0)
        return Difference("value", position, float(apart.deviation[position]))
    half = "float16" in (first.dtype.name, second.dtype.name)
    factor = max(coarse, HALF_PRECISION if half else 1.0)
    size = apart.size
    allowed = SCREEN.allowed(size, float(size.max()), factor)
    excess = apart.deviation - allowed
    if excess.max() <= 0:
        return None
    position = peak(excess)
    return Difference("value", position, float(apart.deviation[position]), float(allowed[position]))
