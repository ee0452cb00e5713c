"""``unstack`` in the reference."""

import numpy as np

from tests.reference.ops.calls import call


def test_unstack() -> None:
    parts = call("unstack", np.arange(6).reshape(2, 3), axis=1)
    assert [part.tolist() for part in parts] == [[0, 3], [1, 4], [2, 5]]
