"""Conventions: places where implementations may differ, as data with a reason each."""

import fnmatch
from functools import cache
from importlib import resources

import msgspec
import numpy as np

from assay.ir import Case, Verdict


class Convention(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A difference that the mathematics or the documentation leaves open.

    ``op`` is a shell pattern; ``stage`` and ``inputs`` narrow it: ``inputs`` is
    ``"nan"`` (some input is NaN), ``"nonfinite"`` (NaN or infinite), ``"overflow"``
    (some finite input is so large that its square overflows) or ``"subnormal"``.
    """

    id: str
    op: str
    stage: str
    inputs: str
    reason: str
    link: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    convention: tuple[Convention, ...]


@cache
def conventions() -> tuple[Convention, ...]:
    """Every entry of the data file."""
    text = resources.files("assay.judge").joinpath("conventions.toml").read_bytes()
    return msgspec.toml.decode(text, type=_File).convention


def recognise_convention(verdict: Verdict, case: Case) -> str | None:
    """Why this difference is a convention, if an entry covers it."""
    properties = _input_properties(case)
    for entry in conventions():
        if (
            fnmatch.fnmatchcase(verdict.op, entry.op)
            and entry.stage == verdict.stage
            and entry.inputs in properties
        ):
            return entry.reason
    return None


def _input_properties(case: Case) -> frozenset[str]:
    found = set()
    for array in case.input_arrays().values():
        if array.dtype.kind != "f" or array.size == 0:
            continue
        values = np.abs(array.astype("float64"))
        info = np.finfo(array.dtype)
        finite = values[np.isfinite(values)]
        if np.isnan(values).any():
            found.add("nan")
        if finite.size < values.size:
            found.add("nonfinite")
        if (finite > float(info.max) ** 0.5).any():
            found.add("overflow")
        if ((finite > 0) & (finite < float(info.tiny))).any():
            found.add("subnormal")
    return frozenset(found)
