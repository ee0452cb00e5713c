"""Oracles for arms that finished with different numbers: who is blamed, for which node."""

import msgspec
import numpy as np
import pytest

from assay.ir import Graph, Input, Node, Verdict
from assay.judge import HarnessError, NondeterminismOracle, NumericOracle, Observed
from tests.judge.observations import (
    ARRAYS,
    CHAIN,
    TARGETS,
    all_ok,
    further,
    observed,
    ok,
    one_differs,
    raised,
    with_loss,
)

TF, JAX, TORCH = TARGETS
NAN = float("nan")


def judge(seen: Observed) -> list[Verdict]:
    return NumericOracle().judge(seen)


def only(seen: Observed) -> Verdict:
    (verdict,) = judge(seen)
    return verdict


def test_the_first_node_that_differs_is_blamed_and_not_its_echoes() -> None:
    verdict = only(
        one_differs(
            {
                "output:n2": [[0.25, -2.0]],
                "output:n3": [[0.0625, 4.0]],
                "gradient:output:n1": [[9.0, 9.0, 9.0]],
            }
        )
    )
    assert (verdict.node, verdict.op, verdict.params) == ("n2", "keras.layers.Dense", {"units": 2})
    assert (verdict.kind, verdict.stage, verdict.category) == ("inconsistency", "forward", "bug")
    assert verdict.blamed == (TORCH,)
    assert (verdict.evidence.where, verdict.evidence.position) == ("output:n2", (0, 1))
    assert verdict.magnitude == 1.0
    values = {item.target: item.value for item in verdict.evidence.observations}
    assert values == {TF: -3.0, JAX: -3.0, TORCH: -2.0, "reference": -3.0}


def test_who_hides_its_nodes_and_gives_what_a_stray_gives_strayed_with_it() -> None:
    astray = {"output:n1": [[1.0, 2.0, 9.0]], "output:n2": [[7.0, 7.0]], "output:n3": [[49.0, 1.0]]}
    # As gradients were never asked for.
    alone = {name: None for name in ARRAYS if not name.startswith("output:")}
    hidden = {**alone, "output:n1": None, "output:n2": None}

    def judged(last: list[list[float]]) -> list[tuple[str, tuple[str, ...]]]:
        seen = observed(
            *(ok(target, alone) for target in (TF, JAX)),
            ok(TORCH, {**alone, **astray}),
            ok("onnxruntime", {**hidden, "output:n3": last}),
        )
        compiled = msgspec.structs.replace(seen, fusing=frozenset({"onnxruntime"}))
        return [(verdict.node, verdict.blamed) for verdict in judge(compiled)]

    assert judged(astray["output:n3"]) == [("n1", (TORCH,))]
    assert judged(ARRAYS["output:n3"].tolist()) == [("n1", (TORCH,))]
    # A third answer is a fault of its own.
    assert judged([[5.0, 5.0]]) == [("n1", (TORCH,)), ("n3", ("onnxruntime",))]


def test_nan_against_a_number_is_of_kind_nan() -> None:
    for value in (NAN, np.inf, -np.inf):
        verdict = only(one_differs({"output:n1": [[1.0, value, 0.5]]}))
        assert (verdict.kind, verdict.evidence.position) == ("nan", (0, 1))


def test_nan_everywhere_is_agreement() -> None:
    changed = {"output:n1": [[1.0, NAN, 0.5]]}
    assert judge(observed(ok(TF, changed), ok(JAX, changed), ok(TORCH, changed))) == []


def test_shapes_that_differ_are_named() -> None:
    verdict = only(one_differs({"output:n3": [0.0625, 9.0]}))
    assert (verdict.kind, verdict.evidence.position) == ("inconsistency", ())
    assert verdict.evidence.message == "shape [2] where others have [1, 2]"
    assert {item.summary for item in verdict.evidence.observations} == {"shape [1, 2]", "shape [2]"}


