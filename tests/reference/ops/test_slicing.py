"""Slices and scatters in the reference."""

import numpy as np
import pytest

from tests.reference.ops.calls import call


def test_slices() -> None:
    x = np.arange(25).reshape(5, 5)
    assert np.array_equal(call("slice", x, start_indices=(3, 3), shape=(2, 2)), x[3:, 3:])
    found = call("slice_update", x, start_indices=(3, 3), updates=np.ones((2, 2), int))
    assert found[3:, 3:].tolist() == [[1, 1], [1, 1]]
    assert np.array_equal(found[:3], x[:3])
    with pytest.raises(ValueError, match="part"):
        call("slice", x, start_indices=(4, 4), shape=(2, 2))


def test_scatters_as_documented() -> None:
    found = call("scatter", [[0, 1], [1, 1]], np.array([1.0, 1.0]), shape=(2, 2))
    assert found.tolist() == [[0, 1], [0, 1]]
    zeros, indices, ones = np.zeros(4), [[0], [0], [1]], np.array([1.0, 2.0, 3.0])
    assert call("scatter_update", zeros, indices, ones, reduction="add").tolist() == [3, 3, 0, 0]
    assert call("scatter_update", zeros, indices, ones).tolist() == [2, 3, 0, 0]
    rows = call("scatter_update", np.zeros((2, 3)), [[1]], [[1.0, 2.0, 3.0]])
    assert rows.tolist() == [[0, 0, 0], [1, 2, 3]]


def test_values_that_do_not_fit_their_places_are_refused_whatever_these_are() -> None:
    values, twice = np.ones((3, 4, 4)), [[1], [1], [1]]
    with pytest.raises(ValueError, match="values of shape"):
        call("scatter", twice, values, shape=(4, 4))
