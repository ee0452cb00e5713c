"""The ball around the inputs of a case."""

import numpy as np

from assay.ir.transform import ball_of
from tests.factories import case_of


def test_zeros_stay_and_keep_their_sign() -> None:
    around = ball_of(case_of(np.array([-0.0, 0.0, 1.0], "float32")), 1)
    assert around is not None
    moved = [case.input_arrays()["x0"] for case in (*around.up, *around.down)]
    assert all(np.signbit(array).tolist() == [True, False, False] for array in moved)
    assert any(array[2] != 1.0 for array in moved)
