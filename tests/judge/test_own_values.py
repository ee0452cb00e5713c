"""Slopes that nobody agrees on, beside the values that each computes itself."""

from collections.abc import Callable, Sequence

import numpy as np

from assay.ir import REFERENCE, Array, Case, Dot, Explicit, Graph, Input, Node, Trace, Trial
from assay.judge import Observed, oracles
from assay.judge.category import categorised
from tests.judge.observations import observed

TENSORFLOW, TORCH, JAX = "keras-tensorflow", "keras-torch", "keras-jax"
WHERE = "gradient:input:x"
UPSTREAM = 1.31
Function = Callable[[Array], Array]


def smooth(x: Array) -> Array:
    return np.asarray(np.sin(x))


def kinked(x: Array) -> Array:
    """With another slope to the left of the input than to its right."""
    return np.asarray(np.where(x < 0.25, 3 * (x - 0.25), 0.0) + np.sin(x))


def judged(values: Function, gradients: dict[str, float]) -> tuple[str, tuple[str, ...]]:
    """The category and who is blamed, where targets compute values so, and give these slopes."""
    graph = Graph((Input("x", (1,)),), (Node("n", "keras.ops.sin", ("x",)),), ("n",))
    loss = Dot((Explicit(np.array([UPSTREAM], "float32")),))
    x = Explicit(np.array([0.25], "float32"))
    case = Case(graph, {"x": x}, loss=loss, stage="gradient")

    def answer(asked: Case, target: str) -> Trace:
        given = asked.input_arrays()["x"]
        function = smooth if target == REFERENCE else values
        result = function(given.astype("float64"))
        kind = "float64" if target == REFERENCE else "float32"
        slope = gradients.get(target, UPSTREAM * float(np.cos(0.25)))
        arrays = {
            "output:n": result.astype(kind),
            "loss": np.asarray(UPSTREAM * result.sum()),
            WHERE: np.array([slope], kind),
        }
        return Trace(target, "ok", arrays, digest="inputs:labels")

    def seen(asked: Case) -> Observed:
        return observed(*(answer(asked, name) for name in (*gradients, REFERENCE)), case=asked)

    def run(cases: Sequence[Case], target: str) -> Sequence[Trace]:
        return [answer(item, target) for item in cases]

    def observe(trial: Trial) -> Observed:
        return seen(trial.cases[0])

    shown = seen(case)
    (verdict,) = [item for oracle in oracles() for item in oracle.judge(shown)]
    assert not verdict.blamed
    found = categorised(shown, verdict, observe, run)
    return found.category, found.blamed


def test_slopes_that_no_values_have_are_wrong_whoever_gives_them() -> None:
    apart = {TENSORFLOW: 0.0, JAX: 2.5, TORCH: -1.3}
    assert judged(smooth, apart) == ("bug", tuple(sorted(apart)))


def test_where_all_agree_against_their_own_values_all_are_wrong() -> None:
    zeros = {TENSORFLOW: 0.0, JAX: 0.0, TORCH: 0.0}
    assert judged(smooth, zeros) == ("bug", tuple(sorted(zeros)))


def test_values_with_a_kink_leave_slopes_open() -> None:
    assert judged(kinked, {TENSORFLOW: 0.0, JAX: 2.5, TORCH: 5.0})[0] == "convention"


def test_who_is_near_enough_to_the_slope_of_its_values_is_not_blamed() -> None:
    apart = {TENSORFLOW: 1.36, JAX: 2.5, TORCH: 0.0}
    assert judged(smooth, apart) == ("bug", (JAX, TORCH))
