"""What ONNX leaves open: results that it does not define, and cases that say more than its text."""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources

import msgspec
import numpy as np

from assay.ir import Array
from assay.ir.suite import SuiteCase, Value
from assay.judge.suite.comparing import parts

_FILE = "doubtful.toml"
#: Operators whose results are undefined where a number does not fit the type asked for.
_CASTS = ("onnx.Cast", "onnx.CastLike")
#: Types of fractions that have no NaN.
_NO_NAN = ("float4_e2m1fn",)


class Doubtful(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A case that demands what ONNX's text does not, or denies: ``definition`` quotes the text."""

    case: str
    reason: str
    definition: str
    link: str


@cache
def doubtful() -> dict[str, Doubtful]:
    """The entries of the data file, by the name of the case."""
    text = resources.files("assay.judge.suite").joinpath(_FILE).read_text(encoding="utf-8")
    entries = msgspec.convert(tomllib.loads(text)["case"], tuple[Doubtful, ...])
    return {entry.case: entry for entry in entries}


def undefined(case: SuiteCase, given: Sequence[Value]) -> str:
    """Why nothing is defined wherever an answer differs; "" if something is.

    ONNX's Cast: from floating point to fixed point "undefined if OOR (out of range)"; of NaN to a
    type that has none it says nothing, and calls what is negative "Unspecified" for FLOAT8E8M0.
    """
    if case.op not in _CASTS:
        return ""
    source, (expected,), (own,) = case.told.inputs[0].array, case.told.outputs, tuple(given)[:1]
    for first, second in parts(expected, own):
        if source is None or first.array is None or second.array is None:
            return ""
        if source.shape != first.array.shape or first.array.shape != second.array.shape:
            return ""
        with np.errstate(invalid="ignore"):
            both = np.isnan(first.array.astype("float64")) & np.isnan(
                second.array.astype("float64")
            )
        differ = (first.array != second.array) & ~both
        if not _nothing_said(source.astype("float64"), first.dtype)[differ].all():
            return ""
    return "the cast has no defined result there: the type does not hold such a number"


def _nothing_said(source: Array, dtype: str) -> Array:
    """Which numbers have no defined counterpart in a type."""
    if dtype in _NO_NAN:
        return np.isnan(source)
    if dtype == "float8_e8m0fnu":
        return np.signbit(source)
    kind = np.dtype(dtype).kind if dtype in np.sctypeDict else ""
    if kind not in ("i", "u"):
        return np.zeros(source.shape, bool)
    limits = np.iinfo(dtype)
    return ~((source > limits.min - 1.0) & (source < limits.max + 1.0))
