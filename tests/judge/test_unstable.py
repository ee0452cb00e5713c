"""Formulas that all libraries share, wrong in this format only."""

from collections.abc import Callable, Sequence

import numpy as np

from assay.ir import REFERENCE, Arm, Array, Case, Explicit, Graph, Input, Node, Trace, Trial, named
from assay.judge import NumericOracle, Observed
from assay.judge.unstable import shared_formula
from tests.judge.observations import votes

TARGETS = ("keras-tensorflow", "keras-torch")
Function = Callable[[Array], Array]


def flushing(x: Array) -> Array:
    tiny = np.finfo("float32").tiny
    return np.asarray(np.log(np.where(np.abs(x) < tiny, 0, x)))


def squaring(x: Array) -> Array:
    return np.asarray(np.log(np.square(x.astype("float32"))) / 2)


def sharing(formula: Function, x: float) -> tuple[str, ...]:
    """Who shares a formula, of targets that compute a logarithm by one and a right reference."""
    graph = Graph((Input("x", (2,)),), (Node("n0", "keras.ops.abs", ("x",)),), ("n0",))
    case = Case(graph, {"x": Explicit(np.array([x, 2.0], "float32"))})

    def answer(asked: Case, target: str) -> Trace:
        array = asked.input_arrays()["x"]
        with np.errstate(all="ignore"):
            right = np.log(array.astype("float64"))
            given = right if target == REFERENCE else formula(array).astype("float32")
        return Trace(target, "ok", {"output:n0": given})

    def run(cases: Sequence[Case], target: str) -> list[Trace]:
        return [answer(asked, target) for asked in cases]

    def observe(trial: Trial) -> Observed:
        traces = {target: answer(trial.case, target) for target in arms}
        return Observed(trial, traces, votes, {name: named(name) for name in arms})

    arms = (*TARGETS, REFERENCE)
    observed = observe(Trial(0, "test", (case,), tuple(map(Arm, arms))))
    (verdict,) = NumericOracle().judge(observed)
    assert verdict.evidence.reference_alone
    return shared_formula(observed, verdict, observe, run)


def test_a_formula_that_overflows_is_shared() -> None:
    assert sharing(squaring, 1e30) == TARGETS


def test_who_reads_a_subnormal_number_as_zero_has_no_wrong_formula() -> None:
    assert sharing(flushing, 2.9e-39) == ()
