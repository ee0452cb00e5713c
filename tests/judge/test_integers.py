"""Whole numbers beyond their format."""

from collections.abc import Sequence

import numpy as np
import pytest

from assay.ir import REFERENCE, Array, Case, Explicit, Graph, Input, Node, Trace
from assay.judge import Observed, oracles
from assay.judge.integers import does_not_fit
from tests.judge.observations import observed

NAMES = ("keras-tensorflow", "keras-jax", "keras-torch", REFERENCE)


def shown(x: Array, tensorflow: int) -> tuple[Observed, Case]:
    """The cubes of two integers, of which TensorFlow gives something else for the first."""
    case = Case(
        Graph((Input("x", x.shape, str(x.dtype)),), (Node("n", "keras.ops.cube", ("x",)),), ("n",)),
        {"x": Explicit(x)},
        stage="forward",
    )
    wrapped = (x.astype("int64") ** 3).astype(x.dtype)
    other = wrapped.copy()
    other[0] = tensorflow
    traces = [
        Trace(name, "ok", {"output:n": other if name == NAMES[0] else wrapped}, digest="inputs:")
        for name in NAMES
    ]
    return observed(*traces, case=case), case


def run(cases: Sequence[Case], target: str) -> Sequence[Trace]:
    """The reference, of numbers of any format, gives what the format of a result wraps."""
    return [Trace(target, "ok", {"output:n": item.input_arrays()["x"] ** 3.0}) for item in cases]


@pytest.mark.parametrize(
    ("number", "tensorflow", "excused"),
    [
        (2000, -(2**31), True),
        (2000, 2**31 - 1, True),
        (2000, 17, False),
        (1000, -(2**31), False),
    ],
)
def test_what_does_not_fit_is_wrapped_or_cut_off_and_nothing_else(
    number: int, tensorflow: int, excused: bool
) -> None:
    seen, _ = shown(np.array([number, 3], "int32"), tensorflow)
    (verdict,) = [item for oracle in oracles() for item in oracle.judge(seen)]
    found = does_not_fit(seen, verdict, run)
    assert (found is not None) == excused
    assert found is None or found.category == "rounding"


def test_infinity_as_an_integer_is_another_matter() -> None:
    seen, _ = shown(np.array([2000.0, 3.0], "float32"), -(2**31))
    (verdict,) = [item for oracle in oracles() for item in oracle.judge(seen)]
    assert does_not_fit(seen, verdict, run) is None
