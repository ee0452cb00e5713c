"""A wrapper is described by its inner layer: the same numbers, the same weights."""

import numpy as np

from assay.ir import Case, Dot, Explicit, Graph, Input, LossOp, Node, Uniform, Verdict, loss_case
from assay.ir.finding import Evidence
from assay.localize import isolate, suspects, unwrapped
from tests.judge.observations import ok

LAYER = {"$op": "keras.layers.Dense", "params": {"units": 2}}


def wrapper(op: str, layer: dict[str, object], **params: object) -> Case:
    node = Node("n1", op, ("x",), {"layer": layer, **params})
    graph = Graph((Input("x", (2, 3, 4)),), (node,), ("n1",))
    upstream = Explicit(np.arange(12, dtype="float32").reshape(2, 3, 2))
    return Case(graph, {"x": Uniform(5)}, loss=Dot((upstream,)), stage="gradient")


def test_each_step_becomes_a_sample() -> None:
    case = wrapper("keras.layers.TimeDistributed", LAYER)
    inner = unwrapped(case)
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
    inner = unwrapped(case)
    assert inner is not None
    assert inner.graph.nodes[0].op == "keras.layers.GRU"
    assert inner.input_arrays()["x"].shape == (2, 3, 4)
    weights = [item.weight_array("n1", 1, "kernel", (2, 6)) for item in (case, inner)]
    np.testing.assert_array_equal(*weights)


def test_what_is_no_plain_wrapper_stays() -> None:
    assert unwrapped(wrapper("keras.layers.Dense", LAYER)) is None
    backward = {"$op": "keras.layers.GRU", "params": {"units": 2}}
    case = wrapper("keras.layers.Bidirectional", backward, backward_layer=backward)
    assert unwrapped(case) is None


def test_a_loss_is_isolated_with_the_labels_and_predictions_it_had() -> None:
    graph = Graph((Input("x", (2, 3)),), (Node("n1", "keras.ops.abs", ("x",)),), ("n1",))
    loss = LossOp("keras.losses.Hinge", Uniform(9), (2, 3), {"reduction": None})
    case = Case(graph, {"x": Uniform(3)}, loss=loss, stage="gradient")
    predictions = np.full((2, 3), 0.5, "float32")
    traces = {"keras-torch": ok("keras-torch", {"output:n1": predictions})}
    verdict = Verdict(
        oracle="numeric",
        kind="inconsistency",
        stage="gradient",
        category="bug",
        op="keras.ops.abs",
        node="n1",
        params={},
        targets=(),
        blamed=(),
        evidence=Evidence((), "", where="gradient:output:n1"),
    )
    (suspect,) = suspects(case, verdict)
    assert (suspect.id, suspect.op) == ("loss", "keras.losses.Hinge")
    of_loss = Verdict(
        oracle="numeric",
        kind="inconsistency",
        stage="gradient",
        category="bug",
        op=suspect.op,
        node=suspect.id,
        params=suspect.params,
        targets=(),
        blamed=(),
        evidence=verdict.evidence,
    )
    alone = isolate(case, of_loss, traces)
    assert alone == loss_case(case, predictions)
    assert alone is not None
    labels = loss.labels.materialise((2, 3), "float32")
    np.testing.assert_array_equal(alone.input_arrays()["labels"], labels)
    assert alone.graph.nodes[0].params == {"reduction": None}
