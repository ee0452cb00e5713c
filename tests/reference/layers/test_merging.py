"""Merging layers, on documented examples."""

import numpy as np
import pytest

from tests.reference.layers.calls import call


def test_dot_as_documented() -> None:
    x, y = np.zeros((2, 3, 5)), np.zeros((2, 10, 3))
    assert call("Dot", [x, y], axes=[1, 2]).shape == (2, 5, 10)
    cosine = call("Dot", [np.array([[3.0, 4.0]]), np.array([[4.0, 3.0]])], axes=1, normalize=True)
    assert cosine.item() == pytest.approx(0.96)
