"""Derivatives from balls against those that are known by hand."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judge.balls import NoFormula
from assay.judge.balls.derivatives import derivatives

_KNOWN: dict[str, Any] = {
    "exp": (math.exp, math.exp),
    "log": (lambda x: 1 / x, lambda x: -1 / x**2),
    "sin": (math.cos, lambda x: -math.sin(x)),
    "tanh": (
        lambda x: 1 / math.cosh(x) ** 2,
        lambda x: -2 * math.tanh(x) / math.cosh(x) ** 2,
    ),
    "square": (lambda x: 2 * x, lambda x: 2.0),
    "negative": (lambda x: -1.0, lambda x: 0.0),
}


@pytest.mark.parametrize("op", list(_KNOWN))
@given(x=st.floats(2.0**-100, 300.0))
def test_functions_of_one_number_have_the_known_derivatives(op: str, x: float) -> None:
    found = derivatives(f"keras.ops.{op}", [np.array([x])], format="float64")
    first, second = _KNOWN[op]
    assert found.first[0, 0] == pytest.approx(first(x), rel=1e-13)
    # Known as far as rounding of the number moves the slope by a part of a unit.
    part = abs(first(x)) / x / 8
    assert found.second[0, 0, 0] == pytest.approx(second(x), rel=1e-6, abs=part)


def test_functions_of_two_numbers_have_partial_derivatives() -> None:
    found = derivatives("keras.ops.hypot", [np.array([3.0]), np.array([4.0])])
    assert found.first[:, 0] == pytest.approx([0.6, 0.8], rel=1e-15)
    assert found.second[:, :, 0] == pytest.approx(np.array([[16, -12], [-12, 9]]) / 125)


def test_there_is_none_at_kinks_jumps_poles_ends_and_infinities() -> None:
    for op, number in (
        ("abs", 0.0),
        ("relu", 0.0),
        ("floor", 2.0),
        ("floor", -5.136851e207),
        ("sqrt", 0.0),
        ("reciprocal", 0.0),
        ("arcsin", 1.0),
        ("log", -1.0),
        ("exp", math.inf),
    ):
        found = derivatives(f"keras.ops.{op}", [np.array([number])], format="float64")
        assert math.isnan(found.first[0, 0]), (op, number)
    tied = derivatives("keras.ops.maximum", [np.array([3.0, 2.0]), np.array([3.0, 4.0])])
    assert np.isnan(tied.first[:, 0]).all()
    assert tied.first[:, 1].tolist() == [0.0, 1.0]


def test_a_flat_place_at_zero_is_no_kink() -> None:
    assert derivatives("keras.ops.cos", [np.zeros(1)]).first[0, 0] == 0.0
    assert derivatives("keras.ops.square", [np.zeros(1)]).first[0, 0] == 0.0
    assert derivatives("keras.ops.floor", [np.full(1, 0.5)]).first[0, 0] == 0.0


def test_saturated_functions_have_the_derivative_that_is_left() -> None:
    (found,) = derivatives("keras.ops.sigmoid", [np.array([40.0, 700.0])], format="float64").first
    assert found == pytest.approx([math.exp(-40), math.exp(-700)], rel=1e-14)


def test_what_hangs_on_several_elements_is_refused() -> None:
    with pytest.raises(NoFormula, match="no function of numbers by themselves"):
        derivatives("keras.ops.softmax", [np.ones((2, 3))])
