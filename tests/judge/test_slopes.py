"""Slopes on either side of an element, and what may stand in for a derivative."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from assay.ir import REFERENCE, Array, Case, Constant, Dot, Explicit, Graph, Input, Node, Trace
from assay.judge.slopes import FINE, Slopes, sides, slopes, slopes_of, slopes_together, stepped
from tests.judge.observations import observed

WHERE = "gradient:input:x"


def at_zero(function: object) -> Slopes:
    points = [0.0, *(-step for step in FINE), *FINE]
    with np.errstate(all="ignore"):
        losses = [np.float64(function(np.float64(x))) for x in points]  # type: ignore[operator]
    return slopes_of(losses, FINE)


def test_a_smooth_function_has_one_slope() -> None:
    found = at_zero(np.sin)
    assert found.exist
    assert found.smooth()
    assert found.right == pytest.approx(1.0, rel=1e-3)


def test_at_a_kink_every_number_between_will_do_and_nan_will_not() -> None:
    found = at_zero(np.abs)
    assert found.exist
    assert not found.smooth()
    assert [found.between(value) for value in (-1.0, 0.0, 1.0)] == [True] * 3
    assert not found.between(1.5)
    assert not found.between(np.nan)


@pytest.mark.parametrize("function", [np.sqrt, np.cbrt, np.sign])
def test_where_it_grows_too_steep_or_jumps_there_is_none(function: object) -> None:
    assert not at_zero(function).exist


def test_at_the_edge_of_its_domain_one_slope_is_enough() -> None:
    found = at_zero(lambda x: x**1.5)
    assert found.exist
    assert found.edge


def test_a_guard_against_zero_makes_a_steep_slope_and_no_jump() -> None:
    found = at_zero(lambda x: x / max(abs(x), 1e-7))
    assert found.exist
    assert found.right == pytest.approx(1e7, rel=1e-3)


def test_a_guard_may_be_smaller_than_what_usual_steps_see() -> None:
    def guarded(x: Array) -> Array:
        return np.asarray(x / np.maximum(np.abs(x), 1e-12))

    found = by_reference(guarded, 0.0)
    assert found is not None
    assert found.right == pytest.approx(1e12, rel=1e-3)
    for steep in (np.sqrt, np.cbrt, np.sign):
        found = by_reference(steep, 0.0)
        assert found is not None
        assert not found.exist


def by_reference(function: Callable[[Array], Array], x: float) -> Slopes | None:
    """The slopes that the reference's values have."""
    case = case_at(x)

    def run(cases: Sequence[Case], target: str) -> list[Trace]:
        with np.errstate(all="ignore"):
            values = [function(item.input_arrays()["x"].astype("float64")) for item in cases]
        return [Trace(target, "ok", {"loss": np.asarray(np.sum(value))}) for value in values]

    seen = observed(*(Trace(name, "ok", {}) for name in ("keras-torch", REFERENCE)), case=case)
    return slopes(seen, WHERE, (0,), REFERENCE, run)


def case_at(x: float, upstream: float = 1.0) -> Case:
    graph = Graph((Input("x", (1,)),), (Node("n", "keras.ops.sqrt", ("x",)),), ("n",))
    loss = Dot((Explicit(np.array([upstream], "float32")),))
    return Case(graph, {"x": Explicit(np.array([x], "float32"))}, loss=loss, stage="gradient")


def test_a_kink_is_seen_behind_an_upstream_gradient_of_zero() -> None:
    case = stepped(case_at(0.0, upstream=0.0), WHERE, (0,), FINE, True)[0]
    assert isinstance(case.loss, Dot)
    assert case.loss.upstream[0].materialise((1,), "float32").tolist() == [1.0]
    assert case.graph.inputs[0].dtype == "float64"


def test_nothing_is_said_of_weights() -> None:
    assert stepped(case_at(1.0), "gradient:weight:n:0", (0,), FINE, True) == ()
    assert sides(case_at(1.0), "gradient:weight:n:0", (0,)) == ()


@pytest.mark.parametrize("x", [0.0, -1.5, 2e4, -3e38])
def test_the_sides_of_an_element_are_on_either_side_of_it(x: float) -> None:
    less, more = (item.input_arrays()["x"][0] for item in sides(case_at(x), WHERE, (0,)))
    assert less < np.float32(x) < more
    assert all(item.stage == "gradient" for item in sides(case_at(x), WHERE, (0,)))


def together(function: Callable[[Array], Array], *x: float) -> tuple[Slopes, Array] | None:
    """What all elements that equal the first do to the sum of a function."""
    given = np.array(x, "float32")
    graph = Graph((Input("x", given.shape),), (Node("n", "keras.ops.max", ("x",)),), ("n",))
    case = Case(graph, {"x": Explicit(given)}, loss=Dot((Constant(1.0),)), stage="gradient")

    def run(cases: Sequence[Case], target: str) -> Sequence[Trace]:
        sums = [np.asarray(np.sum(function(item.input_arrays()["x"]))) for item in cases]
        return [Trace(target, "ok", {"loss": item}) for item in sums]

    return slopes_together(observed(Trace(REFERENCE, "ok", {}), case=case), WHERE, (0,), run)


def test_a_tie_has_one_slope_as_its_elements_move_together() -> None:
    found = together(np.max, 2.0, 1.0, 2.0)
    assert found is not None
    assert found[0].smooth()
    assert found[0].values == pytest.approx((1.0, 1.0))
    assert found[1].tolist() == [True, False, True]


def test_a_kink_has_none_and_one_element_alone_is_no_tie() -> None:
    kink = together(np.abs, 0.0, 0.0, 1.0)
    assert kink is not None
    assert not kink[0].smooth()
    assert together(np.max, 2.0, 1.0) is None


def test_a_guard_by_addition_is_seen_before_the_steps_end() -> None:
    found = at_zero(lambda x: x * 0.1 / (abs(x) + 1e-7))
    assert found.smooth() or found.exist
    assert found.right == pytest.approx(1e6, rel=0.02)
