"""Conventions: places where implementations may differ, as data with a reason each."""

import fnmatch
from functools import cache
from importlib import resources
from typing import Any, Literal

import msgspec
import numpy as np

from assay.ir import REFERENCE, Array, Case, Platform, Stage, Trace, Verdict
from assay.judge._base import Observed
from assay.judge.entries import Entry, read_entries
from assay.libraries import SHARED, libraries, meaning

_FILES = ("conventions.toml", "conventions_keras2.toml")
_GRADIENT_OF_INPUT = "gradient:input:"


class Convention(Entry, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A difference that the mathematics or the documentation leaves open.

    ``op`` holds shell patterns; with ``params`` only calls are covered that give one of these
    parameters one of these values. ``stage`` and ``inputs`` narrow it: ``inputs`` is
    ``"nan"`` (some input is NaN), ``"nonfinite"`` (NaN or infinite),
    ``"nonfinite_there"``, ``"zero_there"`` or ``"nan_there"`` (the very element whose gradient is
    disputed is, or the one at that place of the only input, whose shape the result has), or
    ``"out_of_range"`` (ids that name nothing). ``answers`` is
    ``"nan"`` if some target must answer NaN at the disputed place. ``chooses``: what is left
    open is which element is taken, so that every number given there must be one; ``numbers``:
    which ones are left open, if not all.
    """

    op: tuple[str, ...]
    stage: Stage
    inputs: Literal[
        "nan", "nonfinite", "nonfinite_there", "zero_there", "nan_there", "out_of_range"
    ]
    params: dict[str, tuple[Any, ...]] = msgspec.field(default_factory=dict)
    answers: Literal["any", "nan"] = "any"
    chooses: bool = False
    numbers: tuple[float, ...] = ()
    numbers_of: tuple[str, ...] = ()


@cache
def conventions() -> tuple[Convention, ...]:
    """Every entry of the data files."""
    folder = resources.files("assay.judge")
    texts = {file: folder.joinpath(file).read_text(encoding="utf-8") for file in _FILES}
    return tuple(entry for file, text in texts.items() for entry in read_conventions(text, file))


def read_conventions(text: str, file: str = _FILES[0]) -> tuple[Convention, ...]:
    """The entries in a data file's text; ``BrokenEntry`` names the first that is wrong."""
    return read_entries(text, file, "convention", Convention)


def recognise_convention(verdict: Verdict, observed: Observed) -> Convention | None:
    """The entry that covers this difference, if any is true of all targets that were compared."""
    if verdict.kind not in ("nan", "inconsistency"):
        return None
    compared = [observed.platforms.get(name) for name in verdict.targets if name != REFERENCE]
    properties = _input_properties(observed.case) | _properties_there(verdict, observed)
    if observed.ids_out_of_range(verdict.op):
        properties |= {"out_of_range"}
    means = meaning(verdict.op)
    for entry in conventions():
        if (
            any(fnmatch.fnmatchcase(means, pattern) for pattern in entry.op)
            and entry.stage == verdict.stage
            and entry.inputs in properties
            and (entry.answers == "any" or _some_nan(verdict))
            and (not entry.chooses or _chosen(verdict, observed.case))
            and _given(verdict, _left(entry, verdict))
            and _called(entry, verdict)
            and all(_left_open(entry, platform) for platform in compared)
        ):
            return entry
    return None


def _left_open(entry: Convention, platform: Platform | None) -> bool:
    """Is the entry true of a platform? What the shared words leave open, others leave open too."""
    if platform is None or entry.applies_to(platform):
        return platform is not None
    known = libraries().get(platform.library)
    return known is not None and known.root != SHARED and entry.covers(platform.versions)


def _called(entry: Convention, verdict: Verdict) -> bool:
    """Has the call one of the parameters that the entry is about, if it names any?"""
    given = verdict.params
    return not entry.params or any(given.get(name) in known for name, known in entry.params.items())


def _left(entry: Convention, verdict: Verdict) -> tuple[float, ...]:
    """The numbers that are left open, those that the call itself names included."""
    named = [verdict.params.get(name) for name in entry.numbers_of]
    return (*entry.numbers, *(float(item) for item in named if isinstance(item, int | float)))


def _given(verdict: Verdict, known: tuple[float, ...]) -> bool:
    """Is every number that was given one of these, if there are any?"""
    values = [item.value for item in verdict.evidence.observations if item.value is not None]
    return not known or all(np.isnan(value) or value in known for value in values)


def _some_nan(verdict: Verdict) -> bool:
    values = [item.value for item in verdict.evidence.observations]
    return any(value is not None and np.isnan(value) for value in values)


def _chosen(verdict: Verdict, case: Case) -> bool:
    """Is every number that was given an element of some input?"""
    given = [item.value for item in verdict.evidence.observations if item.value is not None]
    numbers = np.array([value for value in given if not np.isnan(value)], "float64")
    arrays = [array for array in case.input_arrays().values() if array.dtype.kind == "f"]
    elements = np.concatenate([array.astype("float64").reshape(-1) for array in arrays])
    return bool(np.isin(numbers, elements).all())


def undocumented(reference: Trace | None) -> str:
    """What the reference says where the documentation leaves the result open, else nothing."""
    failure = reference.failure if reference is not None else None
    if failure is None or not failure.exception.endswith(".Undocumented"):
        return ""
    return failure.message


def _input_properties(case: Case) -> frozenset[str]:
    """What holds of some element of some input."""
    return frozenset().union(*map(_properties, case.input_arrays().values()))


def _properties_there(verdict: Verdict, observed: Observed) -> frozenset[str]:
    """What holds of the element that the disputed one is about, where there is one."""
    where, position = verdict.evidence.where, verdict.evidence.position
    array = _behind(where, observed)
    if array is None or len(position) != array.ndim:
        return frozenset()
    return frozenset(f"{name}_there" for name in _properties(np.asarray(array[position])))


def _behind(where: str, observed: Observed) -> Array | None:
    """The input that a gradient is of, or the only one of a call, if the result has its shape."""
    arrays = observed.case.input_arrays()
    if where.startswith(_GRADIENT_OF_INPUT):
        return arrays.get(where.removeprefix(_GRADIENT_OF_INPUT))
    shapes = {
        trace.arrays[where].shape for trace in observed.traces.values() if where in trace.arrays
    }
    if len(arrays) != 1 or len(observed.case.graph.nodes) != 1:
        return None
    (array,) = arrays.values()
    return array if shapes == {array.shape} else None


def _properties(array: Array) -> frozenset[str]:
    if array.dtype.kind != "f":
        return frozenset()
    found = {
        "zero": (array == 0).any(),
        "nan": np.isnan(array).any(),
        "nonfinite": not np.isfinite(array).all(),
    }
    return frozenset(name for name, holds in found.items() if holds)
