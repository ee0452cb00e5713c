"""Around a disputed node: what is behind it, and the gradients before it."""

import numpy as np

from assay.campaign.hunt.bridge import before, behind
from assay.ir import (
    Arm,
    Case,
    Dot,
    Explicit,
    Graph,
    Input,
    LossOp,
    Node,
    Trace,
    Trial,
    Uniform,
    Verdict,
)
from assay.judge import NumericOracle, Observed

#: x -> a -> b -> c, and c + a -> d -> e.
GRAPH = Graph(
    (Input("x", (2, 3)),),
    (
        Node("a", "keras.ops.tanh", ("x",)),
        Node("b", "keras.ops.square", ("a",)),
        Node("c", "keras.ops.abs", ("b",)),
        Node("d", "keras.ops.add", ("c", "a")),
        Node("e", "keras.ops.sin", ("d",)),
    ),
    ("e",),
)
LOSS = LossOp("keras.losses.MeanSquaredError", Uniform(1), (2, 3))
CASE = Case(GRAPH, {"x": Uniform(3)}, loss=LOSS, stage="gradient")
TARGETS = ("keras-tensorflow", "keras-torch", "reference")


def observed(wrong: dict[str, float], case: Case = CASE) -> Observed:
    """Everybody computes ones; keras-torch, at some nodes, other numbers."""
    traces = {}
    for target in TARGETS:
        factors = wrong if target == "keras-torch" else {}
        arrays = {
            f"output:{node.id}": np.full((2, 3), factors.get(node.id, 1.0), "float32")
            for node in case.graph.nodes
        }
        traces[target] = Trace(target, "ok", arrays)
    trial = Trial(0, "test", (case,), tuple(map(Arm, TARGETS)))
    return Observed(trial, traces, lambda target, op: target)


def judged(seen: Observed) -> list[Verdict]:
    return NumericOracle().judge(seen)


def test_two_faults_are_two_verdicts_where_the_arm_agrees_in_between() -> None:
    verdicts = judged(observed({"a": 2.0, "c": 5.0}))
    assert [verdict.node for verdict in verdicts] == ["a", "c"]
    assert all(verdict.blamed == ("keras-torch",) for verdict in verdicts)


def test_what_follows_from_a_fault_is_no_fault() -> None:
    assert [v.node for v in judged(observed({"b": 2.0, "c": 2.0, "d": 3.0}))] == ["b"]


def test_behind_a_disputed_node_all_arms_go_on_from_the_same_numbers() -> None:
    seen = observed({"b": 2.0, "c": 2.0, "d": 3.0, "e": 3.0})
    trial = behind(seen, judged(seen))
    assert trial is not None
    assert [node.id for node in trial.case.graph.nodes] == ["a", "c", "d", "e"]
    given = trial.case.inputs["b"]
    assert isinstance(given, Explicit)
    assert given.array.tolist() == np.ones((2, 3)).tolist()
    assert trial.case.loss == LOSS


def test_what_only_led_to_a_disputed_node_is_left_out() -> None:
    seen = observed({"d": 2.0})
    trial = behind(seen, judged(seen))
    assert trial is not None
    assert [node.id for node in trial.case.graph.nodes] == ["e"]
    assert set(trial.case.inputs) == {"d"}


def test_before_a_disputed_node_gradients_are_asked_for() -> None:
    seen = observed({"d": 2.0})
    trial = before(seen, judged(seen))
    assert trial is not None
    assert [node.id for node in trial.case.graph.nodes] == ["a", "b", "c"]
    assert trial.case.graph.outputs == ("c", "a")
    assert isinstance(trial.case.loss, Dot)
    assert len(trial.case.loss.upstream) == 2
    assert trial.case.stage == "gradient"


def test_nothing_is_before_the_first_node_and_nothing_behind_the_last() -> None:
    first, last = observed({"a": 2.0}), observed({"e": 2.0})
    assert before(first, judged(first)) is None
    assert behind(last, judged(last)) is None
    assert before(observed({}), ()) is None
    assert behind(observed({}), ()) is None


def test_any_reader_may_have_spoilt_a_gradient() -> None:
    """The gradient of a is a sum over b and d: the verdict names both, and accuses the later."""
    seen = observed({})
    for target, trace in seen.traces.items():
        factor = 3.0 if target == "keras-torch" else 1.0
        for node in GRAPH.nodes:
            size = factor if node.id == "a" else 1.0
            trace.arrays[f"gradient:output:{node.id}"] = np.full((2, 3), size, "float32")
    (verdict,) = judged(seen)
    assert (verdict.stage, verdict.node) == ("gradient", "d")
    assert verdict.evidence.message == "read by keras.ops.add, keras.ops.square"
    assert verdict.evidence.where == "gradient:output:a"
