"""What a runtime gives for a case beside what is expected of it.

Types and shapes, whole numbers, truth values and texts must be equal; fractions may be apart by
what the suite itself allows (its ``rtol`` and ``atol``). NaN equals NaN.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from assay.gaps import Gap, gap, peak
from assay.ir import Array
from assay.ir.suite import Difference, SuiteCase, Value

#: By type: the bits of a fraction, and the power of two of the smallest normal number.
_FORMATS = {
    "float64": (52, -1022),
    "float32": (23, -126),
    "float16": (10, -14),
    "bfloat16": (7, -126),
    "float8_e4m3fn": (3, -6),
    "float8_e4m3fnuz": (3, -7),
    "float8_e5m2": (2, -14),
    "float8_e5m2fnuz": (2, -15),
    "float8_e8m0fnu": (0, -127),
    "float4_e2m1fn": (1, 0),
    "complex64": (23, -126),
    "complex128": (52, -1022),
}

#: A type with fewer bits of fraction than these is coarse.
_FEW = 7


def spacing(dtype: str, size: Array) -> Array:
    """The distance from numbers of these sizes to the next of a type; 0 of whole numbers."""
    if dtype not in _FORMATS:
        return np.zeros_like(size)
    bits, least = _FORMATS[dtype]
    with np.errstate(divide="ignore"):
        power = np.floor(np.log2(np.where(size > 0.0, size, 2.0**least)))
    return np.asarray(2.0 ** (np.maximum(power, least) - bits))


def exact(dtype: str) -> bool:
    """Is it a type of whole numbers, or of truth values?"""
    return dtype not in _FORMATS


def coarse(dtype: str) -> bool:
    """Is it of so few bits that the next number is another answer, as of whole numbers?"""
    return exact(dtype) or _FORMATS[dtype][0] < _FEW


def difference(case: SuiteCase, given: Sequence[Value]) -> Difference | None:
    """How what is given differs from what the case expects; None if it does not.

    A case that draws random numbers must only have the right types and shapes.
    """
    if len(given) != len(case.told.outputs):
        counts = (f"{len(case.told.outputs)} outputs", f"{len(given)} outputs")
        return Difference("shape", 0, *counts)
    for place, (expected, own) in enumerate(zip(case.told.outputs, given, strict=True)):
        found = apart(expected, own, place, case)
        if found is not None:
            return found
    return None


def apart(expected: Value, given: Value, place: int, case: SuiteCase) -> Difference | None:
    """How two values differ, as an output at this place."""
    for first, second in parts(expected, given):
        if first.form != second.form or len(first.items) != len(second.items):
            what = "shape" if first.form == second.form else "type"
            return Difference(what, place, first.kind, second.kind)
        if first.dtype != second.dtype:
            return Difference("type", place, first.kind, second.kind)
        found = _texts(first, second, place) if first.array is None else None
        if first.array is not None and second.array is not None:
            found = _numbers(first.array, second.array, first.dtype, place, case)
        if found is not None:
            return found
    return None


def parts(first: Value, second: Value) -> Iterator[tuple[Value, Value]]:
    """Values that stand at the same place of two; of sequences of one length their items."""
    if first.form == second.form == "sequence" and len(first.items) == len(second.items):
        for one, other in zip(first.items, second.items, strict=True):
            yield from parts(one, other)
    else:
        yield first, second


def _texts(first: Value, second: Value, place: int) -> Difference | None:
    if first.shape != second.shape:
        return Difference("shape", place, first.kind, second.kind)
    for at, (one, other) in enumerate(zip(first.text, second.text, strict=True)):
        if one != other:
            position = tuple(int(i) for i in np.unravel_index(at, first.shape))
            return Difference("text", place, repr(one), repr(other), position)
    return None


def _numbers(
    first: Array, second: Array, dtype: str, place: int, case: SuiteCase
) -> Difference | None:
    found = gap(first, second)
    if found is None:
        one, other = (f"{dtype}{list(array.shape)}" for array in (first, second))
        return Difference("shape", place, one, other)
    if case.random:
        return None
    wrong = _beyond(found, dtype, case)
    if not wrong.any():
        return None
    distance = np.where(wrong, found.distance, -1.0)
    at = peak(distance)
    special = found.special is not None and bool(found.special[at])
    unit = float(spacing(dtype, np.asarray(np.abs(found.first[at]))))
    return Difference(
        what="special" if special else "number",
        output=place,
        expected=_shown(first[at]),
        given=_shown(second[at]),
        position=at,
        deviation=0.0 if special else float(found.deviation[at]),
        units=0.0 if special or not unit else float(found.deviation[at]) / unit,
        share=float(wrong.mean()),
    )


def _beyond(found: Gap, dtype: str, case: SuiteCase) -> Array:
    """Which elements are further apart than the suite allows."""
    if exact(dtype):
        return found.deviation > 0.0
    allowed = case.atol + case.rtol * np.abs(found.first)
    beyond = found.deviation > allowed
    return beyond if found.special is None else beyond | found.special


def _shown(element: object) -> str:
    return str(np.asarray(element)[()])
