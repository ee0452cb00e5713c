"""The order of simplicity is total, and says what a reader would say."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ir import Array, Case, Constant, Dot, Explicit, Graph, Input, Node
from assay.reduce import size
from assay.reduce.order import cost, weight


def of(array: Array, **params: object) -> Case:
    graph = Graph(
        (Input("x", array.shape, array.dtype.name),), (Node("n", "op", ("x",), params),), ("n",)
    )
    return Case(graph, {"x": Explicit(array)})


arrays = st.lists(st.sampled_from([0.0, 1.0, -1.0, 0.5, float("nan")]), max_size=4)
params = st.dictionaries(st.sampled_from("ab"), st.sampled_from([0, 1, [1, 1], "word", None]))


@given(st.lists(st.tuples(arrays, params), min_size=3, max_size=3))
def test_any_two_cases_compare_and_the_order_is_transitive(
    drawn: list[tuple[list[float], dict[str, object]]],
) -> None:
    sizes = [size(of(np.array(values, "float32"), **given)) for values, given in drawn]
    first, second, third = sorted(sizes)
    assert first <= second <= third
    assert first <= third
    assert (first == third) == (not first < third)


@pytest.mark.parametrize(
    ("simple", "other"),
    [
        (of(np.zeros(1, "float32")), of(np.zeros(2, "float32"))),
        (of(np.zeros(3, "float32")), of(np.zeros((1, 1), "float32"))),
        (of(np.zeros(2, "float32")), of(np.zeros(2, "float16"))),
        (of(np.ones(2, "float32")), of(np.zeros(2, "float32"), axis=0)),
        (of(np.zeros(2, "float32"), axis=1), of(np.zeros(2, "float32"), axis=-1)),
        (of(np.zeros(2, "float32"), size=2), of(np.zeros(2, "float32"), size=(2, 2))),
        (of(np.zeros(2, "float32")), of(np.ones(2, "float32"))),
        (of(np.array([3.0], "float32")), of(np.array([0.123], "float32"))),
        (of(np.array([2.0], "float32")), of(np.array([np.nan], "float32"))),
        (of(np.ones((2, 3), "float32")), of(np.ones(0, "float32"))),
        (of(np.arange(9, dtype="float32")), of(np.array([np.inf], "float32"))),
        (of(np.array([np.inf, 1.0], "float32")), of(np.array([np.inf, -np.inf], "float32"))),
    ],
)
def test_what_is_simpler(simple: Case, other: Case) -> None:
    assert size(simple) < size(other)


def test_asking_for_less_is_simpler() -> None:
    case = of(np.zeros(1, "float32"))
    graded = msgspec.structs.replace(case, stage="gradient", loss=Dot((Constant(1.0),)))
    trained = msgspec.structs.replace(case, training=True)
    assert size(case) < size(trained) < size(graded)


def test_elements_cost_what_they_take_to_read() -> None:
    values = [0.0, 1.0, 2.0, -1.0, np.nan, np.inf, 0.5, 0.123456]
    costs = [cost(np.array([value], "float32")) for value in values]
    assert costs == sorted(costs)
    assert cost(np.array([], "float32")) == 0
    assert weight(1) < weight(2) < weight([2]) < weight([2, 2]) < weight({"$op": "x", "params": {}})
