"""The admissible set, with functions in place of libraries."""

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import pytest

from assay.ir import REFERENCE, Array, Case, Trace
from assay.judge import Observed
from assay.judge.admissible import Region, region
from assay.judge.allowance import families, family_of
from assay.judge.forward import told
from tests.factories import case_of
from tests.judge.observations import observed

TORCH = "keras-torch"
WHERE = "output:n0"
Function = Callable[[Array], Array]


def around(op: str, function: Function, x: Array, source: str = REFERENCE) -> Region:
    """The set around what a function gives for an array."""
    case = case_of(x)
    node = msgspec.structs.replace(case.graph.nodes[0], id="n0", op=op)
    graph = msgspec.structs.replace(case.graph, nodes=(node,), outputs=("n0",))
    case = msgspec.structs.replace(case, graph=graph)

    def run(cases: Sequence[Case], target: str) -> Sequence[Trace]:
        with np.errstate(all="ignore"):
            return [
                Trace(target, "ok", {WHERE: np.asarray(function(item.input_arrays()["x0"]))})
                for item in cases
            ]

    wide = x.astype("float64") if source == REFERENCE else x
    with np.errstate(all="ignore"):
        trace = Trace(source, "ok", {WHERE: np.asarray(function(wide))})
    seen: Observed = observed(trace, case=case)
    found = region(seen, WHERE, op, source, run)
    assert found is not None
    return found


def outside(op: str, function: Function, x: Sequence[float], answer: Sequence[float]) -> bool:
    found = around(op, function, np.array(x, "float32"))
    return bool(found.outside(np.array(answer, "float32")).any())


def test_rounding_of_a_cancellation_is_inside_and_a_wrong_result_is_not() -> None:
    def cancels(x: Array) -> Array:
        return np.atleast_1d(x[0] - x[1])

    assert not outside("keras.ops.subtract", cancels, (1.0, 1.0000001), (2e-7,))
    assert outside("keras.ops.subtract", cancels, (1.0, 1.0000001), (2e-5,))


def test_whole_numbers_have_no_last_place() -> None:
    found = around("keras.ops.matmul", lambda x: x * 2, np.array([20_000_001], "int32"), TORCH)
    assert not found.outside(np.array([40_000_002], "int32")).any()
    assert found.outside(np.array([40_000_003], "int32")).all()


def test_an_unstable_variance_is_outside_and_a_stable_one_inside() -> None:
    x = np.random.default_rng(1).uniform(9999.7, 10000.3, 9).astype("float32")
    found = around("keras.ops.var", lambda v: np.atleast_1d(np.var(v)), x)
    stable = np.atleast_1d(np.var(x, dtype="float32"))
    mean = x.mean(dtype="float32")
    unstable = np.atleast_1d((x * x).mean(dtype="float32") - mean * mean)
    assert not found.outside(stable).any()
    assert found.outside(unstable).all()


def test_every_element_is_looked_at_not_only_the_one_that_differs_most() -> None:
    """The first is noise of a large number; the second is small, exact, and wrong."""
    x = (1e6, 2.0)
    assert outside("keras.ops.square", np.square, x, (1e12, 4.01))
    assert not outside("keras.ops.square", np.square, x, (1e12 * (1 + 2e-7), 4.0))


def test_infinity_is_inside_where_terms_overflow_and_not_where_they_fit() -> None:
    def length(x: Array) -> Array:
        return np.atleast_1d(np.sqrt(np.sum(np.square(x))))

    assert outside("keras.ops.norm", length, (3e25, 4e25), (np.inf,))
    assert not outside("keras.ops.square", np.square, (3e19,), (np.inf,))


def test_a_wider_format_of_the_results_holds_larger_numbers() -> None:
    x = np.array([16376.0, 2.0], "float16")
    wide = around("keras.ops.abs", lambda x: np.abs(x.astype("float32")), x, TORCH)
    assert wide.largest == np.finfo("float32").max
    assert wide.smallest == np.finfo("float16").tiny
    assert around("keras.ops.abs", np.abs, x, TORCH).largest == np.finfo("float16").max


def test_infinity_that_the_function_has_is_a_result_like_any_other() -> None:
    assert outside("keras.ops.add", lambda x: x + 1.0, (np.inf,), (3.0,))


def test_what_flushes_subnormal_numbers_is_inside() -> None:
    assert not outside("keras.ops.log", np.log, (1e-40,), (-np.inf,))
    assert not outside("keras.ops.sign", np.sign, (1e-40,), (0.0,))
    assert outside("keras.ops.log", np.log, (1e-4,), (-np.inf,))


