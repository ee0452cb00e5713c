"""The ball around the inputs of a case."""

import numpy as np

from assay.ir import Case, Explicit, Graph, Input, Node
from assay.ir.transform import ball_of
from tests.factories import case_of


def test_zeros_stay_and_keep_their_sign() -> None:
    around = ball_of(case_of(np.array([-0.0, 0.0, 1.0], "float32")), 1)
    assert around is not None
    moved = [case.input_arrays()["x0"] for case in (*around.up, *around.down)]
    assert all(np.signbit(array).tolist() == [True, False, False] for array in moved)
    assert any(array[2] != 1.0 for array in moved)


def test_numbers_and_what_is_subtracted_from_them_never_move_together() -> None:
    node = Node("n", "keras.ops.batch_normalization", ("x", "mean"))
    graph = Graph((Input("x", (40, 3)), Input("mean", (3,))), (node,), ("n",))
    arrays = {"x": np.full((40, 3), 4097.0, "float32"), "mean": np.full(3, 4097.0, "float32")}
    case = Case(graph, {name: Explicit(array) for name, array in arrays.items()})
    around = ball_of(case, 1)
    assert around is not None
    for moved in around.up:
        changed = [name for name in arrays if (moved.input_arrays()[name] != arrays[name]).any()]
        assert len(changed) == 1
