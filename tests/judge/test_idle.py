"""A documented parameter that has no effect at all speaks for a reference that dissents alone."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.ir import REFERENCE, Arm, Array, Case, Explicit, Graph, Input, Node, Trace, Trial, named
from assay.judge import NumericOracle, Observed, support
from tests.judge.observations import votes

TARGETS = ("keras-tensorflow", "keras-torch")
X = np.array([1.0, -2.0, 0.5], "float32")
Compute = Callable[[Array, dict[str, Any]], Array]


def decayed(x: Array, params: dict[str, Any]) -> Array:
    """What is right: both parameters count."""
    return np.asarray(x * params.get("rate", 1.0) * (1.0 - params.get("decay", 0.0)))


def told(wrong: Compute, params: dict[str, Any]) -> str:
    """Why the reference is believed, where both targets compute something else."""
    graph = Graph((Input("x", X.shape),), (Node("n0", "keras.ops.abs", ("x",), params),), ("n0",))
    case = Case(graph, {"x": Explicit(X)})

    def answer(asked: Case, target: str) -> Trace:
        (node,) = asked.graph.nodes
        compute = decayed if target == REFERENCE else wrong
        return Trace(target, "ok", {"output:n0": compute(asked.input_arrays()["x"], node.params)})

    def run(cases: Sequence[Case], target: str) -> list[Trace]:
        return [answer(asked, target) for asked in cases]

    arms = (*TARGETS, REFERENCE)
    trial = Trial(0, "test", (case,), tuple(map(Arm, arms)))
    traces = {target: answer(case, target) for target in arms}
    observed = Observed(trial, traces, votes, {name: named(name) for name in arms})
    (verdict,) = NumericOracle().judge(observed)
    found = support(observed, verdict, run)
    return found.reason if found is not None else ""


def test_a_parameter_without_any_effect_is_wrong() -> None:
    ignoring: Compute = lambda x, params: np.asarray(x * params.get("rate", 1.0))  # noqa: E731
    found = told(ignoring, {"rate": 2.0, "decay": 0.5})
    assert found.startswith("decay has no effect at all")


def test_a_parameter_that_means_something_else_may_be_right() -> None:
    stronger: Compute = lambda x, params: decayed(x, {**params, "decay": 0.75})  # noqa: E731
    added: Compute = lambda x, params: np.asarray(x - params.get("decay", 0.0))  # noqa: E731
    assert told(stronger, {"decay": 0.5}) == ""
    assert told(added, {"decay": 0.5}) == ""


def test_the_whole_disagreement_has_to_come_of_it() -> None:
    other: Compute = lambda x, params: np.asarray(x + 1.0)  # noqa: E731
    assert told(other, {"decay": 0.5}) == ""
