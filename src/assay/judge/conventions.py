"""Conventions: places where implementations may differ, as data with a reason each."""

import fnmatch
from functools import cache
from importlib import resources
from typing import Literal

import msgspec
import numpy as np

from assay.ir import Case, Stage, Verdict
from assay.judge._entries import read_entries

_FILE = "conventions.toml"


class Convention(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A difference that the mathematics or the documentation leaves open.

    ``op`` is a shell pattern; ``stage`` and ``inputs`` narrow it: ``inputs`` is
    ``"nan"`` (some input is NaN), ``"nonfinite"`` (NaN or infinite), ``"overflow"``
    (some finite input is so large that its square overflows) or ``"subnormal"``.
    """

    id: str
    op: str
    stage: Stage
    inputs: Literal["nan", "nonfinite", "overflow", "subnormal"]
    reason: str
    link: str


@cache
def conventions() -> tuple[Convention, ...]:
    """Every entry of the data file."""
    text = resources.files("assay.judge").joinpath(_FILE).read_text(encoding="utf-8")
    return read_conventions(text)


def read_conventions(text: str) -> tuple[Convention, ...]:
    """The entries in a data file's text; ``BrokenEntry`` names the first that is wrong."""
    return read_entries(text, _FILE, "convention", Convention)


def recognise_convention(verdict: Verdict, case: Case) -> Convention | None:
    """The entry that covers this difference, if any does."""
    properties = _input_properties(case)
    for entry in conventions():
        if (
            fnmatch.fnmatchcase(verdict.op, entry.op)
            and entry.stage == verdict.stage
            and entry.inputs in properties
        ):
            return entry
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
