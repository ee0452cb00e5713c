"""A formula that all libraries share: when it is unstable, and when its inputs are at the ends."""

import numpy as np
import pytest

from assay.ir import Case, Explicit, Graph, Input, Node
from assay.judge.unstable import at_the_ends


@pytest.mark.parametrize(
    ("dtype", "numbers", "beyond"),
    [
        ("float32", [1e18, 0.0], False),
        ("float32", [4096.0, np.inf], False),
        ("float32", [np.nan, 1e-18], False),
        ("float32", [2e19, 1.0], True),
        ("float32", [1e-20, 1.0], True),
        ("float16", [300.0, 1.0], True),
        ("float64", [2e19, 1.0], False),
        ("int32", [2_000_000_000, 1], False),
    ],
)
def test_numbers_without_a_square_are_at_the_ends(dtype, numbers, beyond) -> None:
    graph = Graph((Input("x", (2,), dtype),), (Node("n", "keras.ops.abs", ("x",)),), ("n",))
    case = Case(graph, {"x": Explicit(np.array(numbers, dtype))})
    assert at_the_ends(case) is beyond
