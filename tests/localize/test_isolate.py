"""The suspect node alone, on what a trustworthy arm fed it."""

import msgspec
import numpy as np

from assay.ir import (
    Case,
    Dot,
    Evidence,
    Graph,
    Input,
    LossOp,
    Node,
    Uniform,
    Verdict,
    validate_case,
)
from assay.ir.transform import loss_case
from assay.judge import CrashOracle, ErrorOracle, NumericOracle, Observed
from assay.localize import isolate, suspects
from tests.judge.observations import ARRAYS, CHAIN, TARGETS, died, observed, ok, one_differs, raised

TF, JAX, TORCH = TARGETS


def alone(seen: Observed, verdict: Verdict) -> Case | None:
    case = isolate(seen.case, verdict, seen.traces)
    return case if case is None else validate_case(case)


def test_the_node_is_fed_what_an_arm_that_is_not_blamed_fed_it() -> None:
    changed = {"output:n1": [[1.0, 2.0001, 0.5]], "output:n2": [[0.25, 9.0]]}
    traces = [ok(TF, changed), ok(JAX), ok(TORCH), ok("reference")]
    seen = observed(*traces)
    (verdict,) = NumericOracle().judge(seen)
    assert (verdict.node, verdict.blamed) == ("n2", (TF,))
    case = alone(seen, verdict)
    assert case is not None
    assert [node.id for node in case.graph.nodes] == ["n2"]
    assert (case.stage, case.loss) == ("forward", None)
    fed = case.input_arrays()["n1"]
    assert fed.dtype == "float32"
    assert fed.tolist() == ARRAYS["output:n1"].tolist()
    weights = [item.weight_array("n2", 0, "kernel", (3, 2)) for item in (case, CHAIN)]
    np.testing.assert_array_equal(*weights)


def test_a_gradient_comes_with_its_upstream() -> None:
    seen = one_differs({"gradient:weight:n2:0": np.zeros((2, 3), "float32")})
    (verdict,) = NumericOracle().judge(seen)
    case = alone(seen, verdict)
    assert case is not None
    assert case.stage == "gradient"
    assert isinstance(case.loss, Dot)
    (upstream,) = case.loss.upstream
    values = upstream.materialise((1, 2), "float32")
    assert values.tolist() == ARRAYS["gradient:output:n2"].tolist()


def test_a_gradient_without_its_upstream_cannot_be_isolated() -> None:
    changed = {"gradient:output:n2": None}
    other = {**changed, "gradient:weight:n2:0": np.zeros((2, 3), "float32")}
    seen = observed(ok(TF, changed), ok(JAX, changed), ok(TORCH, other))
    (verdict,) = NumericOracle().judge(seen)
    assert alone(seen, verdict) is None


def test_a_crash_is_isolated_with_the_values_of_the_living() -> None:
    seen = observed(died(TORCH), ok(JAX))
    (verdict,) = CrashOracle().judge(seen)
    case = alone(seen, verdict)
    assert case is not None
    assert case.input_arrays()["n1"].tolist() == ARRAYS["output:n1"].tolist()


def test_the_reference_never_feeds_a_node() -> None:
    seen = observed(died(TORCH), ok("reference"))
    (verdict,) = CrashOracle().judge(seen)
    assert alone(seen, verdict) is None


def test_an_arm_that_raised_later_may_feed_a_node_if_nobody_finished() -> None:
    halted = msgspec.structs.replace(
        raised(JAX, "n3"), arrays={"output:n1": ARRAYS["output:n1"].astype("float32")}
    )
    seen = observed(died(TORCH), halted, ok("reference"))
    (verdict,) = CrashOracle().judge(seen)
    case = alone(seen, verdict)
    assert case is not None
    assert case.graph.nodes[0].id == "n2"


def test_a_single_node_is_alone_already() -> None:
    graph = Graph(CHAIN.graph.inputs, CHAIN.graph.nodes[:1], ("n1",))
    single = msgspec.structs.replace(CHAIN, graph=graph)
    seen = observed(ok(TF), raised(TORCH, "n1"), case=single)
    (verdict,) = ErrorOracle().judge(seen)
    assert isolate(single, verdict, seen.traces) is single


def test_what_names_no_node_cannot_be_isolated() -> None:
    seen = observed(ok(TF), ok(JAX), raised(TORCH, "", "gradient"))
    (verdict,) = ErrorOracle().judge(seen)
    assert alone(seen, verdict) is None
    assert alone(seen, msgspec.structs.replace(verdict, node="loss")) is None


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
    isolated = isolate(case, of_loss, traces)
    assert isolated == loss_case(case, predictions)
    assert isolated is not None
    labels = loss.labels.materialise((2, 3), "float32")
    np.testing.assert_array_equal(isolated.input_arrays()["labels"], labels)
    assert isolated.graph.nodes[0].params == {"reduction": None}
