"""A gradient at a tie is a convention, whatever the numbers; a fault beside it is a bug."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from assay.ir import REFERENCE, Array, Case, Dot, Explicit, Graph, Input, Node, Trace, Trial
from assay.ir.transform import nudged_cases
from assay.judge import Observed, oracles
from assay.judge.category import categorised
from assay.judge.rounding import NUDGES
from tests.judge.observations import observed

TENSORFLOW, TORCH, JAX = "keras-tensorflow", "keras-torch", "keras-jax"
Gradient = Callable[[Array, Array], Array]
UPSTREAM = 1.31


def first(x: Array, y: Array) -> Array:
    """Of two maxima the first gets it all."""
    return (x >= y).astype("float32") * np.float32(UPSTREAM)


def neither(x: Array, y: Array) -> Array:
    """Only a maximum without equal gets it."""
    return (x > y).astype("float32") * np.float32(UPSTREAM)


def cut(x: Array, y: Array) -> Array:
    """Never anything: a fault."""
    return np.zeros_like(x)


def excessive(x: Array, y: Array) -> Array:
    """At a tie, more than on either side of it: a fault."""
    return np.where(x == y, np.float32(7.0), first(x, y))


def case_of(value: float) -> Case:
    graph = Graph(
        (Input("x", (1,)), Input("y", (1,))), (Node("n", "keras.ops.maximum", ("x", "y")),), ("n",)
    )
    tied = Explicit(np.array([value], "float32"))
    loss = Dot((Explicit(np.array([UPSTREAM], "float32")),))
    return Case(graph, {"x": tied, "y": tied}, loss=loss, stage="gradient")


def answers(case: Case, target: str, gradient: Gradient) -> Trace:
    x, y = (case.input_arrays()[name] for name in ("x", "y"))
    arrays = {"output:n": np.maximum(x, y), "loss": np.float64(UPSTREAM) * np.maximum(x, y)[0]}
    arrays |= {"gradient:input:x": gradient(x, y), "gradient:input:y": first(y, x)}
    return Trace(target, "ok", arrays, digest="inputs:labels")


def category(value: float, blamed: Gradient) -> tuple[str, str]:
    arms = {TENSORFLOW: first, JAX: first, TORCH: blamed}
    case = case_of(value)

    def seen(asked: Case) -> Observed:
        return observed(*(answers(asked, name, item) for name, item in arms.items()), case=asked)

    def run(cases: Sequence[Case], target: str) -> Sequence[Trace]:
        return [answers(item, target, arms[target]) for item in cases]

    def observe(trial: Trial) -> Observed:
        return seen(trial.cases[0])

    shown = seen(case)
    (verdict,) = [item for oracle in oracles() for item in oracle.judge(shown)]
    assert verdict.evidence.where == "gradient:input:x"
    assert verdict.blamed == (TORCH,)
    judged = categorised(shown, verdict, observe, run)
    return judged.category, judged.evidence.reason


#: Ordinary ones, and so huge that they are judged by others.
VALUES = (0.9226583, -3.5, 0.0, 3e38, -3e38)


@pytest.mark.parametrize("value", VALUES)
def test_who_gets_the_gradient_at_a_tie_is_a_convention(value: float) -> None:
    assert category(value, neither)[0] == "convention"


def unbroken() -> float:
    """A value with which x is never less than y in all nudged copies: the believed do not move."""
    for value in np.linspace(0.5, 2.0, 500, dtype="float32"):
        nudged = [case.input_arrays() for case in nudged_cases(case_of(value), NUDGES)]
        if all(arrays["x"] >= arrays["y"] for arrays in nudged):
            return float(value)
    raise AssertionError("every value is nudged both ways")


def test_a_tie_that_no_nudge_breaks_is_one_too() -> None:
    expected = ("convention", "the gradient jumps at this input: a kink or a tie")
    assert category(unbroken(), neither) == expected


@pytest.mark.parametrize("fault", [cut, excessive])
def test_a_fault_that_shows_at_a_tie_is_a_bug(fault: Gradient) -> None:
    assert category(unbroken(), fault)[0] == "bug"


Share = Callable[[Array], Array]


def halves(tied: Array) -> Array:
    return tied / np.count_nonzero(tied)


def the_first(tied: Array) -> Array:
    return np.asarray(np.arange(tied.size) == np.argmax(tied), "float64")


def all_of_it(tied: Array) -> Array:
    return np.asarray(tied, "float64")


def of_a_maximum(share: Share) -> tuple[str, tuple[str, ...]]:
    """The category, and who is blamed, where torch shares a maximum's gradient out like this."""
    graph = Graph((Input("x", (3,)),), (Node("n", "keras.ops.max", ("x",)),), ("n",))
    loss = Dot((Explicit(np.array(UPSTREAM, "float32")),))
    tied = Explicit(np.array([2.0, -1.0, 2.0], "float32"))
    case = Case(graph, {"x": tied}, loss=loss, stage="gradient")
    arms = {TENSORFLOW: the_first, JAX: the_first, TORCH: share, REFERENCE: halves}

    def answer(asked: Case, target: str) -> Trace:
        x = asked.input_arrays()["x"]
        output = np.asarray(x.max())
        dtype = "float64" if target == REFERENCE else "float32"
        gradient = (UPSTREAM * arms[target](x == output)).astype(dtype)
        arrays = {"output:n": output, "loss": UPSTREAM * output, "gradient:input:x": gradient}
        if target == REFERENCE:
            arrays["undecided:gradient:input:x"] = np.asarray(x == output)
        return Trace(target, "ok", arrays, digest="inputs:labels")

    def run(cases: Sequence[Case], target: str) -> Sequence[Trace]:
        return [answer(item, target) for item in cases]

    def observe(trial: Trial) -> Observed:
        asked = trial.cases[0]
        return observed(*(answer(asked, name) for name in arms), case=asked)

    shown = observed(*(answer(case, name) for name in arms), case=case)
    (verdict,) = [item for oracle in oracles() for item in oracle.judge(shown)]
    judged = categorised(shown, verdict, observe, run)
    return judged.category, judged.blamed


