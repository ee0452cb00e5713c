"""Slopes at subnormal numbers, which some read as zero."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from assay.ir import (
    REFERENCE,
    Array,
    Case,
    Dot,
    Explicit,
    Graph,
    Input,
    Node,
    Trace,
    Trial,
    Verdict,
)
from assay.judge import NumericOracle, Observed
from assay.judge.category import categorised
from assay.judge.flushing import _normal_case, flushed_there
from tests.judge.observations import observed

Slope = Callable[[Array], Array]
SMALL = np.finfo("float32").tiny / 4
TARGETS = ("keras-tensorflow", "keras-torch")


def flushing(slope: Slope) -> Slope:
    return lambda x: slope(np.where(np.abs(x) < np.finfo("float32").tiny, 0.0, x))


def judged(first: Slope, second: Slope, *x: float, function: Slope | None = None) -> str:
    """The category of two slopes that are apart, or nothing; the reference knows the function."""
    graph = Graph((Input("x", (len(x),)),), (Node("n", "keras.ops.abs", ("x",)),), ("n",))
    loss = Dot((Explicit(np.ones(len(x), "float32")),))
    start = {"x": Explicit(np.array(x, "float32"))}
    case = Case(graph, start, loss=loss, stage="gradient")
    slopes = dict(zip(TARGETS, (first, second), strict=True))

    def seen(asked: Case) -> Observed:
        array = asked.input_arrays()["x"]
        traces = [
            Trace(name, "ok", {"output:n": array, "gradient:input:x": slope(array)})
            for name, slope in slopes.items()
        ]
        if function is not None:
            traces.append(Trace(REFERENCE, "ok", truth(asked)))
        return observed(*traces, case=asked)

    def observe(trial: Trial) -> Observed:
        return seen(trial.cases[0])

    def run(cases: Sequence[Case], target: str) -> list[Trace]:
        if target != REFERENCE:
            return [seen(item).traces[target] for item in cases]
        return [Trace(REFERENCE, "ok", truth(item)) for item in cases] if function else []

    def truth(asked: Case) -> dict[str, Array]:
        assert function is not None
        x = asked.input_arrays()["x"].astype("float64")
        step, value = 2.0**-20, function(x)
        with np.errstate(invalid="ignore"):
            above, below = (np.abs(function(x + sign * step) - value) / step for sign in (1, -1))
        return {
            "output:n": value,
            "loss": np.asarray(value.sum()),
            "gradient:input:x": np.nan_to_num(above + below) / 2,
            "undecided:gradient:input:x": above != below,
        }

    here = seen(case)
    verdict: Verdict = NumericOracle().judge(here)[0]
    found = flushed_there(here, verdict, observe, run)
    return found.category if found is not None else ""


def sign(x: Array) -> Array:
    return np.sign(x).astype("float32")


def test_slopes_that_are_apart_at_a_subnormal_number_only_are_rounding() -> None:
    assert judged(sign, flushing(sign), SMALL, 1.0) == "rounding"
    assert judged(sign, flushing(sign), SMALL, np.inf) == "rounding"


def test_slopes_that_are_apart_at_other_numbers_are_not() -> None:
    assert judged(sign, lambda x: 2 * sign(x), SMALL, 1.0) == ""
    assert judged(sign, lambda x: 2 * sign(x), 1.0, 2.0) == ""


def test_a_subnormal_half_becomes_a_number_less_than_one() -> None:
    graph = Graph((Input("x", (2,), "float16"),), (Node("n", "keras.ops.abs", ("x",)),), ("n",))
    x = np.array([2.0**-20, -(2.0**-20)], "float16")
    moved = _normal_case(Case(graph, {"x": Explicit(x)}, stage="forward"))
    assert moved is not None
    assert moved.input_arrays()["x"].tolist() == [2.0**-6, -(2.0**-6)]


@pytest.mark.parametrize("beside", [1.0, np.inf])
def test_what_is_flushed_has_a_slope_of_the_function_at_zero(beside: float) -> None:
    """A sum of two halves passes the gradient on twice where both begin."""

    def once(x: Array) -> Array:
        return np.ones_like(x)

    def twice(x: Array) -> Array:
        return np.where(x == 0, 2, 1).astype("float32")

    def line(x: Array) -> Array:
        return x

    def bend(x: Array) -> Array:
        return np.where(x > 0, x, 3 * x)

    assert judged(once, flushing(twice), SMALL, beside, function=line) == "bug"
    assert judged(once, flushing(twice), SMALL, beside, function=bend) == "rounding"


def test_what_all_give_at_zero_is_none_of_a_difference_beside_it() -> None:
    """All have the slope 0 at 0, where it is 1: some flush a number to it, and others do not."""

    def gradient(x: Array) -> Array:
        return (x != 0).astype("float32")

    slopes = {"keras-tensorflow": flushing(gradient), "keras-torch": gradient}
    graph = Graph((Input("x", (2,)),), (Node("n", "keras.ops.abs", ("x",)),), ("n",))
    loss = Dot((Explicit(np.ones(2, "float32")),))
    x = Explicit(np.array([SMALL, 1.0], "float32"))
    case = Case(graph, {"x": x}, loss=loss, stage="gradient")

    def answer(asked: Case, target: str) -> Trace:
        given = asked.input_arrays()["x"]
        slope = slopes[target](given) if target in slopes else np.ones(2)
        arrays = {"output:n": given, "loss": np.asarray(given.sum(dtype="float64"))}
        return Trace(target, "ok", {**arrays, "gradient:input:x": slope}, digest="inputs:labels")

    def run(cases: Sequence[Case], target: str) -> list[Trace]:
        return [answer(item, target) for item in cases]

    def observe(trial: Trial) -> Observed:
        names = (*slopes, REFERENCE)
        return observed(*(answer(trial.case, name) for name in names), case=trial.case)

    here = observe(Trial(0, "test", (case,), ()))
    verdict = NumericOracle().judge(here)[0]
    assert categorised(here, verdict, observe, run).category == "rounding"
