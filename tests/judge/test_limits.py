"""What all targets tend to, where their formula gives NaN at infinity."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from assay.ir import REFERENCE, Arm, Array, Case, Explicit, Graph, Input, Node, Trace, Trial, named
from assay.judge import NumericOracle, Observed, support
from tests.judge.observations import votes

TARGETS = ("keras-tensorflow", "keras-torch")
Function = Callable[[Array], Array]


def hard_swish(x: Array) -> Array:
    return np.asarray(x * np.clip(x / 6 + 0.5, 0, 1))


def log_cosh(x: Array) -> Array:
    return np.asarray(x + np.logaddexp(0, -2 * x) - np.log(2))


def less_itself(x: Array) -> Array:
    return np.asarray(x - x)


def supported(formula: Function, x: float, truth: float) -> bool:
    """Is the reference believed, which says this where both targets use a formula?"""
    graph = Graph((Input("x", (2,)),), (Node("n0", "keras.ops.abs", ("x",)),), ("n0",))
    case = Case(graph, {"x": Explicit(np.array([x, 1.0], "float32"))})

    def answer(asked: Case, target: str) -> Trace:
        array = asked.input_arrays()["x"].astype("float64")
        with np.errstate(all="ignore"):
            given = formula(array)
        if target == REFERENCE:
            given = np.where(np.isinf(array), truth, given)
        return Trace(target, "ok", {"output:n0": given})

    def run(cases: Sequence[Case], target: str) -> list[Trace]:
        return [answer(asked, target) for asked in cases]

    arms = (*TARGETS, REFERENCE)
    trial = Trial(0, "test", (case,), tuple(map(Arm, arms)))
    traces = {target: answer(case, target) for target in arms}
    observed = Observed(trial, traces, votes, {name: named(name) for name in arms})
    (verdict,) = NumericOracle().judge(observed)
    found = support(observed, verdict, run)
    return found is not None and found.blamed == TARGETS


@pytest.mark.parametrize(
    ("formula", "x", "truth"), [(hard_swish, -np.inf, 0.0), (log_cosh, -np.inf, np.inf)]
)
def test_a_limit_that_they_tend_to_is_their_value(
    formula: Function, x: float, truth: float
) -> None:
    assert supported(formula, x, truth)


@pytest.mark.parametrize(
    ("formula", "x", "truth"), [(hard_swish, -np.inf, 1.0), (less_itself, np.inf, np.inf)]
)
def test_another_value_than_the_limit_is_not(formula: Function, x: float, truth: float) -> None:
    assert not supported(formula, x, truth)


def clipped(x: Array) -> Array:
    return np.asarray(np.minimum(x, 16.0))


def without_infinities(x: Array) -> Array:
    return np.asarray(np.where(np.isinf(x), 0.0, x))


def test_a_number_in_the_place_of_infinity_is_wrong_where_all_numbers_lead_there() -> None:
    assert supported(without_infinities, -np.inf, -np.inf)
    assert not supported(without_infinities, np.inf, 5.0)


def test_a_bound_that_is_reached_before_infinity_is_none() -> None:
    assert not supported(clipped, np.inf, np.inf)


def test_complex_answers_tend_nowhere() -> None:
    """Real parts alone would say that NaN stands for minus infinity."""

    def turned(x: Array) -> Array:
        return np.asarray(np.where(np.isinf(x), np.nan, x) + 1j * x)

    assert not supported(turned, -np.inf, -np.inf)


def test_numbers_that_hang_on_no_nan_are_due_beside_it() -> None:
    def copied_by_products(x: Array) -> Array:
        return np.asarray(np.eye(2) @ np.where(np.isnan(x), x, np.nan_to_num(x)))

    def largest(x: Array) -> Array:
        return np.asarray(np.full(2, np.max(x)))

    assert beside_nan(copied_by_products)
    assert not beside_nan(largest)


def beside_nan(formula: Function) -> bool:
    """Is a reference believed that gives the number which goes in beside NaN?"""
    graph = Graph((Input("x", (2,)),), (Node("n0", "keras.ops.abs", ("x",)),), ("n0",))
    case = Case(graph, {"x": Explicit(np.array([np.nan, 1.0], "float32"))})

    def answer(asked: Case, target: str) -> Trace:
        array = asked.input_arrays()["x"].astype("float64")
        given = array if target == REFERENCE else formula(array)
        return Trace(target, "ok", {"output:n0": given})

    def run(cases: Sequence[Case], target: str) -> list[Trace]:
        return [answer(asked, target) for asked in cases]

    arms = (*TARGETS, REFERENCE)
    trial = Trial(0, "test", (case,), tuple(map(Arm, arms)))
    traces = {target: answer(case, target) for target in arms}
    observed = Observed(trial, traces, votes, {name: named(name) for name in arms})
    (verdict,) = NumericOracle().judge(observed)
    found = support(observed, verdict, run)
    return found is not None and found.blamed == TARGETS