def test_who_among_equals_gets_it_is_open_and_how_much_they_get_together_is_not() -> None:
    assert of_a_maximum(halves)[0] == "convention"
    assert of_a_maximum(all_of_it) == ("bug", (TORCH,))


def test_who_of_equals_is_selected_is_open_though_none_moves_the_result_alone() -> None:
    """A median of five equals: each alone moves nothing, all together move it."""

    def judged(torch: Share) -> str:
        graph = Graph((Input("x", (5,)),), (Node("n", "keras.ops.median", ("x",)),), ("n",))
        loss = Dot((Explicit(np.array(UPSTREAM, "float32")),))
        case = Case(graph, {"x": Explicit(np.full(5, 2.0, "float32"))}, loss=loss, stage="gradient")
        arms = {TENSORFLOW: the_first, JAX: lambda x: the_first(x)[::-1], TORCH: torch}

        def answer(asked: Case, target: str) -> Trace:
            x = asked.input_arrays()["x"]
            output = np.asarray(np.median(x))
            share = arms.get(target, np.zeros_like)
            gradient = (UPSTREAM * share(np.ones(5))).astype("float32")
            arrays = {"output:n": output, "loss": UPSTREAM * output, "gradient:input:x": gradient}
            return Trace(target, "ok", arrays, digest="inputs:labels")

        def run(cases: Sequence[Case], target: str) -> Sequence[Trace]:
            return [answer(item, target) for item in cases]

        def observe(trial: Trial) -> Observed:
            asked = trial.cases[0]
            return observed(*(answer(asked, name) for name in (*arms, REFERENCE)), case=asked)

        shown = observe(Trial(0, "test", (case,), ()))
        found = [item for oracle in oracles() for item in oracle.judge(shown)]
        return categorised(shown, found[0], observe, run).category

    assert judged(halves) == "convention"
    assert judged(all_of_it) == "bug"


@pytest.mark.parametrize("claims", [True, False])
def test_equal_elements_of_a_smooth_function_share_nothing(claims: bool) -> None:
    """Their slopes cancel out as they move together, in wrong gradients, too."""
    weights = UPSTREAM * np.array([1.0, 2.0, -3.0])
    graph = Graph((Input("x", (3,)),), (Node("n", "keras.ops.sum", ("x",)),), ("n",))
    loss = Dot((Explicit(np.array(UPSTREAM, "float32")),))
    case = Case(graph, {"x": Explicit(np.zeros(3, "float32"))}, loss=loss, stage="gradient")
    arms = {TENSORFLOW: weights, JAX: weights, TORCH: weights / 2, REFERENCE: weights}

    def answer(asked: Case, target: str) -> Trace:
        x = asked.input_arrays()["x"].astype("float64")
        kind = "float64" if target == REFERENCE else "float32"
        gradient = arms[target].astype(kind)
        arrays = {
            "output:n": np.asarray(x @ weights / UPSTREAM),
            "loss": np.asarray(x @ weights),
        }
        if target == REFERENCE and not claims:  # it had time for the last element only
            mask = np.array([True, True, False])
            arrays["undecided:gradient:input:x"] = mask
            gradient = np.where(mask, 0.0, gradient)
        arrays["gradient:input:x"] = gradient
        return Trace(target, "ok", arrays, digest="inputs:labels")

    def run(cases: Sequence[Case], target: str) -> Sequence[Trace]:
        return [answer(item, target) for item in cases]

    def observe(trial: Trial) -> Observed:
        return observed(*(answer(trial.cases[0], name) for name in arms), case=trial.cases[0])

    shown = observe(Trial(0, "test", (case,), ()))
    (verdict,) = [item for oracle in oracles() for item in oracle.judge(shown)]
    judged = categorised(shown, verdict, observe, run)
    assert (judged.category, judged.blamed) == ("bug", (TORCH,))