def test_an_empty_array_against_a_full_one_is_a_difference_of_shapes() -> None:
    verdict = only(one_differs({"output:n3": np.zeros((0, 2), "float32")}))
    assert "shape [0, 2]" in verdict.evidence.message


def test_each_wrong_answer_is_a_fault_of_its_own() -> None:
    seen = observed(
        ok(TF),
        ok(JAX),
        ok(TORCH, {"output:n1": [[1.0, 2.0, 9.0]]}),
        ok("keras-openvino", {"output:n1": [1.0]}),
    )
    first, second = judge(seen)
    assert (first.blamed, first.magnitude) == ((TORCH,), 8.5)
    assert second.blamed == ("keras-openvino",)
    assert second.evidence.message == "shape [1] where others have [1, 3]"
    for verdict in (first, second):
        assert verdict.evidence.believed == (TF, JAX)
        assert verdict.evidence.observations[-1].summary == "shape [1]"
    assert first.evidence.astray == second.blamed
    assert second.evidence.astray == first.blamed


def test_those_who_give_the_same_wrong_answer_share_a_verdict() -> None:
    wrong = {"output:n1": [[1.0, 2.0, 9.0]]}
    verdict = only(observed(ok(TF), ok(JAX, wrong), ok(TORCH, wrong), ok("reference")))
    assert verdict.blamed == (JAX, TORCH)
    assert verdict.evidence.believed == (TF, "reference")


def test_whole_numbers_and_complex_ones_are_shown() -> None:
    whole = {"output:n1": np.array([[1, 2, 3]])}
    other = {"output:n1": np.array([[1, 2, 4]])}
    verdict = only(observed(ok(TF, whole), ok(JAX, whole), ok(TORCH, other)))
    assert [item.value for item in verdict.evidence.observations] == [3.0, 3.0, 4.0]
    first = {"output:n1": np.array([[3 + 4j]])}
    verdict = only(observed(ok(TF, first), ok(TORCH, {"output:n1": np.array([[3 - 4j]])})))
    assert [item.value for item in verdict.evidence.observations] == [5.0, 5.0]


def test_a_further_output_and_a_state_are_compared_too() -> None:
    for name in ("output:n2:1", "state:n2:0"):
        full, other = {name: np.array([1.0], "f4")}, {name: np.array([2.0], "f4")}
        verdict = only(observed(ok(TF, full), ok(JAX, full), ok(TORCH, other)))
        assert (verdict.node, verdict.stage) == ("n2", "forward")
        assert (verdict.evidence.where, verdict.blamed) == (name, (TORCH,))


def test_the_loss_is_compared_if_it_is_the_librarys_own() -> None:
    assert judge(one_differs({"loss": 3.0})) == []
    verdict = only(one_differs({"loss": 3.0}, case=with_loss()))
    assert (verdict.stage, verdict.evidence.where) == ("loss", "loss")
    assert (verdict.evidence.position, verdict.magnitude) == ((), 6.0625)


@pytest.mark.parametrize(
    ("array", "node"),
    [
        ("gradient:output:n2", "n3"),
        ("gradient:weight:n2:0", "n2"),
        ("gradient:output:n1", "n2"),
        ("gradient:input:x", "n1"),
    ],
)
def test_a_gradient_is_blamed_on_the_node_whose_upstream_agrees(array: str, node: str) -> None:
    """A difference spreads back to the inputs: every gradient computed after it is an echo."""
    order = [name for name in ARRAYS if name.startswith("gradient:")]
    echoes = order[order.index(array) :]
    verdict = only(one_differs({name: ARRAYS[name] * -2 for name in echoes}))
    assert (verdict.node, verdict.stage, verdict.blamed) == (node, "gradient", (TORCH,))
    assert verdict.evidence.where == array


