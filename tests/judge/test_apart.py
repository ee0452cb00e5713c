"""Slopes of what hangs on an element, where other results are not finite."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from assay.ir import REFERENCE, Array, Case, Dot, Explicit, Graph, Input, Node, Trace
from assay.judge._base import Observed, Run
from assay.judge.apart import hangs_on_nothing, slopes_apart
from assay.judge.slopes import Slopes
from tests.judge.observations import observed

Function = Callable[[Array], Array]
WHERE = "gradient:input:x"


def apart(function: Function, *x: float, upstream: float = 2.0) -> Slopes | None:
    """The slopes of the first element."""
    seen, run = asked(function, *x, upstream=upstream)
    return slopes_apart(seen, WHERE, (0,), run)


def asked(function: Function, *x: float, upstream: float = 2.0) -> tuple[Observed, Run]:
    array = np.array(x, "float32")
    graph = Graph((Input("x", array.shape),), (Node("n", "keras.ops.abs", ("x",)),), ("n",))
    loss = Dot((Explicit(np.full(len(x), upstream, "float32")),))
    case = Case(graph, {"x": Explicit(array)}, loss=loss, stage="gradient")

    def run(cases: Sequence[Case], target: str) -> Sequence[Trace]:
        with np.errstate(all="ignore"):
            return [
                Trace(target, "ok", {"output:n": function(item.input_arrays()["x"])})
                for item in cases
            ]

    traces = [Trace(name, *_ok(function, array)) for name in ("keras-torch", REFERENCE)]
    return observed(*traces, case=case), run


def _ok(function: Function, array: Array) -> tuple[str, dict[str, Array]]:
    with np.errstate(all="ignore"):
        return "ok", {"output:n": function(array.astype("float64"))}


def test_infinity_elsewhere_takes_nothing_from_a_derivative() -> None:
    found = apart(lambda x: x * x, 3.0, np.inf, np.nan)
    assert found is not None
    assert found.right == pytest.approx(12.0, rel=1e-3)


def test_a_result_that_hangs_on_it_must_be_finite() -> None:
    assert apart(lambda x: x + x.sum(), 3.0, np.inf) is None
    assert apart(lambda x: np.maximum(x, x.max()), 3.0, np.nan) is None


def test_where_nothing_hangs_on_it_nothing_is_said() -> None:
    assert apart(lambda x: 0 * x + np.array([1.0, np.inf]), 3.0, 1.0) is None
    assert apart(lambda x: x, np.inf, 1.0) is None


@pytest.mark.parametrize(
    ("function", "nothing"),
    [
        (lambda x: x[1:], True),  # a part that is cut off
        (lambda x: x[1:] + 0 * x[:1], True),
        (lambda x: np.maximum(x, x.max()), False),  # another number is the largest
        (lambda x: np.maximum(x[0], np.nan_to_num(x)), False),
        (lambda x: np.array([1.0, np.nan]), False),  # NaN hides what hangs on it
        (lambda x: x[1:2], False),  # nothing is a number here
    ],
)
def test_what_no_result_can_hang_on_is_told_from_what_hides_it(
    function: Function, nothing: bool
) -> None:
    seen, run = asked(function, 3.0, np.nan, 1.0)
    assert hangs_on_nothing(seen, WHERE, (0,), run) is nothing
