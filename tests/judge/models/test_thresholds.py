"""Thresholds that were given decide, by what was measured beside them."""

import numpy as np
import pytest

from assay.errors import AssayError
from assay.ir.check import Located, PairResult, TargetResult
from assay.ir.thresholds import Limits, Thresholds
from assay.judge.models.pairs import pair_result
from assay.judge.models.rules import Rule
from assay.judge.models.tally import Tally, truth_of
from assay.judge.models.thresholds import Gauge, decided, metric_gates, within

FIRST = np.array([[1.0, 2.0], [100.0, -3.0], [0.0, 0.0]], "float32")
SECOND = np.array([[1.0, 2.25], [101.0, -3.0], [0.0, 0.0]], "float32")
NOWHERE = Located(None, None, None, complete=True)


def gauged(thresholds: Thresholds, first: np.ndarray, second: np.ndarray) -> Gauge:
    gauge = Gauge(thresholds, ("y",))
    gauge.add(0, [first], [second], len(first))
    return gauge


@pytest.mark.parametrize(
    ("limits", "passed", "ratio"),
    [
        (Limits(atol=1.0), True, 1.0),
        (Limits(atol=0.5), False, 2.0),
        (Limits(rtol=0.01), False, 0.25 / 0.0225),
        (Limits(atol=0.25, rtol=0.01), True, 0.25 / 0.2725),
        (Limits(atol=0.0), False, np.inf),
    ],
)
def test_elements_may_differ_by_atol_and_rtol(limits: Limits, passed: bool, ratio: float) -> None:
    (gate,) = gauged(Thresholds(limits), FIRST, SECOND).gates()
    assert gate.passed is passed
    assert gate.value == pytest.approx(ratio)
    (equal,) = gauged(Thresholds(limits), FIRST, FIRST).gates()
    assert equal.passed
    assert equal.value == 0


def test_the_instances_beyond_are_counted_over_batches_and_named() -> None:
    gauge = Gauge(Thresholds(Limits(atol=0.5)), ("y",))
    apart = [gauge.add(start, [FIRST], [SECOND], 3) for start in (0, 3)]
    np.testing.assert_array_equal(apart, [[0, 2, 0], [0, 2, 0]])
    (gate,) = gauge.gates()
    assert str(gate) == "y: atol 0.5, measured |Δ| up to 1; 2 of 6 beyond, most at instance 1"


def test_special_values_are_beyond_every_threshold_unless_they_are_equal() -> None:
    thresholds = Thresholds(Limits(atol=1e9))
    strange = np.array([[np.nan, np.inf], [1.0, 1.0], [1.0, 1.0]], "float32")
    (gate,) = gauged(thresholds, strange, strange).gates()
    assert gate.passed
    for other in (0.0, -np.inf):
        (gate,) = gauged(
            thresholds, strange, np.where(np.isfinite(strange), strange, other)
        ).gates()
        assert not gate.passed


def test_an_output_of_a_name_has_limits_of_its_own() -> None:
    every = Limits(atol=0.1, rtol=0.2, agreement=0.9)
    thresholds = Thresholds(every, {"b": Limits(atol=5.0), "c": Limits(agreement=0.5)})
    assert thresholds.of("a", 0) == every
    assert thresholds.of("a", 1) == Limits(0.1, 0.2)  # labels are those of the first output
    assert thresholds.of("b", 1) == Limits(5.0, 0.2)
    assert thresholds.of("c", 2) == Limits(0.1, 0.2, 0.5)
    gauge = Gauge(Thresholds(outputs={"b": Limits(atol=0.5)}), ("a", "b"))
    gauge.add(0, [FIRST, FIRST], [SECOND, FIRST], 3)
    assert [(gate.output, gate.passed) for gate in gauge.gates()] == [("b", True)]


@pytest.mark.parametrize(("share", "passed"), [(2 / 3, True), (0.67, False), (0.0, True)])
def test_agreement_is_the_share_of_equal_labels(share: float, passed: bool) -> None:
    first = np.eye(7, dtype="float32")[[0, 1, 2]]
    second = np.eye(7, dtype="float32")[[0, 1, 6]]
    gauge = Gauge(Thresholds(Limits(agreement=share)), ("y",))
    apart = gauge.add(0, [first], [second], 3)
    assert [value > 0 for value in apart] == [False, False, True]
    (gate,) = gauge.gates()
    assert gate.passed is passed
    assert gate.value == pytest.approx(2 / 3)
    assert gate.measured == "top 1 66.67%, top 5 66.67%; 1 differ"


def test_nan_beside_a_number_is_no_agreement() -> None:
    first = np.array([[1.0, 0.0], [np.nan, 0.0]])
    second = np.array([[1.0, 0.0], [1.0, 0.0]])
    (gate,) = gauged(Thresholds(Limits(agreement=0.6)), first, second).gates()
    assert (gate.value, gate.passed) == (0.5, False)


def test_agreement_of_what_has_no_labels_is_an_error() -> None:
    with pytest.raises(AssayError, match="agreement of y: expected scores, one row per instance"):
        gauged(Thresholds(Limits(agreement=0.6)), np.ones((3, 1)), np.ones((3, 1))).gates()


