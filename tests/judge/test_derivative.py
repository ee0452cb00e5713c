"""Where a function has a derivative, from its values beside the point."""

from collections.abc import Callable

import numpy as np
import pytest

from assay.ir import Array, Case, Dot, Explicit, Graph, Input, Node
from assay.judge import beside, smooth
from assay.judge.derivative import sides

WHERE = "gradient:input:x"
Function = Callable[[Array], Array]


def case_at(x: float, upstream: float = 1.0) -> Case:
    graph = Graph((Input("x", (1,)),), (Node("n", "keras.ops.sqrt", ("x",)),), ("n",))
    loss = Dot((Explicit(np.array([upstream], "float32")),))
    return Case(graph, {"x": Explicit(np.array([x], "float32"))}, loss=loss, stage="gradient")


def losses(function: Function, case: Case) -> list[Array]:
    """What the loss is beside the point, as a reference computes it."""
    found = []
    for item in beside(case, WHERE, (0,)):
        assert item.stage == "loss"
        assert isinstance(item.loss, Dot)
        upstream = item.loss.upstream[0].materialise((1,), "float32")
        found.append(np.sum(function(item.input_arrays()["x"].astype("float64")) * upstream))
    return found


@pytest.mark.parametrize("function", [np.sin, np.exp, np.sinc, np.square])
@pytest.mark.parametrize("x", [0.0, -1.5, 3.0])
def test_smooth_functions_have_one(function: Function, x: float) -> None:
    assert smooth(losses(function, case_at(x)))


@pytest.mark.parametrize("function", [np.abs, np.sign, np.cbrt, np.log, np.sqrt])
def test_kinks_jumps_and_poles_have_none(function: Function) -> None:
    with np.errstate(all="ignore"):
        assert not smooth(losses(function, case_at(0.0)))


def test_a_kink_is_seen_behind_an_upstream_gradient_of_zero() -> None:
    assert not smooth(losses(np.abs, case_at(0.0, upstream=0.0)))


def test_nothing_is_said_of_weights_and_of_losses_of_the_library() -> None:
    assert beside(case_at(1.0), "gradient:weight:n:0", (0,)) == ()


@pytest.mark.parametrize("x", [0.0, -1.5, 2e4, -3e38])
def test_the_sides_of_an_element_are_on_either_side_of_it(x: float) -> None:
    less, more = (item.input_arrays()["x"][0] for item in sides(case_at(x), WHERE, (0,)))
    assert less < np.float32(x) < more
    assert all(item.stage == "gradient" for item in sides(case_at(x), WHERE, (0,)))


def test_a_weight_has_no_sides() -> None:
    assert sides(case_at(1.0), "gradient:weight:n:0", (0,)) == ()
