"""Casts, slices and scatters: documented examples."""

import numpy as np
import pytest

from assay_worker.reference import Unsupported
from tests.reference.calls import call


def test_saturate_cast_as_documented() -> None:
    found = call("saturate_cast", [-22.5, 52.5, 276.3, np.inf], dtype="uint8")
    assert found.dtype == np.uint8
    assert found.tolist() == [0, 52, 255, 255]
    assert call("cast", [-1.7, 0.0, 1.7], dtype="int32").tolist() == [-1, 0, 1]
    assert call("cast", [0.0, -0.5], dtype="bool").tolist() == [False, True]
    with pytest.raises(Unsupported):
        call("cast", [300.0], dtype="uint8")


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


def test_rearrange_as_documented() -> None:
    images = np.arange(2 * 4 * 6 * 3).reshape(2, 4, 6, 3)
    assert np.array_equal(
        call("rearrange", images, pattern="b h w c -> b c h w"), images.transpose(0, 3, 1, 2)
    )
    found = call("rearrange", images, pattern="b h w c -> h (b w) c")
    assert np.array_equal(found[:, 6:], images[1])
    found = call("rearrange", images, pattern="b (h f) w c -> b h w (c f)", f=2)
    assert found.shape == (2, 2, 6, 6)
    assert found[0, 1, 2, :2].tolist() == [images[0, 2, 2, 0], images[0, 3, 2, 0]]


def test_unstack() -> None:
    parts = call("unstack", np.arange(6).reshape(2, 3), axis=1)
    assert [part.tolist() for part in parts] == [[0, 3], [1, 4], [2, 5]]
