"""The admissible set of one element of a gradient, with functions in place of libraries."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from assay.ir import REFERENCE, Array, Case, Dot, Explicit, Graph, Input, Node, Trace
from assay.judge.admissible import Region
from assay.judge.derivative import derivative_region
from tests.judge.observations import observed

WHERE = "gradient:input:x"
Function = Callable[[Array], Array]


def around(
    op: str,
    function: Function,
    x: Sequence[float],
    upstream: Sequence[float],
    gradient: Sequence[float],
    dtype: str = "float32",
) -> Region | None:
    """The set around the first element of a gradient that the reference gives."""
    given = np.array(x, dtype)
    graph = Graph((Input("x", given.shape, dtype),), (Node("n", op, ("x",)),), ("n",))
    loss = Dot((Explicit(np.array(upstream, "float32")),))
    case = Case(graph, {"x": Explicit(given)}, loss=loss, stage="gradient")

    def run(cases: Sequence[Case], target: str) -> Sequence[Trace]:
        arrays = [np.asarray(function(item.input_arrays()["x"])) for item in cases]
        return [Trace(target, "ok", {"output:n": array}) for array in arrays]

    arrays = {"output:n": function(given.astype("float64")), WHERE: np.array(gradient)}
    seen = observed(
        Trace(REFERENCE, "ok", arrays),
        Trace("keras-torch", "ok", {WHERE: np.array(gradient, dtype)}),
        case=case,
    )
    return derivative_region(seen, WHERE, (0,), op, run)


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def slope(x: float) -> float:
    return float(np.exp(-x) / (1 + np.exp(-x)) ** 2)


def outside(found: Region | None, *answer: float, dtype: str = "float32") -> bool:
    assert found is not None
    return bool(found.outside(np.array(answer, dtype))[0])


def test_a_slope_from_a_rounded_result_is_outside_where_the_function_is_well_conditioned() -> None:
    x = 13.1
    y = np.float32(sigmoid(np.array(x)))
    unstable = float(y * (np.float32(1) - y))
    assert abs(unstable / slope(x) - 1) > 1e-3
    found = around("keras.activations.sigmoid", sigmoid, [x], [1.0], [slope(x)])
    assert outside(found, unstable)
    assert not outside(found, slope(x) * (1 + 2e-6))


def test_upstream_gradients_that_cancel_out_leave_rounding() -> None:
    """0.3 * 1e4 - 0.1 * 3e4 + 2e-5: what is left is less than the last place of either."""

    def sums(x: Array) -> Array:
        return np.array([0.3 * x[0], 0.1 * x[0], x[0]])

    upstream = np.array([1e4, -3e4, 2e-5], "float32").astype("float64")
    true = float(upstream @ np.array([0.3, 0.1, 1.0]))
    found = around("keras.ops.matmul", sums, [1.0], list(upstream), [true])
    assert not outside(found, true + 3e-4)
    assert outside(found, true + 1.0)


def test_what_computes_nothing_sums_upstream_gradients_all_the_same() -> None:
    found = around("keras.ops.repeat", lambda x: np.repeat(x, 3), [2.0], [0.1, 0.2, 0.3], [0.6])
    assert not outside(found, 0.6000001)
    assert outside(found, 0.5)


def test_zero_is_outside_where_half_precision_holds_the_slope() -> None:
    found = around("keras.ops.ldexp", lambda x: x * 2.0**-12, [1.5], [1.0], [2.0**-12], "float16")
    assert outside(found, 0.0, dtype="float16")
    assert not outside(found, 2.0**-12, dtype="float16")


def test_nothing_is_said_where_no_step_gives_the_derivative() -> None:
    assert around("keras.ops.abs", np.abs, [0.0], [1.0], [0.5]) is None


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e4])
def test_numbers_of_any_size_have_a_set(size: float) -> None:
    found = around("keras.ops.square", np.square, [size], [1.0], [2 * size])
    assert not outside(found, 2 * size)
    assert outside(found, 2.01 * size)


def test_only_the_disputed_element_is_judged() -> None:
    found = around("keras.ops.square", np.square, [1.0, 2.0], [1.0, 1.0], [2.0, 4.0])
    assert found is not None
    answer = np.array([2.5, 40.0], "float32")
    assert found.outside(answer).tolist() == [True, False]
    assert found.shown(answer, WHERE).position == (0,)
