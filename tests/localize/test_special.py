"""What is special about the elements that are wrong."""

import warnings

import numpy as np
import pytest

from assay.ir import Array
from assay.localize.special import special_values


def floats(*values: float) -> Array:
    return np.array(values, "float32")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "at 0"),
        (float("nan"), "of NaN"),
        (float("-inf"), "of infinity"),
        (1e30, "of huge numbers"),
        (-2.0, "of negative numbers"),
    ],
)
def test_one_argument(value: float, said: str) -> None:
    given = floats(1, value, 2, value)
    wrong, right = floats(1, 5, 2, 5), floats(1, 6, 2, 6)
    assert special_values(wrong, right, [given]) == said


def test_several_arguments() -> None:
    wrong, right = floats(5, 1, 1), floats(6, 1, 1)
    assert special_values(wrong, right, [floats(0, 0, 3), floats(0, 2, 0)]).endswith("are 0")
    assert special_values(wrong, right, [floats(3, 0, 3), floats(3, 2, 0)]).endswith("equal")
    assert special_values(wrong, right, [floats(0, 1, 3), floats(3, 2, 1)]).endswith("is 0")


def test_nothing_is_said_without_evidence() -> None:
    wrong, right = floats(5, 5), floats(6, 6)
    assert special_values(wrong, right, [floats(0, 0)]) == ""  # of zeros only
    assert special_values(wrong, right, [floats(0, 1)]) == ""  # not only of zeros
    assert special_values(wrong, wrong, [floats(0, 1)]) == ""
    assert special_values(wrong, right, [floats(0)]) == ""  # no element of its own
    assert special_values(wrong, floats(6), [floats(0, 1)]) == ""


def test_half_precision_is_looked_at_without_a_warning() -> None:
    inputs = np.array([6e4, 1.0, 2.0], "float16")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert special_values(inputs + np.float16(1), inputs, [inputs]) == ""
