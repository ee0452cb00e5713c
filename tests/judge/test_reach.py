"""How far entries reach."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from assay.ir import REFERENCE, Array, Case, Dot, Explicit, Graph, Input, Node, Trace, Trial
from assay.judge import Observed, oracles
from assay.judge.category import categorised
from tests.judge.observations import observed

TF, JAX, TORCH = "keras-tensorflow", "keras-jax", "keras-torch"
Compute = Callable[[Case], dict[str, Array]]


def judged(case: Case, compute: Compute, torch: Compute) -> tuple[str, str]:
    """Category and entry where torch computes otherwise than the others."""
    arms = {TF: compute, JAX: compute, TORCH: torch, REFERENCE: compute}

    def answer(asked: Case, target: str) -> Trace:
        with np.errstate(all="ignore"):
            return Trace(target, "ok", arms[target](asked), digest="inputs:labels")

    def run(cases: Sequence[Case], target: str) -> Sequence[Trace]:
        return [answer(item, target) for item in cases]

    def observe(trial: Trial) -> Observed:
        return observed(*(answer(trial.case, name) for name in arms), case=trial.case)

    shown = observe(Trial(0, "test", (case,), ()))
    (verdict,) = [item for oracle in oracles() for item in oracle.judge(shown)]
    told = categorised(shown, verdict, observe, run)
    return told.category, told.recognised


def convolution(activation: str | None, skips: bool) -> tuple[str, str]:
    """Of infinity: torch's activation, or that it leaves padding out, gives NaN."""
    params = {"filters": 1, "kernel_size": 1, "activation": activation}
    node = Node("n", "keras.layers.Conv1D", ("x",), params)
    graph = Graph((Input("x", (1, 2, 1)),), (node,), ("n",))
    case = Case(graph, {"x": Explicit(np.array([[[np.inf], [1.0]]], "float32"))}, stage="forward")

    def right(asked: Case) -> dict[str, Array]:
        return {"output:n": asked.input_arrays()["x"]}

    def torch(asked: Case) -> dict[str, Array]:
        x = asked.input_arrays()["x"]
        spoilt = skips or asked.graph.nodes[0].params["activation"] is not None
        return {"output:n": x + 0 * x if spoilt else x}

    return judged(case, right, torch)


def test_what_an_activation_makes_of_infinity_is_no_matter_of_products() -> None:
    assert convolution("gelu", skips=False)[0] == "bug"
    assert convolution("gelu", skips=True) == ("convention", "products-with-infinity")
    assert convolution(None, skips=True) == ("convention", "products-with-infinity")


@pytest.mark.parametrize(
    ("slope", "category"),
    [
        (lambda x: np.full_like(x, 0.5), "bug"),
        (lambda x: np.where(x < -3, np.float32(0.5), x), "bug"),
        (lambda x: 1 / (1 + np.abs(x)) ** 2, "convention"),
    ],
)
def test_a_slope_that_is_the_same_at_all_or_large_numbers_is_defined_at_infinity(
    slope: Callable[[Array], Array], category: str
) -> None:
    graph = Graph((Input("x", (2,)),), (Node("n", "keras.ops.softsign", ("x",)),), ("n",))
    case = Case(
        graph,
        {"x": Explicit(np.array([-np.inf, 1.0], "float32"))},
        loss=Dot((Explicit(np.ones(2, "float32")),)),
        stage="gradient",
    )

    def right(asked: Case) -> dict[str, Array]:
        x = asked.input_arrays()["x"]
        return {"output:n": np.zeros_like(x), "gradient:input:x": slope(x)}

    def torch(asked: Case) -> dict[str, Array]:
        given = right(asked)
        given["gradient:input:x"][np.isinf(asked.input_arrays()["x"])] = np.nan
        return given

    assert judged(case, right, torch)[0] == category


@pytest.mark.parametrize(
    ("slope", "beside", "category"),
    [
        (lambda x: np.full(2, 0.5), 1.0, "bug"),
        (lambda x: np.full(2, 1 / (1 + np.abs(x[0]))), 1.0, "convention"),
        (lambda x: np.full(2, 0.5), np.nan, "convention"),
    ],
)
def test_a_slope_that_hangs_on_no_infinity_is_defined_beside_it(
    slope: Callable[[Array], Array], beside: float, category: str
) -> None:
    graph = Graph((Input("x", (2,)),), (Node("n", "keras.ops.sum", ("x",)),), ("n",))
    case = Case(
        graph,
        {"x": Explicit(np.array([np.inf, 3.0], "float32"))},
        loss=Dot((Explicit(np.ones((), "float32")),)),
        stage="gradient",
    )

    def right(asked: Case) -> dict[str, Array]:
        x = asked.input_arrays()["x"]
        given = slope(x).astype("float32")
        return {"output:n": x.sum() * np.float32(beside), "gradient:input:x": given}

    def torch(asked: Case) -> dict[str, Array]:
        given = right(asked)
        if np.isinf(asked.input_arrays()["x"]).any():
            given["gradient:input:x"][1] = np.nan
        return given

    assert judged(case, right, torch)[0] == category
