"""What a model's layers give is moved by a unit in the last place, unless it is exact."""

import numpy as np
import pytest

from assay_worker.models._base import directions, moved


@pytest.mark.parametrize(
    "array",
    [
        np.array([0.0, 3.0, 7.0], "float32"),
        np.array([3.0, np.nan, np.inf], "float32"),
        np.array([1, 2]),
        np.zeros((0,), "float32"),
        np.array([100.0, 1000.0], "float16"),
    ],
    ids=["ids", "specials", "integers", "empty", "half"],
)
def test_whole_numbers_stay(array: np.ndarray) -> None:
    np.testing.assert_array_equal(moved(array, directions(1), 16.0), array)


def test_fractions_move_and_zeros_stay() -> None:
    array = np.array([0.0, 0.5, 3.0], "float32")
    found = moved(array, directions(1), 1.0)
    assert found[0] == 0
    assert (found[1:] != array[1:]).all()
    np.testing.assert_allclose(found, array, rtol=3e-7)


def test_numbers_too_large_for_fractions_move() -> None:
    array = np.array([2.0**24, 2.0**30], "float32")
    assert (moved(array, directions(1), 1.0) != array).all()
    coarse = np.array([256.0, 3.0], "float32")  # bfloat16 has no fractions from 128 on
    assert (moved(coarse, directions(1), 1.0, 2.0**-7) != coarse).all()
