"""The special classes of a case: values and lengths that have faults of their own."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from assay.ir import Array, Case
from assay.ops import OpSpec
from assay.ops.placing import domain_in
from assay.ops.shapes import broadcast, unchanged

_NO_SPECS: Mapping[str, OpSpec] = {}
_HUGE, _TINY = 1e6, 1e-6
#: Domains of distributions over the last axis.
_SUM_TO_ONE = ("one_hot", "probabilities")


def classes_of(case: Case, vocabulary: Mapping[str, OpSpec] = _NO_SPECS) -> frozenset[str]:
    """The special classes among the inputs of a case.

    An axis of length 1 is none where the vocabulary says that the op works element
    by element; nor is a batch of one.
    """
    found: set[str] = set()
    for name, array in case.input_arrays().items():
        if array.dtype.kind == "f":
            found |= _of_values(array)
            if domain_in(case, name, vocabulary).kind in _SUM_TO_ONE and not _distributed(array):
                found.add("no distribution")
    found |= {"empty" for item in case.graph.inputs if 0 in item.shape}
    specs = [vocabulary.get(node.op) for node in case.graph.nodes]
    if not all(spec is not None and spec.rule in (unchanged, broadcast) for spec in specs):
        for item in case.graph.inputs:
            if 1 in (item.shape[1:] or item.shape):
                found.add("length 1")
    return frozenset(found)


def _distributed(array: Array) -> bool:
    with np.errstate(invalid="ignore", over="ignore"):
        sums = array.astype("float64").sum(axis=-1)
    return bool(np.allclose(sums, 1.0, atol=1e-3))


def unties(before: Case, after: Case) -> bool:
    """Do two inputs of one rank have different lengths along an axis where they had equal ones?

    Broadcasting where there was none, and shapes that a lax rule lets pass, are
    another question than the one that was asked.
    """
    shapes = [{item.name: item.shape for item in case.graph.inputs} for case in (before, after)]
    for first, second in combinations([name for name in shapes[0] if name in shapes[1]], 2):
        old, new = ([each[name] for name in (first, second)] for each in shapes)
        if len(old[0]) != len(old[1]) or len(new[0]) != len(new[1]) or len(old[0]) != len(new[0]):
            continue
        for axis in range(len(new[0])):
            if old[0][axis] == old[1][axis] and new[0][axis] != new[1][axis]:
                return True
    return False


def _of_values(array: Array) -> set[str]:
    values = array.astype("float64").reshape(-1)
    size = np.abs(values[np.isfinite(values)])
    tests = {
        "zero": (values == 0).any(),
        "negative zero": (np.signbit(values) & (values == 0)).any(),
        "nan": np.isnan(values).any(),
        "infinity": (values == np.inf).any(),
        "negative infinity": (values == -np.inf).any(),
        "huge": (size > _HUGE).any(),
        "tiny": ((size > 0) & (size < _TINY)).any(),
        "tied": len(np.unique(values)) < values.size,
    }
    return {name for name, holds in tests.items() if holds}
