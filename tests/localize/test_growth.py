"""CRADLE's rate of change, on a small DAG computed by hand."""

import numpy as np
import pytest

from assay.ir import Graph, Input, Node
from assay.ir.check import LayerSpec, layers_of
from assay.localize.growth import deviation, first_highlighted, growth

LAYERS = (
    LayerSpec("a", "op", ("x",), ("a",)),
    LayerSpec("b", "op", ("a",), ("b",)),
    LayerSpec("c", "op", ("a",), ("c",)),
    LayerSpec("d", "op", ("b", "c"), ("d",)),
)


def states(**shifts: float) -> dict[str, np.ndarray]:
    return {name: np.ones(5) + shifts.get(name, 0.0) for name in "xabcd"}


def test_rates_follow_the_formula() -> None:
    found = growth(LAYERS, states(), states(a=1e-6, b=0.5, c=1e-6, d=0.6))
    by_name = {item.layer: item for item in found}
    assert by_name["b"].deviation == pytest.approx(0.5)
    assert by_name["b"].rate == pytest.approx((0.5 - 1e-6) / (1e-6 + 1e-7))
    assert by_name["d"].before == pytest.approx(0.5)  # the larger of its two inputs
    assert by_name["d"].rate == pytest.approx(0.2, rel=1e-3)


def test_the_first_layer_above_the_third_quartile_is_the_suspect() -> None:
    found = growth(LAYERS, states(), states(a=1e-6, b=0.5, c=1e-6, d=0.6))
    suspect = first_highlighted(found)
    assert suspect is not None
    assert suspect.layer == "b"


def test_different_shapes_and_lost_numbers_are_infinitely_far() -> None:
    other = states()
    other["b"] = np.ones(4)
    other["c"] = np.full(5, np.nan)
    by_name = {item.layer: item for item in growth(LAYERS, states(), other)}
    assert by_name["b"].deviation == np.inf
    assert by_name["c"].deviation == np.inf
    assert by_name["d"].rate == 0.0


def test_a_hidden_layer_hands_on_what_it_got() -> None:
    first, second = states(), states(a=0.5, c=0.5, d=0.5)
    del second["b"]
    by_name = {item.layer: item for item in growth(LAYERS, first, second)}
    assert "b" not in by_name
    assert by_name["d"].before == pytest.approx(0.5)


def test_a_deviation_too_large_for_a_number_is_infinite_and_says_nothing(
    recwarn: pytest.WarningsRecorder,
) -> None:
    huge = np.full(4, 1.7e308)
    assert deviation(huge, np.zeros(4)) == np.inf
    assert not recwarn.list


def test_a_graphs_nodes_are_layers_that_read_each_others_outputs() -> None:
    graph = Graph(
        (Input("x", (2, 4)),),
        (
            Node("a", "keras.ops.split", ("x",), {"indices_or_sections": 2}),
            Node("b", "keras.ops.add", ("a:1", "a:0")),
        ),
        ("b",),
    )
    first, second = layers_of(graph)
    assert (first.inputs, first.outputs) == (("x",), ("a", "a:1"))
    assert (second.op, second.inputs) == ("keras.ops.add", ("a:1", "a"))
