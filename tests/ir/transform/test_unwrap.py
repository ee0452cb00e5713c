"""A wrapper is described by its inner layer: the same numbers, the same weights."""

import numpy as np

from assay.ir import Case, Dot, Explicit, Graph, Input, Node, Uniform
from assay.ir.transform import unwrapped_case

LAYER = {"$op": "keras.layers.Dense", "params": {"units": 2}}


def wrapper(op: str, layer: dict[str, object], **params: object) -> Case:
    node = Node("n1", op, ("x",), {"layer": layer, **params})
    graph = Graph((Input("x", (2, 3, 4)),), (node,), ("n1",))
    upstream = Explicit(np.arange(12, dtype="float32").reshape(2, 3, 2))
    return Case(graph, {"x": Uniform(5)}, loss=Dot((upstream,)), stage="gradient")


def test_each_step_becomes_a_sample() -> None:
    case = wrapper("keras.layers.TimeDistributed", LAYER)
    inner = unwrapped_case(case)
    assert inner is not None
    (node,) = inner.graph.nodes
    assert (node.id, node.op, node.params) == ("n1", "keras.layers.Dense", {"units": 2})
    before, after = case.input_arrays()["x"], inner.input_arrays()["x"]
    assert after.shape == (6, 4)
    np.testing.assert_array_equal(before.reshape(6, 4), after)
    assert isinstance(inner.loss, Dot)
    (upstream,) = inner.loss.upstream
    assert isinstance(upstream, Explicit)
    assert upstream.array.shape == (6, 2)


def test_both_ways_becomes_forwards() -> None:
    layer = {"$op": "keras.layers.GRU", "params": {"units": 2, "return_sequences": True}}
    case = wrapper("keras.layers.Bidirectional", layer, merge_mode="sum")
    inner = unwrapped_case(case)
    assert inner is not None
    assert inner.graph.nodes[0].op == "keras.layers.GRU"
    assert inner.input_arrays()["x"].shape == (2, 3, 4)
    weights = [item.weight_array("n1", 1, "kernel", (2, 6)) for item in (case, inner)]
    np.testing.assert_array_equal(*weights)


def test_what_is_no_plain_wrapper_stays() -> None:
    assert unwrapped_case(wrapper("keras.layers.Dense", LAYER)) is None
    backward = {"$op": "keras.layers.GRU", "params": {"units": 2}}
    case = wrapper("keras.layers.Bidirectional", backward, backward_layer=backward)
    assert unwrapped_case(case) is None
