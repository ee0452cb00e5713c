"""Invalid values that are accepted and do no harm."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.ir import Array, Case, Explicit, Graph, Input, Node, Trace
from assay.judge import ValidationOracle
from assay.judge.harmless import harmless
from tests.judge.observations import TARGETS, observed, raised

TF, JAX, TORCH = TARGETS


def told(op: str, x: Array, params: dict[str, Any], plain: Array, given: Array) -> str:
    """Why it is harmless that torch gives this, and without the parameter that."""
    graph = Graph((Input("x", x.shape),), (Node("n", op, ("x",), params),), ("n",))
    case = Case(graph, {"x": Explicit(x)})
    (parameter,) = params

    def run(cases: Sequence[Case], target: str) -> Sequence[Trace]:
        left = [parameter in item.graph.nodes[0].params for item in cases]
        return [Trace(target, "ok", {"output:n": given if kept else plain}) for kept in left]

    said = f"{parameter} must be positive"
    refused = [raised(name, node="n", message=said) for name in (TF, JAX)]
    works = Trace(TORCH, "ok", {"output:n": given})
    seen = observed(*refused, works, case=case, intent="invalid", spoilt=parameter)
    (verdict,) = ValidationOracle().judge(seen)
    assert verdict.category == "bug"
    return harmless(seen, verdict, run)


ONES = np.ones(3, "float32")


def test_a_number_that_is_ignored_does_no_harm() -> None:
    assert told("keras.ops.bincount", ONES, {"minlength": -1}, ONES, ONES) == "it is ignored"
    assert not told("keras.ops.bincount", ONES, {"minlength": -1}, ONES, 2 * ONES)


def test_a_name_that_is_ignored_asked_for_something_else() -> None:
    assert not told("keras.ops.max_pool", ONES, {"padding": "full"}, ONES, ONES)


def test_nothing_comes_of_nothing() -> None:
    empty = np.ones((0, 3), "float32")
    assert "nothing goes in" in told("keras.ops.repeat", empty, {"axis": -3}, ONES, empty)
    assert not told("keras.ops.repeat", ONES, {"axis": -3}, ONES, empty)


def test_draws_are_judged_by_properties_that_say_nothing_of_it() -> None:
    assert not told("keras.random.beta", ONES, {"beta": -1}, ONES, ONES)