def test_gradients_below_an_upstream_that_is_not_finite_are_anybodys_guess() -> None:
    upstream = {"gradient:output:n2": [[np.inf, 1.0]]}
    wrong = {**upstream, "gradient:weight:n2:0": np.zeros((2, 3), "float32")}
    assert judge(observed(ok(TF, upstream), ok(JAX, upstream), ok(TORCH, wrong))) == []
    # Further up the chain the upstream gradient is finite again.
    further = {**wrong, "gradient:input:x": [[7.0, 7.0, 7.0]]}
    verdict = only(observed(ok(TF, upstream), ok(JAX, upstream), ok(TORCH, further)))
    assert (verdict.node, verdict.evidence.where) == ("n1", "gradient:input:x")


def test_where_the_reference_is_undecided_it_has_no_say() -> None:
    mask = np.array([[True, False, False]])
    wrong = {"gradient:input:x": [[5.0, -1.0, -1.0]]}
    undecided = ok("reference", {"undecided:gradient:input:x": mask})
    verdict = only(observed(ok(TF, wrong), ok(TORCH), undecided))
    assert verdict.blamed == ()
    assert "reference" not in verdict.targets
    decided = ok("reference", {"undecided:gradient:input:x": np.zeros_like(mask)})
    assert only(observed(ok(TF, wrong), ok(TORCH), decided)).blamed == (TF,)
    # Nor does it dissent alone where it claims nothing.
    odd = {"gradient:input:x": [[0.0, -1.0, -1.0]], "undecided:gradient:input:x": mask}
    assert judge(observed(ok(TF), ok(TORCH), ok("reference", odd))) == []
    # Where it claims something, it has.
    far = {"gradient:input:x": [[5.0, -1.0, 7.0]]}
    assert only(observed(ok(TF, far), ok(TORCH), ok("reference", odd))).blamed == (TF,)


def test_only_the_reference_dissents_is_no_bug() -> None:
    verdict = only(one_differs({"output:n1": [[7.0, 2.0, 0.5]]}, by="reference"))
    assert (verdict.category, verdict.blamed) == ("convention", ())
    assert "reference" in verdict.evidence.reason


def test_who_ignores_half_precision_is_compared_in_it() -> None:
    """What underflows in the format that was asked for is no fault of those who use it."""
    tiny, nothing = np.array([[1e-15, 1.0]]), np.array([[0.0, 1.0]])
    arrays = {TF: tiny.astype("float32"), JAX: nothing.astype("float16")}
    arrays |= {TORCH: nothing.astype("float16"), "reference": tiny}
    traces = [ok(target, {**ARRAYS, "output:n3": array}) for target, array in arrays.items()]
    assert [verdict for verdict in judge(observed(*traces)) if verdict.stage == "forward"] == []


def test_what_overflows_in_the_others_precision_is_no_difference() -> None:
    inf = {"output:n1": [[1.0, np.inf, 0.5]]}
    beyond = {"output:n1": [[1.0, 1e39, 0.5]]}
    assert judge(observed(ok(TF, inf), ok(TORCH, inf), ok("reference", beyond))) == []


def test_what_an_arm_computed_before_it_raised_counts() -> None:
    wrong = {"output:n1": np.array([[1.0, 2.0, 9.0]], "float32")}
    halted = msgspec.structs.replace(raised(TORCH, "n2"), arrays=wrong)
    assert only(observed(ok(TF), ok(JAX), halted)).blamed == (TORCH,)


def test_an_arm_without_gradients_is_compared_where_it_has_something() -> None:
    forward = {name: None for name in ARRAYS if not name.startswith("output:")}
    assert judge(observed(ok(TF), ok(JAX), ok("keras-openvino", forward))) == []
    wrong = {**forward, "output:n3": [[0.0, 0.0]]}
    verdict = only(observed(ok(TF), ok(JAX), ok("keras-openvino", wrong)))
    assert verdict.blamed == ("keras-openvino",)


