"""A node alone is still the same node."""

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.ir import (
    Array,
    Case,
    Dot,
    Explicit,
    Graph,
    Input,
    Node,
    Uniform,
    to_json,
    validate_case,
)
from assay.ir.transform import of_size_one, single_node_case
from tests.strategies import arrays, cases


def _graph(*nodes: Node) -> Graph:
    return Graph((Input("x", (2, 3)), Input("m", (2,), "bool")), nodes, (nodes[-1].id,))


def _case(graph: Graph, **changes: object) -> Case:
    case = Case(graph, {"x": Uniform(1), "m": Uniform(2)}, weights=Uniform(9, -0.5, 0.5))
    return msgspec.structs.replace(case, **changes)


SPLIT = Node("n1", "keras.ops.split", ("x",), {"axis": 1})
VALUES: dict[str, Array] = {
    "x": np.arange(6, dtype="float32").reshape(2, 3),
    "m": np.array([True, False]),
    "n1": np.ones((2, 2), "float16"),
    "n1:1": np.full((2, 1), np.nan, "float32"),
}


def test_list_inputs_keywords_and_further_outputs_become_inputs() -> None:
    keywords = {"mask": {"$tensor": "m"}, "axis": [1]}
    node = Node("n2", "keras.layers.Concatenate", (("n1:1", "x", "n1:1"), "n1"), {}, keywords)
    alone = validate_case(single_node_case(_case(_graph(SPLIT, node)), "n2", VALUES))
    (only,) = alone.graph.nodes
    assert only.inputs == (("n1_1", "x", "n1_1"), "n1")
    assert only.arguments == {"mask": {"$tensor": "m"}, "axis": [1]}
    given_arrays = alone.input_arrays()
    assert set(given_arrays) == {"n1_1", "x", "n1", "m"}
    for tensor, name in [("n1:1", "n1_1"), ("x", "x"), ("n1", "n1"), ("m", "m")]:
        assert given_arrays[name].dtype == VALUES[tensor].dtype
        np.testing.assert_array_equal(given_arrays[name], VALUES[tensor])


@pytest.mark.parametrize("clash", ["n1_1", "n1_1_"])
def test_a_renamed_tensor_never_meets_another(clash: str) -> None:
    node = Node(clash, "keras.ops.add", ("n1:1", "x"))
    alone = validate_case(single_node_case(_case(_graph(SPLIT, node)), clash, VALUES))
    assert len({item.name for item in alone.graph.inputs} | {clash}) == 3


def test_two_tensors_with_one_new_name_stay_two() -> None:
    other = Node("n1_1", "keras.ops.abs", ("x",))
    node = Node("n3", "keras.ops.add", ("n1:1", "n1_1"))
    values = {"n1:1": np.zeros((2, 1), "float32"), "n1_1": np.ones((2, 3), "float32")}
    alone = validate_case(single_node_case(_case(_graph(SPLIT, other, node)), "n3", values))
    first, second = alone.graph.nodes[0].inputs
    drawn = alone.input_arrays()
    assert (drawn[str(first)].shape, drawn[str(second)].shape) == ((2, 1), (2, 3))


def test_weights_stay_the_same() -> None:
    dense = Node("n2", "keras.layers.Dense", ("n1",), {"units": 4})
    case = _case(_graph(SPLIT, dense), explicit_weights={"n1": (Explicit(np.zeros(2)),)})
    alone = single_node_case(case, "n2", VALUES)
    for index, name in enumerate(("kernel", "moving_variance")):
        mine, theirs = (item.weight_array("n2", index, name, (3, 4)) for item in (alone, case))
        np.testing.assert_array_equal(mine, theirs)
    assert alone.explicit_weights == {}
    kernel = Explicit(np.arange(8.0).reshape(2, 4))
    explicit = msgspec.structs.replace(case, explicit_weights={"n2": (kernel,)})
    assert single_node_case(explicit, "n2", VALUES).weight_array("n2", 0, "kernel", (2, 4)) is (
        kernel.array
    )


def test_without_an_upstream_gradient_only_forward_is_asked_for() -> None:
    case = _case(
        _graph(SPLIT, Node("n2", "keras.ops.abs", ("n1",))),
        loss=Dot((Uniform(3),)),
        stage="gradient",
    )
    alone = single_node_case(case, "n2", VALUES)
    assert (alone.stage, alone.loss) == ("forward", None)


@pytest.mark.parametrize("stage", ["forward", "gradient"])
def test_with_an_upstream_gradient_the_vector_jacobian_product_is_asked_for(stage: str) -> None:
    case = _case(_graph(SPLIT, Node("n2", "keras.ops.split", ("n1",))), stage=stage)
    if stage == "gradient":
        case = msgspec.structs.replace(case, loss=Dot((Uniform(3),)))
    upstream = (np.ones((1, 2), "float32"), np.zeros((1, 2), "float32"))
    alone = validate_case(single_node_case(case, "n2", VALUES, upstream))
    assert alone.stage == "gradient"
    assert isinstance(alone.loss, Dot)
    assert len(alone.loss.upstream) == len(alone.graph.outputs) == 2
    np.testing.assert_array_equal(alone.loss.upstream[0].array, upstream[0])  # type: ignore[union-attr]


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(cases(), st.data())
def test_any_node_of_any_case_can_stand_alone(case: Case, data: st.DataObject) -> None:
    node = data.draw(st.sampled_from(case.graph.nodes))
    values = {tensor: data.draw(arrays()) for tensor in set(node.tensors())}
    alone = validate_case(single_node_case(case, node.id, values))
    (only,) = alone.graph.nodes
    assert (only.id, only.op, only.params) == (node.id, node.op, node.params)
    assert to_json(alone.weights) == to_json(case.weights)
    drawn = alone.input_arrays()
    for before, after in zip(node.tensors(), only.tensors(), strict=True):
        assert drawn[after].tobytes() == values[before].tobytes()


def test_a_small_upstream_gradient_is_enlarged_by_a_power_of_two() -> None:
    small = np.array([3e-6, -1e-6, 0.0], "float32")
    enlarged = of_size_one(small)
    assert enlarged.dtype == small.dtype
    assert 0.5 < enlarged.max() <= 2.0
    factor = enlarged[0] / small[0]
    assert np.log2(factor) == int(np.log2(factor))
    np.testing.assert_array_equal(enlarged, small * factor)


@pytest.mark.parametrize("values", [[0.25, 0.0], [0.0, 0.0], [-7.0, 1e-9], []])
def test_an_upstream_gradient_that_is_large_or_nothing_stays(values: list[float]) -> None:
    upstream = np.array(values, "float32")
    assert of_size_one(upstream) is upstream
