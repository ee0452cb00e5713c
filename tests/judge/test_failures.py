"""Oracles for arms that did not finish."""

import msgspec
import numpy as np
import pytest

from assay.ir import Graph, Verdict, believed
from assay.judge import CrashOracle, ErrorOracle, Observed
from tests.judge.observations import (
    ARRAYS,
    CHAIN,
    TARGETS,
    died,
    observed,
    ok,
    raised,
    with_loss,
    with_op,
)

TF, JAX, TORCH = TARGETS


def errors(seen: Observed) -> list[Verdict]:
    return ErrorOracle().judge(seen)


def crashes(seen: Observed) -> list[Verdict]:
    return CrashOracle().judge(seen)


def test_a_crash_is_blamed_on_who_died_and_where() -> None:
    (verdict,) = crashes(observed(ok(TF), died(TORCH, cause="SIGABRT"), ok("reference")))
    assert (verdict.kind, verdict.category, verdict.stage) == ("crash", "bug", "forward")
    assert (verdict.node, verdict.op, verdict.params) == ("n2", "keras.layers.Dense", {"units": 2})
    assert verdict.blamed == (TORCH,)
    assert verdict.evidence.message == "SIGABRT"


@pytest.mark.parametrize("status", ["timeout", "memory"])
def test_a_hang_and_memory_exhaustion_are_crashes(status: str) -> None:
    (verdict,) = crashes(observed(ok(TF), died(TORCH, status, status)))
    assert (verdict.kind, verdict.evidence.message) == ("crash", status)


def test_each_way_of_dying_is_a_verdict_of_its_own() -> None:
    seen = observed(ok(TF), died(JAX), died("keras-jax+jit"), died(TORCH, "timeout", "timeout"))
    verdicts = crashes(seen)
    assert [v.blamed for v in verdicts] == [(JAX, "keras-jax+jit"), (TORCH,)]
    elsewhere = observed(ok(TF), died(JAX, node="n1"), died(TORCH, node="n3"))
    assert [v.op for v in crashes(elsewhere)] == ["keras.ops.abs", "keras.ops.square"]


def test_when_everybody_dies_nobody_is_told_from_the_rest() -> None:
    assert crashes(observed(died(TF), died(TORCH))) == []
    assert crashes(observed(died(TF), died(TORCH), raised("reference"))) == []
    assert len(crashes(observed(died(TF), died(TORCH), ok("reference")))) == 1


def test_the_reference_is_never_a_crash() -> None:
    assert crashes(observed(ok(TF), ok(TORCH), died("reference"))) == []


def test_who_raises_alone_is_blamed() -> None:
    (verdict,) = errors(observed(ok(TF), ok(JAX), raised(TORCH)))
    assert (verdict.kind, verdict.category, verdict.stage) == ("error", "bug", "forward")
    assert (verdict.node, verdict.op, verdict.blamed) == ("n2", "keras.layers.Dense", (TORCH,))
    assert verdict.evidence.message == "ValueError: incompatible shapes"
    assert verdict.evidence.stack == "Traceback …"
    summaries = {item.target: item.summary for item in verdict.evidence.observations}
    assert summaries == {TF: "works", JAX: "works", TORCH: "ValueError: incompatible shapes"}


def test_who_works_and_gives_something_else_is_not_believed() -> None:
    other = ok(TORCH, {"output:n2": [[7.0, 7.0]]})
    (verdict,) = errors(observed(raised(TF), ok(JAX), other, ok("reference")))
    assert verdict.blamed == (TF,)
    assert verdict.evidence.astray == (TORCH,)
    assert verdict.evidence.reason == f"{JAX} and reference agree"
    assert believed(verdict) == (JAX, "reference")
    (alike,) = errors(observed(raised(TF), ok(JAX), ok(TORCH), ok("reference")))
    assert alike.evidence.astray == ()


def test_when_all_raise_there_is_nothing_to_tell() -> None:
    assert errors(observed(raised(TF), raised(JAX), raised(TORCH))) == []
    assert errors(observed(raised(TF), raised(TORCH), ok("reference"))) == []