def test_metrics_of_two_targets_may_differ_by_so_much() -> None:
    thresholds = Thresholds(metrics={"accuracy": 0.02, "top5": 0.0, "mae": 0.1})
    one = TargetResult("a", {}, 0.9, 1.0, 0.5)
    two = TargetResult("b", {}, 0.87, 1.0, 0.55)
    gates = metric_gates(thresholds, one, two)
    assert [(gate.measure, gate.passed) for gate in gates] == [
        ("accuracy", False),
        ("top5", True),
        ("mae", True),
    ]
    assert str(gates[0]) == "accuracy within 2%, measured 90% and 87%, 3% apart"
    with pytest.raises(AssayError, match="--metric accuracy needs a classifier with labels"):
        metric_gates(thresholds, one, TargetResult("b"))


def result(
    second: np.ndarray, thresholds: Thresholds, ratio: float, found: Located | None
) -> PairResult:
    tally = Tally("regression")
    truth = truth_of("regression", {"a": [FIRST]}, None, 3)
    gauge = Gauge(thresholds, ("y",))
    gated = gauge.add(0, [FIRST], [second], 3)
    tally.add(0, (FIRST,), [FIRST], [second], truth, 3, lambda asked: ratio * asked, gated)
    opinion = pair_result(Rule(), ("a", "b"), tally, found)
    assert (not within(tally, gauge.gates())) == (tally.worst("gate").instance == 1)
    return decided(opinion, tally, gauge.gates())


def test_what_is_within_the_thresholds_is_consistent_and_what_rounding_is_not_is_said() -> None:
    inside = result(SECOND, Thresholds(Limits(atol=1.0)), 7.0, None)
    assert (inside.verdict, inside.category) == ("consistent", "")
    assert "within the thresholds, but beyond rounding, 7 times its bound" in inside.explanation
    explained = result(SECOND, Thresholds(Limits(atol=1.0)), 0.5, None)
    assert (explained.verdict, explained.explanation) == ("consistent", "")


@pytest.mark.parametrize(("ratio", "category"), [(7.0, "bug"), (0.5, "rounding")])
def test_what_is_beyond_a_threshold_is_inconsistent(ratio: float, category: str) -> None:
    beyond = result(SECOND, Thresholds(Limits(atol=0.5)), ratio, NOWHERE)
    assert (beyond.verdict, beyond.category) == ("inconsistent", category)
    assert beyond.explanation.startswith("beyond the thresholds: y: atol 0.5")
    assert beyond.worst == 1


def test_without_thresholds_nothing_changes() -> None:
    tally = Tally("regression")
    truth = truth_of("regression", {"a": [FIRST]}, None, 3)
    tally.add(0, (FIRST,), [FIRST], [SECOND], truth, 3, lambda asked: 9.0 * asked)
    opinion = pair_result(Rule(), ("a", "b"), tally, NOWHERE)
    assert decided(opinion, tally, ()) is opinion


def test_outputs_of_other_shapes_are_within_no_threshold() -> None:
    tally = Tally("regression")
    truth = truth_of("regression", {"a": [FIRST]}, None, 3)
    gauge = Gauge(Thresholds(outputs={"z": Limits(atol=9.0)}), ("y", "z"))
    outputs = [FIRST, FIRST], [FIRST[:, :1], FIRST]
    gated = gauge.add(0, *outputs, 3)
    tally.add(0, (FIRST,), *outputs, truth, 3, None, gated)
    found = decided(pair_result(Rule(), ("a", "b"), tally, NOWHERE), tally, gauge.gates())
    assert found.verdict == "inconsistent"
    assert "outputs differ in shape" in found.explanation


def test_thresholds_are_told_as_they_were_given() -> None:
    thresholds = Thresholds(
        Limits(1e-3, 1e-4, 0.995), {"logits": Limits(0.1)}, {"accuracy": 0.005, "mae": 0.01}
    )
    assert str(thresholds) == (
        "atol 0.001, rtol 0.0001, agreement 99.5%, logits atol 0.1, "
        "accuracy within 0.5%, mae within 0.01"
    )


def test_agreement_counts_instances_beside_an_output_without_them() -> None:
    scores = np.eye(7, dtype="float32")
    first, second = scores[[0, 1, 2]], scores[[0, 1, 6]]
    gauge = Gauge(Thresholds(outputs={"y": Limits(agreement=0.9)}), ("y", "mean"))
    apart = gauge.add(0, [first, first.mean()], [second, second.mean()], 3)
    assert [value > 0 for value in apart] == [False, False, True]
    (gate,) = gauge.gates()
    assert not gate.passed
    assert gate.measured == "top 1 66.67%, top 5 66.67%; 1 differ"


def test_an_output_without_instances_is_beyond_its_limit_for_all_of_them() -> None:
    gauge = Gauge(Thresholds(outputs={"z": Limits(atol=0.5)}), ("y", "z"))
    apart = gauge.add(0, [FIRST, np.array(1.0)], [FIRST, np.array(2.0)], 3)
    np.testing.assert_array_equal(apart, [2, 2, 2])
    (gate,) = gauge.gates()
    assert gate.measured == "|Δ| up to 1; 1 of 1 beyond, most at instance 0"


def test_whole_numbers_that_float64_does_not_hold_are_beyond() -> None:
    first = np.array([[2**60 + 1], [5], [5]])
    (gate,) = gauged(Thresholds(Limits(atol=0.0)), first, first + np.array([[1], [0], [0]])).gates()
    assert not gate.passed


@pytest.mark.parametrize("dtype", ["uint8", "bool"])
def test_scores_may_be_whole_numbers(dtype: str) -> None:
    first = np.eye(7, dtype=dtype)[[0, 1, 2]]
    (gate,) = gauged(Thresholds(Limits(agreement=1.0)), first, first).gates()
    assert gate.measured == "top 1 100%, top 5 100%; 0 differ"