def test_a_number_is_inside_where_the_function_has_one_only_without_what_is_lost() -> None:
    """1e-40 modulo minus infinity is minus infinity; of zero it is zero."""

    def modulo(x: Array) -> Array:
        return np.where(x == 0, 0.0, -np.inf)

    assert not outside("keras.ops.mod", modulo, (1e-40,), (1e-40,))
    assert outside("keras.ops.mod", modulo, (1e-40,), (1.0,))
    assert outside("keras.ops.mod", modulo, (1e-4,), (0.0,))


def test_subnormal_numbers_are_flushed_with_and_without_those_that_products_lose() -> None:
    def quotient(x: Array) -> Array:
        return np.atleast_1d(x[0] / x[1])

    assert not outside("keras.ops.divide", quotient, (2.9e-39, 4.7e-38), (0.0,))
    assert outside("keras.ops.divide", quotient, (2.9e-39, 4.7e-3), (1.0,))


def test_what_is_lost_in_part_is_between_the_number_and_infinity() -> None:
    assert not outside("keras.ops.log", np.log, (1e-40,), (-104.0,))
    assert outside("keras.ops.log", np.log, (1e-40,), (-80.0,))


def test_numbers_lost_elsewhere_excuse_no_nan_of_infinities() -> None:
    """One element is subnormal; the other is infinite, with it and without it."""
    assert outside("keras.ops.abs", np.abs, (1e-40, np.inf), (0.0, np.nan))
    assert not outside("keras.ops.abs", np.abs, (1e-40, np.inf), (0.0, np.inf))


def test_what_computes_nothing_is_exact() -> None:
    below = np.nextafter(np.float32(3.0), np.float32(0.0))
    assert family_of("keras.ops.floor").exact
    assert outside("keras.ops.floor", np.floor, (below,), (3.0,))
    assert not outside("keras.ops.floor_divide", np.floor, (below,), (3.0,))


def test_the_other_side_of_a_jump_is_a_branch() -> None:
    found = around("keras.ops.angle", np.sign, np.array([0.0, 1.0], "float32"))
    answer = np.array([-1.0, 1.0], "float32")
    away = found.outside(answer)
    assert away.tolist() == [True, False]
    assert found.on_branch(answer, away)
    assert not found.on_branch(np.array([0.5, 1.0], "float32"), away)


def test_a_library_is_asked_by_nudges_of_all_elements_at_once() -> None:
    x = np.array([1.0, 1.0000001], "float32")
    found = around("keras.ops.subtract", lambda v: np.atleast_1d(v[0] - v[1]), x, TORCH)
    assert not found.outside(np.array([3e-7], "float32")).any()
    assert found.outside(np.array([1e-3], "float32")).all()


def test_what_was_measured_is_told_with_its_numbers() -> None:
    found = around("keras.ops.square", np.square, np.array([2.0], "float32"))
    shown = found.shown(np.array([5.0], "float32"), WHERE)
    assert (shown.source, shown.family, shown.centre, shown.answer) == (
        REFERENCE,
        "other",
        4.0,
        5.0,
    )
    assert shown.ball == pytest.approx(4 * 2 * 2.0**-23, rel=1e-3)
    assert shown.lower is not None
    assert shown.upper is not None
    assert 3.9999 < shown.lower < 4.0 < shown.upper < 4.0001


def test_a_number_in_place_of_nan_is_what_is_told() -> None:
    found = around("keras.ops.sqrt", np.sqrt, np.array([4.0, -1.0], "float32"))
    answer = np.array([2.0, 0.0], "float32")
    away = found.outside(answer)
    assert away.tolist() == [False, True]
    shown = found.shown(answer, WHERE, away)
    assert shown.position == (1,)
    assert told(shown) == "0 for nan"


def test_every_op_is_in_a_family_and_sums_of_more_terms_are_granted_more() -> None:
    assert families()[-1].op == ("*",)
    for family in families():
        assert family.exact or family.growth(576) > 2.6
        assert family.growth(576) >= family.growth(1)


def test_what_only_chooses_overflows_nowhere_and_an_ordinary_number_is_no_overflow() -> None:
    assert outside("keras.ops.maximum", lambda x: x, (3e38,), (np.inf,))
    assert not outside("keras.ops.add", lambda x: x, (3e38,), (np.inf,))
    assert not outside("keras.ops.multiply", lambda x: x * x, (1e30,), (np.inf,))
    assert outside("keras.ops.multiply", lambda x: x * x, (1e30,), (-2.5,))


def test_a_number_that_products_lose_is_lost_only_where_there_are_products() -> None:
    """2^126 mod 2^-124 is 0, whatever a quotient does on the way."""

    def remainder(x: Array) -> Array:
        return np.asarray(np.fmod(2.0**126, x.astype("float64")))

    assert outside("keras.ops.fmod", remainder, [2.0**-124], [np.nan])
    assert not outside("keras.ops.fmod", remainder, [2.0**-128], [np.nan]), "flushed: mod 0"
    assert not outside("keras.ops.divide", lambda x: 1e-3 / x, [2.0**-124], [np.inf])
