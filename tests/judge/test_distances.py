"""The distances of CRADLE, and the direct measures."""

import numpy as np
import pytest

from assay.judge import distances


def test_a_label_scores_by_its_rank() -> None:
    scores = np.array([[0.9, 0.5, 0.4, 0.3, 0.2, 0.1]] * 6)
    labels = np.arange(6)
    assert distances.ranks(scores, labels).tolist() == [1, 2, 3, 4, 5, 6]
    assert distances.class_scores(scores, labels).tolist() == [16, 8, 4, 2, 1, 0]


def test_equal_scores_are_ranked_by_position() -> None:
    scores = np.array([[0.5, 0.5, 0.0]] * 2)
    assert distances.ranks(scores, np.array([0, 1])).tolist() == [1, 2]


def test_class_distance_is_symmetric_and_at_most_16() -> None:
    right = np.array([[0.9, 0.05, 0.03, 0.01, 0.006, 0.004]])
    wrong = right[:, ::-1]
    label = np.array([0])
    assert distances.class_distance(right, wrong, label).tolist() == [16]
    assert distances.class_distance(wrong, right, label).tolist() == [16]


def test_mad_distance_of_the_paper() -> None:
    truth = np.array([[1.0, 0.0]])
    near, far = np.array([[0.9, 0.1]]), np.array([[0.7, 0.3]])
    assert distances.mad_distance(near, far, truth)[0] == pytest.approx((0.3 - 0.1) / (0.3 + 0.1))
    assert distances.mad_distance(truth, truth, truth).tolist() == [0.0]
    broken = np.array([[np.nan, 0.1]])
    assert distances.mad_distance(near, broken, truth).tolist() == [1.0]


def test_histograms_count_every_instance_in_both_parts() -> None:
    counts = distances.histogram(np.array([16.0, 15, 8, 3, 0.0]), np.array([0.0, 0.05, 0.5, 1, 1]))
    assert counts[:6].tolist() == [1, 2, 0, 1, 0, 1]
    assert counts[6:].sum() == 5
    assert counts[-1] == 2


def test_rounding_passes_the_screen_and_more_does_not() -> None:
    base = np.array([[1.0, 1e-7, 0.5]])
    assert not distances.measures(base, base * (1 + 1e-6)).exceeds.any()
    assert distances.measures(base, base * (1 + 1e-3)).exceeds.all()
    # A tiny element beside a large one may be off by what the large one rounds to.
    assert not distances.measures(base, base + np.array([[0, 1e-6, 0]])).exceeds.any()


def test_nan_equals_nan_and_nothing_else() -> None:
    row = np.array([[np.nan, 1.0]])
    assert not distances.measures(row, row).exceeds.any()
    found = distances.measures(row, np.array([[0.0, 1.0]]))
    assert found.exceeds.all()
    assert np.isinf(found.max_abs).all()


def test_probabilities_are_exact_to_a_few_units_of_the_largest() -> None:
    # A sigmoid's answers for three instances; the tiny one is flushed to zero by one runtime.
    one, two = np.array([[0.9], [0.2], [1e-8]]), np.array([[0.9], [0.2], [0.0]])
    floor = distances.probability_floor(one, two)
    assert 0 < floor < 1e-6
    assert not distances.measures(one, two, floor).exceeds.any()
    assert distances.measures(one, two + 1e-3, floor).exceeds.all()
    # Other numbers have no scale that all instances share.
    assert distances.probability_floor(one, two - 1.0) == 0.0
    assert distances.probability_floor(one * 1e-6, two * 1e-6) < 1e-12


def test_a_small_probability_is_as_exact_as_what_it_was_rounded_beside() -> None:
    # Sigmoid of -12.98: ONNX Runtime gives 78 * 2**-25, others the true value.
    one, two = np.array([[78 * 2.0**-25]]), np.array([[2.305987e-06]])
    assert not distances.measures(one, two, distances.probability_floor(one, two)).exceeds.any()
    assert distances.measures(one, 2 * two, distances.probability_floor(one, 2 * two)).exceeds.all()
    # What has bits of its own was rounded beside its own size.
    other = two * 1.01
    assert distances.measures(two, other, distances.probability_floor(two, other)).exceeds.all()
