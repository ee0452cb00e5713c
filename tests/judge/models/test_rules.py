"""A published rule goes by its metrics, each alone or together."""

import msgspec
import numpy as np
import pytest

from assay.errors import AssayError
from assay.ir.check import Located, PairResult, Suspect
from assay.judge.models.pairs import pair_result
from assay.judge.models.rules import PAPER, Rule
from assay.judge.models.tally import Tally, truth_of
from assay.judge.models.unique import pattern, unique

#: The label, 0, is first, second and last of six.
FIRST = [0.9, 0.05, 0.02, 0.01, 0.01, 0.01]
SECOND = [0.05, 0.9, 0.02, 0.01, 0.01, 0.01]
LAST = [0.0, 0.05, 0.9, 0.02, 0.02, 0.01]
UNOPENED = Located(None, None, None, complete=False)


def tally(rule: Rule, first: list[list[float]], second: list[list[float]]) -> Tally:
    one, two = np.array(first, "float32"), np.array(second, "float32")
    truth = truth_of("classification", {"a": [one]}, np.zeros(len(one), int), len(one))
    found = Tally("classification", rule.cutoffs)
    found.add(0, (one,), [one], [two], truth, len(one))
    return found


def test_each_metric_decides_alone_and_together() -> None:
    # What one side gains at an instance it loses at another: accuracies are equal.
    first, second = [FIRST, LAST, FIRST, FIRST], [LAST, FIRST, FIRST, FIRST]
    for metrics in ({"class": 8.0}, {"mad": 0.2}, {"accuracy": 0.0}, PAPER):
        rule = Rule("cradle", metrics=metrics)
        found = rule.exceeded(tally(rule, first, second))
        assert found == tuple(name for name in metrics if name != "accuracy")
    moved = [FIRST, FIRST, SECOND, FIRST]
    rule = Rule("cradle", metrics={"class": 8.0, "accuracy": 0.0})
    counted = tally(rule, [FIRST] * 4, moved)
    # 16 - 8 is not above 8; one of four first places is another.
    assert rule.exceeded(counted) == ("accuracy",)
    assert counted.accuracy_differences == (0.25, 0.0, 0.0, 0.0, 0.0)
    assert rule.worst(counted).instance == 2
    for other in (
        Rule("cradle", metrics={"accuracy": 0.0}, top_k=2),
        Rule("cradle", metrics={"accuracy": 0.25}),
    ):
        assert not other.suspicious(tally(other, [FIRST] * 4, moved))


def test_outputs_of_other_shapes_are_within_no_threshold() -> None:
    rule = Rule("cradle", metrics={"accuracy": 0.5, "class": 8.0})
    assert rule.exceeded(tally(rule, [FIRST], [FIRST[:5]])) == ("class", "accuracy")


def test_a_threshold_is_the_rules_own() -> None:
    strict = Rule("cradle", metrics={"class": 7.0})
    assert strict.exceeded(tally(strict, [FIRST], [SECOND])) == ("class",)
    half = Rule("cradle", percent=50.0, metrics={"class": 7.0})
    assert not half.suspicious(tally(half, [FIRST, FIRST], [SECOND, FIRST]))


def test_the_worst_instance_is_by_the_metric_that_decided() -> None:
    # By class distance the second is worst; only the first leaves the best two.
    first, second = [SECOND, FIRST], [LAST, SECOND]
    rule = Rule("cradle", metrics={"accuracy": 0.0}, top_k=2)
    counted = tally(rule, first, second)
    assert rule.exceeded(counted) == ("accuracy",)
    assert rule.worst(counted).instance == 0


def test_a_label_without_a_score_is_no_right_answer() -> None:
    rule = Rule("cradle", metrics={"class": 8.0, "accuracy": 0.0})
    counted = tally(rule, [FIRST], [[np.nan] * 6])
    assert counted.accuracy_differences == (1.0,) * 5
    assert rule.exceeded(counted) == ("class", "accuracy")


def test_the_rule_says_what_it_goes_by() -> None:
    assert str(Rule("cradle")) == "class distance 8, MAD distance 0.2"
    rule = Rule("cradle", 10.0, {"accuracy": 0.05}, 3)
    assert str(rule) == "top-3 accuracy 0.05, 10% of instances"
    assert str(Rule()) == ""


def test_a_regression_has_no_classes() -> None:
    Rule("cradle").check_task("regression")
    Rule().check_task("regression")
    Rule("cradle", metrics={"class": 8.0}).check_task("classification")
    with pytest.raises(AssayError, match=r"--metric class,accuracy is for classifiers"):
        Rule("cradle", metrics={"class": 8.0, "accuracy": 0.0}).check_task("regression")


def inconsistent(names: tuple[str, str], second: list[list[float]], blamed: str = "") -> PairResult:
    rule = Rule("cradle", metrics={"class": 7.0})
    found = pair_result(rule, names, tally(rule, [FIRST] * len(second), second), UNOPENED)
    suspect = Suspect(f"layer of {names}", "op", 1.0, blamed=(blamed,) if blamed else ())
    return msgspec.structs.replace(found, suspect=suspect)


def test_pairs_of_one_pattern_are_one_inconsistency_unless_others_are_blamed() -> None:
    pairs = [
        inconsistent(("a", "b"), [LAST, FIRST]),
        inconsistent(("a", "c"), [FIRST, LAST], "c"),
        inconsistent(("b", "c"), [LAST, LAST]),
        inconsistent(("d", "e"), [LAST, FIRST], "e"),
    ]
    assert [pattern(pair)[0] for pair in pairs] == [1, 1, 2, 1]
    found = unique(pairs, ())
    assert [item.pairs for item in found] == [
        (("a", "b"), ("a", "c")),
        (("b", "c"),),
        (("d", "e"),),
    ]
    assert found[1].pattern == (2, 0, 0, 0, 0, 0)
