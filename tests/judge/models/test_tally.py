"""Two targets over all batches: what is counted, and what cannot be compared."""

import numpy as np
import pytest

from assay.errors import AssayError
from assay.judge.models.tally import Tally, truth_of

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