def test_the_reference_may_abstain() -> None:
    assert errors(observed(ok(TF), ok(TORCH), raised("reference"))) == []
    (verdict,) = errors(observed(ok(TF), raised(TORCH), raised("reference")))
    assert verdict.blamed == ()
    assert "undecidable" in verdict.evidence.reason


def test_the_reference_breaks_a_tie() -> None:
    (verdict,) = errors(observed(ok(TF), raised(TORCH), ok("reference")))
    assert verdict.blamed == (TORCH,)


def test_who_works_is_never_blamed() -> None:
    (verdict,) = errors(observed(ok(TF), raised(JAX), raised(TORCH)))
    assert verdict.blamed == ()


def test_different_places_are_different_verdicts() -> None:
    seen = observed(ok(TF), raised(JAX, "n1"), raised(TORCH, "n3"), ok("reference"))
    assert [(v.node, v.blamed) for v in errors(seen)] == [("n1", (JAX,)), ("n3", (TORCH,))]


def test_a_failure_of_the_gradient_call_names_no_node_unless_there_is_one_only() -> None:
    failing = raised(TORCH, node="", stage="gradient")
    (verdict,) = errors(observed(ok(TF), failing))
    assert (verdict.node, verdict.op, verdict.stage) == ("", "keras.ops.square", "gradient")
    graph = Graph(CHAIN.graph.inputs, CHAIN.graph.nodes[:1], ("n1",))
    single = msgspec.structs.replace(CHAIN, graph=graph)
    (verdict,) = errors(observed(ok(TF), failing, case=single))
    assert (verdict.node, verdict.op) == ("n1", "keras.ops.abs")


#: What an arm shows that has no gradients.
FORWARD = {name: None for name in ARRAYS if name.startswith(("gradient:", "loss"))}


def test_who_gives_no_gradient_neither_works_nor_fails_where_one_fails() -> None:
    failing = raised(TORCH, node="", stage="gradient")
    (verdict,) = errors(observed(ok(TF), ok(JAX), failing, ok("onnxruntime", FORWARD)))
    assert verdict.blamed == (TORCH,)
    assert believed(verdict) == (TF, JAX)
    assert "onnxruntime" not in verdict.evidence.reason
    summaries = {item.target: item.summary for item in verdict.evidence.observations}
    assert summaries["onnxruntime"] == "no answer: gives no gradient"
    assert summaries[TF] == summaries[JAX] == "works"
    # Findings of Keras alone are told as before.
    (verdict,) = errors(observed(ok(TF), ok(JAX), failing, ok("keras-numpy", FORWARD)))
    assert verdict.evidence.observations[-1].summary == "works"
    assert verdict.evidence.believed == ()
    # It is asked all the same where the forward pass fails.
    (verdict,) = errors(observed(ok(TF), raised(TORCH), ok("onnxruntime", FORWARD)))
    summaries = {item.target: item.summary for item in verdict.evidence.observations}
    assert (verdict.blamed, summaries["onnxruntime"]) == ((TORCH,), "works")


def test_a_death_in_the_gradient_says_nothing_of_who_gives_none() -> None:
    dead = died(TORCH)
    assert dead.failure is not None
    failure = msgspec.structs.replace(dead.failure, stage="gradient")
    dead = msgspec.structs.replace(dead, failure=failure)
    (verdict,) = crashes(observed(ok(TF), dead, ok("onnxruntime", FORWARD)))
    summaries = {item.target: item.summary for item in verdict.evidence.observations}
    assert (summaries[TF], summaries["onnxruntime"]) == ("works", "no answer: gives no gradient")


def test_a_failure_in_the_loss_names_the_loss() -> None:
    (verdict,) = errors(observed(ok(TF), raised(TORCH, "", "loss"), case=with_loss()))
    assert (verdict.node, verdict.op) == ("loss", "keras.losses.MeanSquaredError")
    assert verdict.stage == "loss"


