"""Two targets over all batches: what is counted, and what cannot be compared."""

import numpy as np
import pytest

from assay.errors import AssayError
from assay.judge.models.tally import Tally, Task, task_of, truth_of

SCORES = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]], "float32")


def test_a_label_that_no_class_has_is_refused() -> None:
    with pytest.raises(AssayError, match=r"labels go from 0 to 2; received y = 3\."):
        truth_of("classification", {"a": [SCORES]}, np.array([0, 3]), 2)


def test_outputs_of_other_shapes_are_said_and_never_near() -> None:
    outputs = {"a": [SCORES], "b": [SCORES, np.array(2)]}
    truth = truth_of("classification", outputs, None, 2)
    tally = Tally("classification")
    tally.add(0, (SCORES,), outputs["a"], outputs["b"], truth, 2)
    assert tally.shapes == "2×3 and 2×3, a scalar"
    assert tally.exceeding == 2


def test_the_worst_instance_and_flips_are_found_across_batches() -> None:
    tally = Tally("classification")
    other = SCORES.copy()
    other[1] = [0.1, 0.3, 0.6]
    for start, second in ((0, SCORES), (2, other)):
        truth = truth_of("classification", {"a": [SCORES]}, None, 2)
        tally.add(start, (SCORES,), [SCORES], [second], truth, 2)
    assert (tally.instances, tally.flips) == (4, 1)
    worst = tally.worst()
    assert (worst.instance, worst.labels, worst.count, worst.known) == (3, (1, 2, 1), 1, None)
    np.testing.assert_array_equal(worst.inputs[0], SCORES[1:])


def test_the_worst_instance_keeps_the_truth_that_was_given() -> None:
    tally = Tally("classification")
    other = SCORES[::-1]
    truth = truth_of("classification", {"a": [SCORES]}, np.array([0, 2]), 2)
    tally.add(0, (SCORES,), [SCORES], [other], truth, 2)
    worst = tally.worst()
    assert worst.known is not None
    assert worst.known.tolist() == [[0, 2][worst.instance]]


def test_outputs_without_elements_are_nothing_to_compare() -> None:
    empty = np.zeros((2, 0), "float32")
    truth = truth_of("regression", {"a": [empty], "b": [empty]}, None, 2)
    tally = Tally("regression")
    tally.add(0, (SCORES,), [empty], [empty], truth, 2)
    assert (tally.instances, tally.comparable, tally.exceeding) == (2, 0, 0)
    assert tally.max_abs == 0.0
    tally = Tally("regression")
    tally.add(0, (SCORES,), [empty], [SCORES], truth, 2)
    assert tally.shapes == "2×0 and 2×3"


SCALAR = np.array(0.5, "float32")


def added(first: list[np.ndarray], second: list[np.ndarray], task: Task = "regression") -> Tally:
    count = len(first[0])
    tally = Tally(task)
    truth = truth_of(task, {"a": first}, None, count)
    tally.add(0, (first[0],), first, second, truth, count)
    return tally


def test_an_output_without_instances_leaves_those_of_the_others_counted() -> None:
    tally = added([SCORES, SCALAR], [SCORES[:, ::-1], SCALAR], "classification")
    assert (tally.instances, tally.agreeing, tally.flips) == (2, 1, 1)
    worst = tally.worst()
    # The scalar is of the whole batch: one instance alone would give another.
    assert (worst.instance, worst.labels[:2], worst.count) == (0, (0, 2), 2)
    np.testing.assert_array_equal(worst.inputs[0], SCORES)


def test_an_output_without_instances_is_compared_for_all_of_them() -> None:
    tally = added([SCORES, SCALAR], [SCORES, SCALAR * 2], "classification")
    assert (tally.instances, tally.flips, tally.exceeding) == (2, 0, 2)
    assert tally.max_abs == 0.5


def test_an_output_with_instances_is_never_like_one_without() -> None:
    tally = added([SCORES, np.zeros(2)], [SCORES, np.array(0.0)], "classification")
    assert tally.shapes == "2×3, 2 and 2×3, a scalar"


def test_whole_numbers_that_float64_does_not_hold_differ() -> None:
    first = np.array([[2**60 + 1], [5]])
    tally = added([first], [first + np.array([[1], [0]])])
    assert (tally.exceeding, tally.max_abs) == (1, 1.0)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_not_finite_does_not_make_a_classifier_a_regression(wrong: float) -> None:
    scores = SCORES.copy()
    scores[0, 1] = wrong
    assert task_of([scores], 2, None) == "classification"
    assert task_of([scores * 2], 2, None) == "regression"
    scores[1] = wrong
    assert task_of([scores], 2, None) is None
    assert task_of([scores], 2, np.array([0, 1])) == "classification"


def test_a_tally_goes_on_as_of_a_classifier_once_scores_tell() -> None:
    strange = np.full((2, 3), np.nan)
    tally = added([strange], [strange])
    tally.classify()
    truth = truth_of("classification", {"a": [SCORES]}, None, 2)
    tally.add(2, (SCORES,), [SCORES], [SCORES[:, ::-1]], truth, 2)
    assert (tally.instances, tally.flips) == (4, 1)
    assert tally.histogram is not None
    assert tally.histogram[:6].sum() == tally.histogram[6:].sum() == 4
