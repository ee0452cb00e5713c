"""Finite differences: right where they claim, silent where they cannot know."""

from typing import Any

import numpy as np
import pytest

from assay_worker.libraries.reference import (
    MAX_GRADIENT_ELEMENTS,
    SAMPLED_ELEMENTS,
    ReferenceAdapter,
)
from assay_worker.reference.differences import gradient
from tests.reference.cases import case


def of(function: Any, *values: float) -> tuple[list[float], list[bool]]:
    array = np.array(values, "float64")
    with np.errstate(all="ignore"):
        found, undecided = gradient(lambda: float(np.sum(function(array))), array)
    np.testing.assert_array_equal(array, values)
    return found.tolist(), undecided.tolist()


@pytest.mark.parametrize(
    ("function", "derivative", "points"),
    [
        (np.sin, np.cos, (0.0, 1.0, -2.5)),
        (np.exp, np.exp, (0.0, -20.0, 12.0)),
        (np.log, lambda x: 1 / x, (1e-7, 1e-3, 0.02, 1.0, 1e8)),
        (np.sqrt, lambda x: 0.5 / np.sqrt(x), (1e-4, 1.0, 1e10)),
        (np.tanh, lambda x: 1 - np.tanh(x) ** 2, (0.0, 0.5, 3.0)),
        # Only the second derivative jumps at 0: the first is 1.
        (
            lambda x: np.where(x > 0, x, np.expm1(x)),
            lambda x: np.minimum(np.exp(x), 1),
            (0.0, -1.0),
        ),
        # A kink nearby is no kink here.
        (np.abs, np.sign, (1e-5, -3e-4, 2.0)),
    ],
)
def test_smooth_points_have_their_derivative(function: Any, derivative: Any, points: Any) -> None:
    for point in points:
        found, undecided = of(function, point)
        assert undecided == [False], point
        np.testing.assert_allclose(found, derivative(np.array([point])), rtol=2e-6)


@pytest.mark.parametrize(
    ("function", "point"),
    [
        (np.abs, 0.0),
        (lambda x: np.maximum(x, 1.0), 1.0),
        (np.floor, 2.0),
        (np.sqrt, 0.0),
        (np.log, 0.0),
        (lambda x: x, float("nan")),
        (lambda x: x, float("inf")),
        # Steeper than any step can see: x / max(|x|, 1e-12).
        (lambda x: x / np.maximum(np.abs(x), 1e-12), 0.0),
        # The answer drowns in rounding.
        (lambda x: x + 1e30, 1.0),
    ],
)
def test_kinks_and_special_values_are_undecided(function: Any, point: float) -> None:
    found, undecided = of(function, point)
    assert (found, undecided) == ([0.0], [True])


def test_only_the_elements_at_a_tie_are_undecided() -> None:
    found, undecided = of(lambda x: np.max(x), 1.0, 3.0, 3.0)
    assert undecided == [False, True, True]
    assert found[0] == 0.0


def test_gradients_are_recorded_with_where_they_are_undecided() -> None:
    question = case("keras.activations.relu", (3,), stage="gradient", values=[[-1.0, 0.0, 2.0]])
    (result,) = ReferenceAdapter("", "eager").execute(question)
    arrays = result["arrays"]
    assert arrays["undecided:gradient:input:x0"].tolist() == [False, True, False]
    assert arrays["gradient:input:x0"][0] == 0.0
    assert arrays["gradient:input:x0"][2] != 0.0


def test_of_too_many_elements_a_sample_is_decided() -> None:
    size = MAX_GRADIENT_ELEMENTS + 1
    question = case("keras.ops.exp", (size,), stage="gradient")
    (result,) = ReferenceAdapter("", "eager").execute(question)
    decided = ~result["arrays"]["undecided:gradient:input:x0"]
    assert int(decided.sum()) == SAMPLED_ELEMENTS
    assert (result["arrays"]["gradient:input:x0"][decided] != 0).all()
    assert (result["arrays"]["gradient:input:x0"][~decided] == 0).all()


def test_elements_that_move_nothing_are_not_sampled() -> None:
    """A gradient of zero is no evidence for anyone."""
    weights = np.zeros(1000)
    weights[::50] = 1.0
    array = np.ones(1000)
    result, undecided = gradient(lambda: float(array @ weights), array, most=20)
    decided = ~undecided
    assert decided.sum() == 20
    assert (result[decided] != 0).sum() > 1
    assert (array == 1.0).all()


def test_every_array_has_its_share_of_the_sample() -> None:
    question = case("keras.ops.multiply", [(300,), (3, 300)], stage="gradient")
    (result,) = ReferenceAdapter("", "eager").execute(question)
    decided = [int((~result["arrays"][f"undecided:gradient:input:x{i}"]).sum()) for i in (0, 1)]
    assert min(decided) >= 2
    assert sum(decided) <= SAMPLED_ELEMENTS


def test_integer_outputs_have_no_gradient() -> None:
    question = case("keras.ops.add", [(2,), (2,)], stage="gradient", dtype="int32")
    (result,) = ReferenceAdapter("", "eager").execute(question)
    assert result["status"] == "ok"
    assert not any("gradient" in name for name in result["arrays"])