def test_an_arm_that_went_astray_before_it_raised_is_left_to_the_numeric_oracle() -> None:
    astray = msgspec.structs.replace(
        raised(TORCH, "n3"), arrays={"output:n2": np.array([[9.0, 9.0]], "float32")}
    )
    assert errors(observed(ok(TF), ok(JAX), astray)) == []
    right = msgspec.structs.replace(
        raised(TORCH, "n3"), arrays={"output:n2": ok(TF).arrays["output:n2"]}
    )
    assert len(errors(observed(ok(TF), ok(JAX), right))) == 1


_NHWC = "The Conv2D op currently only supports the NHWC tensor format on the CPU"
#: Words that say what is wrong, and not what is supported: only an entry knows better.
_SORTED = (
    "Argument `num_segments` cannot be set when sorted is True when using the tensorflow backend"
)
_CONV = with_op("keras.layers.Conv2D")


def test_a_known_refusal_is_unsupported_and_counted() -> None:
    (verdict,) = errors(observed(raised(TF, message=_NHWC), ok(JAX), ok(TORCH), case=_CONV))
    assert verdict.category == "unsupported"
    assert verdict.recognised == "tensorflow-cpu-nchw"
    assert "channels-first" in verdict.evidence.reason


def test_a_refusal_covers_only_those_who_refuse() -> None:
    graph_mode = "keras-tensorflow+graph"
    refusing = raised(TF, message=_NHWC)
    both = observed(refusing, raised(graph_mode, message=_NHWC), ok(JAX), case=_CONV)
    (verdict,) = errors(both)
    assert verdict.category == "unsupported"
    works = ok(JAX), ok("reference")
    case = with_op("keras.ops.segment_sum")
    for target, category in ((TF, "unsupported"), (TORCH, "bug")):
        (verdict,) = errors(observed(raised(target, message=_SORTED), *works, case=case))
        assert verdict.category == category
    (verdict,) = errors(observed(raised(TF, message=_SORTED), *works))
    assert verdict.category == "bug"


def test_what_says_that_it_is_not_supported_needs_no_entry() -> None:
    works = ok(JAX), ok(TF), ok("reference")
    (verdict,) = errors(observed(raised(TORCH, message=_NHWC), *works))
    assert (verdict.category, verdict.recognised) == ("unsupported", "")
    assert "says that it cannot do this" in verdict.evidence.reason


def test_an_accident_inside_is_a_bug_though_nobody_else_can_tell() -> None:
    message = "indices[2] = [2, 2, 2] does not index into param shape [2,5,4] [Op:GatherNd] name: "
    (verdict,) = errors(observed(raised(TF, message=message), ok(TORCH)))
    assert (verdict.category, verdict.blamed) == ("bug", (TF,))


def test_where_nobody_can_say_that_it_should_work_a_refusal_is_in_order() -> None:
    for seen in (observed(raised(TF), ok(JAX)), observed(raised(TF), raised(TORCH), ok(JAX))):
        (verdict,) = errors(seen)
        assert (verdict.category, verdict.blamed) == ("unsupported", ())
        assert not verdict.recognised


def test_who_refuses_shares_no_blame_with_who_fails() -> None:
    seen = observed(raised(TF, message=_NHWC), raised(TORCH), ok(JAX), ok("reference"), case=_CONV)
    unsupported, bug = errors(seen)
    assert (unsupported.category, unsupported.blamed) == ("unsupported", (TF,))
    assert (bug.category, bug.blamed) == ("bug", (TORCH,))


def test_what_most_refuse_and_the_reference_too_is_accepted_nonsense() -> None:
    refused = raised("reference", message="expected a part of shape (2, 1, 3)")
    said = raised(TF, message="Expected size[1] in [0, 1], but got 2"), raised(JAX, message="no")
    (verdict,) = errors(observed(*said, ok(TORCH), refused))
    assert (verdict.kind, verdict.category, verdict.blamed) == ("validation", "bug", (TORCH,))
    (verdict,) = errors(observed(*said, ok(TORCH)))
    assert (verdict.category, verdict.blamed) == ("unsupported", ())
    fails = raised(JAX, message="division by zero", exception="builtins.ZeroDivisionError")
    (verdict,) = errors(observed(said[0], fails, ok(TORCH), refused))
    assert verdict.category == "unsupported"
