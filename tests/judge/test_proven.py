"""Answers are held against exact results, and nobody is blamed for what nobody can do."""

import math
from typing import Any

import msgspec
import numpy as np
import pytest

from assay.ir import Case, Explicit, Graph, Input, Node, Trace
from assay.judge import Observed, contract, oracle
from assay.judge.precise import UNITS
from assay.judge.proven import TIMES, ProvenOracle
from assay_worker.precision.formats import rounded, unit
from tests.judge.observations import observed

NUMBERS = [0.3, -0.7, 1.25]
TF, JAX, TORCH = "keras-tensorflow", "keras-jax", "keras-torch"


def case_of(op: str, dtype: str = "float32", numbers: Any = NUMBERS) -> Case:
    array = np.array(numbers, dtype)
    graph = Graph((Input("x0", array.shape, dtype),), (Node("n0", op, ("x0",)),), ("n0",))
    return Case(graph, {"x0": Explicit(array)})


def answered(case: Case, **off: float) -> Observed:
    """The right answers, moved by so many units in the last place at the second number."""
    x = case.input_arrays()["x0"]
    right = np.tanh(x.astype("float64"))
    traces = []
    for name, units in off.items():
        wrong = right.astype(x.dtype)
        wrong[1] += wrong.dtype.type(units) * np.spacing(wrong[1])
        traces.append(Trace(f"keras-{name}", "ok", {"output:n0": wrong}))
    return observed(*traces, case=case)


TANH = case_of("keras.ops.tanh")


def test_it_is_found_by_name_and_keeps_the_contract() -> None:
    found = oracle("proven:7.5")
    assert isinstance(found, ProvenOracle)
    assert (found.units, found.name) == (7.5, "proven:7.5")
    failing = [answered(TANH, torch=12, jax=0, tensorflow=1), answered(TANH, torch=-9, jax=1)]
    contract.check_all(found, failing, [answered(TANH, torch=6, jax=0, tensorflow=1)])


def test_whoever_is_beyond_the_budget_is_blamed_where_another_does_better() -> None:
    (verdict,) = ProvenOracle(7.0).judge(answered(TANH, torch=12, jax=0, tensorflow=11))
    assert (verdict.kind, verdict.category) == ("precision", "bug")
    assert verdict.blamed == (TF, TORCH)
    assert verdict.evidence.position == (1,)
    assert verdict.evidence.believed == (JAX,)
    exact = math.tanh(float(np.float32(-0.7)))
    step = float(np.spacing(np.float32(abs(exact))))
    assert verdict.magnitude == pytest.approx(12 * step, abs=step)
    assert verdict.evidence.tolerance == pytest.approx(7 * step)
    assert verdict.evidence.admissible is not None
    assert verdict.evidence.admissible.centre == pytest.approx(exact, rel=1e-12)


def test_nobody_is_blamed_for_what_nobody_does_much_better() -> None:
    judge = ProvenOracle(7.0).judge
    assert not judge(answered(TANH, torch=12, jax=6, tensorflow=5))
    assert not judge(answered(TANH, torch=1000, jax=1000, tensorflow=-900))
    assert judge(answered(TANH, torch=12 * TIMES, jax=6, tensorflow=5))


def test_one_that_is_alone_in_its_format_is_held_to_what_formulas_lose() -> None:
    case = case_of("keras.ops.tanh", "float64")
    narrow = np.tanh(np.array(NUMBERS)).astype("float32")
    judge = ProvenOracle(7.0).judge
    for units, blamed in ((UNITS + 2, (TORCH,)), (UNITS - 2, ())):
        (own,) = answered(case, torch=units).traces.values()
        # JAX answers in float32, of which nothing is said.
        seen = observed(own, Trace(JAX, "ok", {"output:n0": narrow}), case=case)
        assert tuple(name for item in judge(seen) for name in item.blamed) == blamed


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_words_that_take_no_such_floats_have_the_same_formula(dtype: str) -> None:
    case = case_of("torch.exp", "float64" if dtype == "float64" else "float32")
    (item,) = case.graph.inputs
    x = rounded(np.array(NUMBERS), dtype)
    graph = msgspec.structs.replace(case.graph, inputs=(Input("x0", item.shape, dtype),))
    given = Explicit(x.astype("float16" if dtype == "float16" else item.dtype))
    case = msgspec.structs.replace(case, graph=graph, inputs={"x0": given})
    right = rounded(np.exp(x), dtype)
    for units, blamed in ((UNITS + 2, ["torch"]), (UNITS - 2, [])):
        wrong = right.copy()
        wrong[1] += units * unit(wrong[1], dtype)
        trace = Trace("torch", "ok", {"output:n0": wrong.astype(given.array.dtype)})
        found = ProvenOracle(7.0).judge(observed(trace, case=case))
        assert [name for verdict in found for name in verdict.blamed] == blamed


def test_where_no_formula_is_or_results_are_beside_nothing_it_is_silent() -> None:
    judge = ProvenOracle(7.0).judge
    assert not judge(answered(case_of("keras.ops.nanmedian"), torch=50, jax=0))
    tiny = case_of("keras.ops.tanh", numbers=[1e-38, 2e-38, 3e-38])
    assert not judge(answered(tiny, torch=50, jax=0))


@pytest.mark.parametrize("op", ["keras.ops.silu", "keras.ops.tanh"])
def test_a_share_that_is_flushed_to_zero_is_a_product_that_is(op: str) -> None:
    x = np.float32(-87.5 if op == "keras.ops.silu" else -4e-37)
    case = case_of(op, numbers=[x] * 3)
    right = np.float32(-87.5 * math.exp(-87.5)) if op == "keras.ops.silu" else x
    arrays = {TORCH: np.zeros(3, "float32"), JAX: np.full(3, right)}
    traces = [Trace(name, "ok", {"output:n0": array}) for name, array in arrays.items()]
    found = ProvenOracle(7.0).judge(observed(*traces, case=case))
    assert bool(found) == (op == "keras.ops.tanh")


def test_a_product_that_some_order_loses_on_the_way_is_a_matter_of_votes() -> None:
    judge = ProvenOracle(7.0).judge
    for small, lost in ((1e-3, False), (1e-30, True)):
        numbers = [small, small, 1 / small, 1 / small]
        case = case_of("keras.ops.prod", numbers=numbers)
        arrays = {TORCH: np.float32(0), JAX: np.float32(1)}
        traces = [Trace(name, "ok", {"output:n0": np.array(at)}) for name, at in arrays.items()]
        assert bool(judge(observed(*traces, case=case))) != lost


def test_what_is_documented_to_be_linear_is_no_error_there() -> None:
    for op, number, blamed in (
        ("torch.nn.Softplus", 22.0, []),  # beyond its threshold
        ("torch.nn.Softplus", 2.0, ["torch"]),
        ("tf.math.softplus", 22.0, ["torch"]),  # it has none
    ):
        case = case_of(op, "float64", [number])
        own = Trace("torch", "ok", {"output:n0": np.array([number])})
        found = ProvenOracle(7.0).judge(observed(own, case=case))
        assert [name for verdict in found for name in verdict.blamed] == blamed
        assert all("22.000000000278" in item.evidence.reason for item in found if number > 20)
