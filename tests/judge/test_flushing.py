"""Slopes at subnormal numbers, which some read as zero."""

from collections.abc import Callable, Sequence

import numpy as np

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
from assay.judge.flushing import _normal_case, flushed_there
from tests.judge.observations import observed

Slope = Callable[[Array], Array]
SMALL = np.finfo("float32").tiny / 4
TARGETS = ("keras-tensorflow", "keras-torch")


def flushing(slope: Slope) -> Slope:
    return lambda x: slope(np.where(np.abs(x) < np.finfo("float32").tiny, 0.0, x))


def judged(first: Slope, second: Slope, *x: float) -> str:
    """The category of two slopes that are apart, or nothing."""
    graph = Graph((Input("x", (len(x),)),), (Node("n", "keras.ops.abs", ("x",)),), ("n",))
    loss = Dot((Explicit(np.ones(len(x), "float32")),))
    start = {"x": Explicit(np.array(x, "float32"))}
    case = Case(graph, start, loss=loss, stage="gradient")
    slopes = dict(zip(TARGETS, (first, second), strict=True))

    def seen(asked: Case) -> Observed:
        array = asked.input_arrays()["x"]
        return observed(
            *(
                Trace(name, "ok", {"output:n": array, "gradient:input:x": slope(array)})
                for name, slope in slopes.items()
            ),
            case=asked,
        )

    def observe(trial: Trial) -> Observed:
        return seen(trial.cases[0])

    def run(cases: Sequence[Case], target: str) -> list[Trace]:
        return [] if target == REFERENCE else [seen(item).traces[target] for item in cases]

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
