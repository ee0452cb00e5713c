"""Conventions: places where implementations may differ, as data with a reason each."""

import fnmatch
from collections.abc import Collection
from functools import cache
from importlib import resources
from typing import Literal

import msgspec
import numpy as np

from assay.ir import Case, Stage, Trace, Verdict
from assay.judge._entries import read_entries

_FILE = "conventions.toml"


class Convention(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A difference that the mathematics or the documentation leaves open.

    ``op`` holds shell patterns; ``stage`` and ``inputs`` narrow it: ``inputs`` is
    ``"nan"`` (some input is NaN), ``"nonfinite"`` (NaN or infinite), ``"overflow"``
    (some finite input is so large that its square overflows), ``"subnormal"``,
    ``"zero"`` (some input is exactly zero) or ``"out_of_range"`` (ids that name
    nothing).
    """

    id: str
    op: tuple[str, ...]
    stage: Stage
    inputs: Literal["nan", "nonfinite", "overflow", "subnormal", "zero", "out_of_range"]
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


def recognise_convention(
    verdict: Verdict, case: Case, classes: Collection[tuple[str, str, str]] = ()
) -> Convention | None:
    """The entry that covers this difference, if any does.

    ``classes`` are those of the trial: only they say which ids are out of range.
    """
    properties = _input_properties(case)
    if (verdict.op, "input", "out_of_range") in classes:
        properties |= {"out_of_range"}
    for entry in conventions():
        if (
            any(fnmatch.fnmatchcase(verdict.op, pattern) for pattern in entry.op)
            and entry.stage == verdict.stage
            and entry.inputs in properties
        ):
            return entry
    return None


def undocumented(case: Case, reference: Trace | None) -> str:
    """What the reference says when NaN or infinity goes where the documentation is silent."""
    failure = reference.failure if reference is not None else None
    if failure is None or not failure.exception.endswith(".Unsupported"):
        return ""
    return failure.message if "nonfinite" in _input_properties(case) else ""


def _input_properties(case: Case) -> frozenset[str]:
    found = set()
    for array in case.input_arrays().values():
        if array.dtype.kind != "f" or array.size == 0:
            continue
        values = np.abs(array.astype("float64"))
        info = np.finfo(array.dtype)
        finite = values[np.isfinite(values)]
        if (values == 0).any():
            found.add("zero")
        if np.isnan(values).any():
            found.add("nan")
        if finite.size < values.size:
            found.add("nonfinite")
        if (finite > float(info.max) ** 0.5).any():
            found.add("overflow")
        if ((finite > 0) & (finite < float(info.tiny))).any():
            found.add("subnormal")
    return frozenset(found)
