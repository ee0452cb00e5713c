"""Which parameter is responsible, for faults that are plain predicates on the call."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.ir import Case, Explicit, Graph, Input, Node, Uniform
from assay.localize import Answer, responsible
from assay.ops import specs

VOCABULARY = specs()
POOL = "keras.layers.AveragePooling2D"


def pooling(**params: Any) -> Case:
    node = Node("n", POOL, ("x",), {"pool_size": 2, **params})
    return Case(Graph((Input("x", (1, 4, 5, 1)),), (node,), ("n",)), {"x": Uniform(3)})


def when(holds: Callable[[dict[str, Any]], bool]) -> Callable[[Case], Answer]:
    def ask(case: Case) -> Answer:
        (node,) = case.graph.nodes
        return "shows" if holds(VOCABULARY[node.op].complete(node.params)) else "agree"

    return ask


@pytest.mark.parametrize(
    ("fault", "given", "wanted"),
    [
        (lambda p: p["padding"] == "same", {"padding": "same"}, ("padding",)),
        (lambda p: p["padding"] == "valid", {}, ("padding",)),
        (lambda p: p["pool_size"] == 2, {}, ("pool_size",)),
        (
            lambda p: p["padding"] == "same" and p["strides"] == 1,
            {"padding": "same", "strides": 1},
            ("padding", "strides"),
        ),
        (lambda p: True, {"padding": "same"}, ()),
    ],
)
def test_single_parameters(
    fault: Callable[[dict[str, Any]], bool], given: dict[str, Any], wanted: tuple[str, ...]
) -> None:
    found = responsible([pooling(**given)], when(fault), VOCABULARY)
    assert set(found.single) == set(wanted)
    assert not found.together
    assert not set(found.single) & set(found.irrelevant)


def test_a_pair_is_named_if_no_single_parameter_is_responsible() -> None:
    fault = when(lambda p: p["padding"] == "same" or p["strides"] == 1)
    found = responsible([pooling(padding="same", strides=1)], fault, VOCABULARY)
    assert found.single == ()
    assert set(found.together) == {"padding", "strides"}


def test_a_parameter_at_its_default_is_no_part_of_a_pair() -> None:
    fault = when(lambda p: p["padding"] == "valid" or p["strides"] == 1)
    found = responsible([pooling(strides=1)], fault, VOCABULARY)
    assert (found.single, found.together) == ((), ())


def test_a_parameter_matters_in_part_if_some_of_its_other_values_make_it_go_away() -> None:
    fault = when(lambda p: p["strides"] != 1)
    found = responsible([pooling(strides=2, padding="same")], fault, VOCABULARY)
    assert (found.single, found.partial) == ((), ("strides",))
    assert "padding" in found.irrelevant
    assert "strides" not in found.irrelevant


def test_what_can_be_brought_back_by_other_inputs_is_not_responsible() -> None:
    """With another padding the fault needs other numbers than those at hand."""

    def ask(case: Case) -> Answer:
        (node,) = case.graph.nodes
        ordinary = case.input_arrays()["x"].any()
        return "shows" if node.params.get("padding") == "same" or ordinary else "agree"

    zeros = pooling(padding="same")
    case = Case(zeros.graph, {"x": Explicit(np.zeros((1, 4, 5, 1), "float32"))})
    assert "padding" in responsible([case], ask, VOCABULARY).irrelevant


def test_values_that_say_nothing_convict_nobody() -> None:
    found = responsible([pooling(padding="same")], lambda case: "silent", VOCABULARY)
    assert (found.single, found.together, found.irrelevant) == ((), (), ())


def test_the_budget_is_kept_and_what_was_not_looked_at_is_not_claimed() -> None:
    found = responsible([pooling()], when(lambda p: p["padding"] == "valid"), VOCABULARY, calls=1)
    assert found.calls == 1
    assert found.single == ()


def test_a_negative_axis_is_no_other_axis() -> None:
    asked: list[Any] = []

    def ask(case: Case) -> Answer:
        asked.append(case.graph.nodes[0].params.get("axis"))
        return "agree"

    node = Node("n", "keras.ops.rms_normalization", ("x",), {"axis": 0})
    case = Case(Graph((Input("x", (3, 4)),), (node,), ("n",)), {"x": Uniform(3)})
    assert "axis" in responsible([case], ask, VOCABULARY).single
    assert -2 not in asked
