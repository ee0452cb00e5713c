"""A documented parameter that has no effect at all, where the reference says that it has one."""

import numpy as np

from assay.ir import REFERENCE, Array, Case, Verdict
from assay.ir.transform import forward_only, without_parameters
from assay.judge._base import Observed, Run
from assay.judge.compare import difference


def idle_parameter(observed: Observed, verdict: Verdict, targets: tuple[str, ...], run: Run) -> str:
    """The parameter that all targets ignore, and without which the reference agrees with them.

    They give the same to the last bit with it and without it: nothing was computed with it. Empty
    if there is none.
    """
    where, nodes = verdict.evidence.where, observed.case.graph.nodes
    if len(nodes) != 1 or verdict.stage != "forward":
        return ""
    (node,) = nodes
    truth = observed.traces[REFERENCE].arrays[where]
    for name in node.params:
        plain = forward_only(without_parameters(observed.case, node, [name]))
        right = _answer(plain, REFERENCE, where, run)
        if right is None or difference(right, truth) is None:
            continue  # by the reference it has no effect, either
        if all(_ignores(observed, plain, target, where, right, run) for target in targets):
            return name
    return ""


def _ignores(
    observed: Observed, plain: Case, target: str, where: str, right: Array, run: Run
) -> bool:
    """Does a target give the same without the parameter, and what the reference gives then?"""
    given, answer = observed.traces[target].arrays[where], _answer(plain, target, where, run)
    if answer is None or answer.shape != given.shape:
        return False
    same = np.array_equal(given, answer, equal_nan=given.dtype.kind in "fc")
    return same and difference(answer, right.astype(answer.dtype)) is None


def _answer(case: Case, target: str, where: str, run: Run) -> Array | None:
    for trace in run((case,), target):
        return trace.arrays.get(where)
    return None
