"""Casts and views in the reference."""

import numpy as np
import pytest

from assay_worker.reference import Unsupported
from tests.reference.ops.calls import call


def test_saturate_cast_as_documented() -> None:
    found = call("saturate_cast", [-22.5, 52.5, 276.3, np.inf], dtype="uint8")
    assert found.dtype == np.uint8
    assert found.tolist() == [0, 52, 255, 255]
    assert call("cast", [-1.7, 0.0, 1.7], dtype="int32").tolist() == [-1, 0, 1]
    assert call("cast", [0.0, -0.5], dtype="bool").tolist() == [False, True]
    with pytest.raises(Unsupported):
        call("cast", [300.0], dtype="uint8")


def test_complex_views_are_inverses() -> None:
    pairs = np.array([[1.0, 2.0], [np.inf, -0.0]])
    numbers = call("view_as_complex", pairs)
    assert numbers[0] == 1 + 2j
    assert np.array_equal(call("view_as_real", numbers), pairs)
    assert np.allclose(call("polar", [2.0], [np.pi / 2]), [2j])
