"""Condition numbers against those that are known by hand."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judge.balls import condition, conditions

_KNOWN: dict[str, Any] = {
    "exp": abs,
    "log": lambda x: abs(1 / math.log(x)),
    "sqrt": lambda x: 0.5,
    "sin": lambda x: abs(x / math.tan(x)),
    "square": lambda x: 2.0,
    "log1p": lambda x: abs(x / ((1 + x) * math.log1p(x))),
    "tanh": lambda x: 2 * abs(x) / math.sinh(2 * abs(x)),
    "sigmoid": lambda x: x / (1 + math.exp(x)),
}


@pytest.mark.parametrize("op", list(_KNOWN))
@given(x=st.floats(2.0**-20, 300.0).filter(lambda x: abs(x - 1) > 1e-3))
def test_functions_of_one_number_have_the_known_condition(op: str, x: float) -> None:
    found = float(conditions(f"keras.ops.{op}", [np.array([x])])[0])
    assert found == pytest.approx(_KNOWN[op](x), rel=1e-3, abs=1e-300)


def test_conditions_have_the_shape_of_the_result() -> None:
    found = conditions("keras.ops.multiply", [np.ones((3, 1)), np.full(4, 2.0)])
    assert found.shape == (3, 4)
    assert found == pytest.approx(2.0)


def test_cancellation_is_ill_conditioned() -> None:
    found = conditions("keras.ops.subtract", [np.array([1.0]), np.array([1.0 + 2.0**-40])])
    assert found[0] == pytest.approx(2.0**41, rel=1e-3)


def test_special_points() -> None:
    found = conditions("keras.ops.log", [np.array([1.0, 0.0, -1.0, math.inf, math.nan])])
    assert found[0] == math.inf
    assert np.isnan(found[1:]).all()
    # At a kink the steeper side counts; beside it nothing moves.
    assert list(conditions("keras.ops.hard_tanh", [np.array([1.0, 3.0])])) == [1.0, 0.0]
    # At the edge of a domain there is one side.
    assert conditions("keras.ops.arcsin", [np.array([1.0])])[0] > 2.0**70
    # No relative error moves zero.
    assert list(conditions("keras.ops.sin", [np.array([0.0])])) == [0.0]


def test_one_element_of_a_call_on_arrays() -> None:
    x = np.array([1.0, 1e8, -1e8 + 1.0])
    found = condition("keras.ops.sum", [x])
    assert found == pytest.approx((np.abs(x) / abs(x.sum())).sum(), rel=1e-3)
    matrix = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = condition("keras.ops.matmul", [matrix, np.array([1.0, -0.5])], position=(1,))
    assert found == pytest.approx(2 * (3 + 2) / 1.0, rel=1e-3)
    found = condition("keras.ops.exp", [x[:2]], position=(0,))
    assert found == pytest.approx(1.0, rel=1e-3)
    found = condition("keras.layers.Add", [[np.ones(2), np.ones(2)]], position=(1,))
    assert found == pytest.approx(1.0, rel=1e-3)


def test_outputs_and_weights_are_told_apart() -> None:
    x = np.array([1.0, 2.0, 4.0])
    mean = condition("keras.ops.moments", [x], {"axes": 0}, output=0)
    spread = condition("keras.ops.moments", [x], {"axes": 0}, output=1)
    assert mean == pytest.approx(1.0, rel=1e-3)
    assert spread > mean
    weights = {"kernel": np.ones((3, 1)), "bias": np.zeros(1)}
    found = condition(
        "keras.layers.Dense", [x[None]], {"units": 1}, position=(0, 0), weights=weights
    )
    assert found == pytest.approx(1.0, rel=1e-3)


def test_elementwise_is_asked_for_without_a_position() -> None:
    with pytest.raises(ValueError, match=r"keras\.ops\.sum is not elementwise"):
        conditions("keras.ops.sum", [np.ones(2)])
