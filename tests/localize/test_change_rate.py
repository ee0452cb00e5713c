"""The published rule: responsible if the amplified change rate falls from above T1 to below T2."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.ir import Case, Explicit, Graph, Input, Node, Uniform
from assay.localize.change_rate import T1, T2, amplified, by_change_rate
from assay.ops import specs

VOCABULARY = specs()
POOL = "keras.layers.AveragePooling2D"


def pooling(**params: Any) -> Case:
    node = Node("n", POOL, ("x",), {"pool_size": 2, **params})
    return Case(Graph((Input("x", (1, 4, 5, 1)),), (node,), ("n",)), {"x": Uniform(3)})


def rate_of(
    fault: Callable[[dict[str, Any]], float],
) -> Callable[[Case], float | None]:
    """The change rate of a fault: a share of the largest input, over 1e-7."""

    def rate(case: Case) -> float | None:
        (node,) = case.graph.nodes
        share = fault(VOCABULARY[node.op].complete(node.params))
        return share * float(np.abs(case.input_arrays()["x"]).max()) / 1e-7

    return rate


@pytest.mark.parametrize(
    ("fault", "wanted"),
    [
        (lambda p: 0.01 * (p["padding"] == "same"), ("padding",)),
        (lambda p: 0.01, ()),
        # Below T1 nothing is claimed; between T2 and T1 it counts as brought back.
        (lambda p: 1e-8 * (p["padding"] == "same"), ()),
        (lambda p: 0.01 if p["padding"] == "same" else 1e-5, ()),
    ],
)
def test_thresholds(fault: Callable[[dict[str, Any]], float], wanted: tuple[str, ...]) -> None:
    found = by_change_rate([pooling(padding="same")], rate_of(fault), VOCABULARY)
    assert found.single == wanted
    assert not found.together


def test_the_search_on_the_inputs_brings_a_deviation_back() -> None:
    """On the zeros at hand nothing deviates; it does on ordinary numbers."""
    zeros = pooling(padding="same")
    zeros = Case(zeros.graph, {"x": Explicit(np.zeros((1, 4, 5, 1), "float32"))})
    rate = rate_of(lambda p: 0.01)
    assert rate(zeros) == 0.0
    reached = amplified(zeros, rate, VOCABULARY, T1)
    assert reached is not None
    assert reached > T1
    assert by_change_rate([zeros], rate, VOCABULARY).single == ()
    assert amplified(zeros, lambda case: None, VOCABULARY, T2) is None


def test_the_same_case_gives_the_same_answer_and_the_budget_is_kept() -> None:
    rate = rate_of(lambda p: 0.01 * (p["padding"] == "same"))
    first, second = (by_change_rate([pooling(padding="same")], rate, VOCABULARY) for _ in range(2))
    assert first == second
    short = by_change_rate([pooling(padding="same")], rate, VOCABULARY, calls=1)
    assert short.calls <= 2 * 7
    assert short.single == ()


def test_targets_that_do_not_work_convict_nobody() -> None:
    found = by_change_rate([pooling(padding="same")], lambda case: None, VOCABULARY)
    assert (found.single, found.together, found.irrelevant) == ((), (), ())