def test_arms_that_were_asked_different_questions_are_our_mistake() -> None:
    with pytest.raises(HarnessError, match=f"{TF} and {TORCH} used different inputs"):
        judge(observed(ok(TF), ok(TORCH, digest="other:labels")))
    with pytest.raises(HarnessError, match="labels or upstream"):
        judge(observed(ok(TF), ok(TORCH, digest="inputs:others"), case=with_loss()))
    # An arm that stops after forward has no labels, and no opinion about them.
    assert judge(observed(ok(TF), ok(TORCH, digest="inputs:"), case=with_loss())) == []
    assert judge(observed(ok(TF), ok(TORCH, digest=""), case=with_loss())) == []


def test_an_invalid_case_is_not_compared() -> None:
    seen = one_differs({"output:n2": [[0.25, -2.0]]})
    trial = msgspec.structs.replace(seen.trial, intent="invalid", spoilt="units")
    assert judge(msgspec.structs.replace(seen, trial=trial)) == []


def unstable(target: str, again: dict[str, np.ndarray]) -> Observed:  # type: ignore[type-arg]
    return observed(ok(TF), ok(target), further(ok(target, again)))


def test_a_target_that_differs_from_itself_is_blamed() -> None:
    seen = unstable(TORCH, {"output:n2": np.array([[0.25, 7.0]], "float32")})
    (verdict,) = NondeterminismOracle().judge(seen)
    assert (verdict.kind, verdict.node, verdict.stage) == ("nondeterminism", "n2", "forward")
    assert (verdict.targets, verdict.blamed) == ((TORCH,), (TORCH,))
    assert [item.value for item in verdict.evidence.observations] == [-3.0, 7.0]
    assert verdict.magnitude == 10.0


def test_rounding_between_two_runs_is_no_difference() -> None:
    seen = unstable(TORCH, {"output:n2": np.array([[0.25, -3.0000002]], "float32")})
    assert NondeterminismOracle().judge(seen) == []


@pytest.mark.parametrize(
    ("array", "node", "stage"),
    [
        ("gradient:input:x", "n1", "gradient"),
        ("gradient:weight:n2:0", "n2", "gradient"),
        ("gradient:output:n1", "n2", "gradient"),
        ("loss", "n3", "loss"),
    ],
)
def test_any_array_may_be_unstable(array: str, node: str, stage: str) -> None:
    seen = unstable(TORCH, {array: ok(TORCH).arrays[array] + 1})
    (verdict,) = NondeterminismOracle().judge(seen)
    assert (verdict.node, verdict.stage) == (node, stage)


def test_a_shape_that_changes_between_runs_is_seen() -> None:
    seen = unstable(TORCH, {"output:n2": np.zeros((0, 2), "float32")})
    (verdict,) = NondeterminismOracle().judge(seen)
    assert verdict.blamed == (TORCH,)


def test_each_unstable_target_has_its_verdict() -> None:
    again = {"output:n2": np.array([[0.25, 7.0]], "float32")}
    seconds = [further(ok(target, again)) for target in (TF, TORCH)]
    seen = observed(ok(TF), ok(JAX), ok(TORCH), *seconds)
    assert [v.blamed for v in NondeterminismOracle().judge(seen)] == [(TF,), (TORCH,)]


def test_agreement_is_silence() -> None:
    assert judge(all_ok()) == []
    graph = Graph((Input("x", (1, 3)),), (Node("n1", "keras.ops.abs", ("x",)),), ("n1",))
    assert judge(all_ok(case=msgspec.structs.replace(CHAIN, graph=graph))) == []


def test_each_of_several_wrong_answers_is_shown_where_it_is_wrong() -> None:
    first = ok(TF, {"output:n1": [[1.0, 9.0, 0.5]]})
    second = ok(TORCH, {"output:n1": [[1.0, 2.0, 3.5]]})
    verdict, other = judge(observed(first, ok(JAX), second, ok("reference")))
    assert (verdict.blamed, other.blamed) == ((TF,), (TORCH,))
    summaries = {item.target: item.summary for item in verdict.evidence.observations}
    assert summaries[TF] == "9"
    assert summaries[TORCH] == "2; at [0, 2] 3.5 for 0.5"
    assert summaries[JAX] == summaries["reference"] == "2"
