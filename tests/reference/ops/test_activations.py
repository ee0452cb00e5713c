"""Activations of ``keras.ops`` in the reference."""

import numpy as np

from tests.reference.ops.calls import call


def test_glu_splits_in_halves() -> None:
    assert np.allclose(call("glu", [-1.0, 0.0, 1.0, 1.0]), [-0.73105858, 0.0])
