"""Huge and tiny numbers become moderate, and nothing else changes."""

import msgspec
import numpy as np
import pytest

from assay.ir import Dot, Explicit
from assay.ir.transform import exact_case, flushed_case, moderated_case, tamed_case
from tests.factories import case_of
from tests.judge.observations import CHAIN

FLOATS = ("float16", "float32", "float64")


@pytest.mark.parametrize("dtype", FLOATS)
def test_moderation_touches_huge_and_tiny_numbers_only(dtype: str) -> None:
    info = np.finfo(dtype)
    array = np.array([info.max, -info.max, info.tiny, -info.tiny, 1.5, 0, np.nan, np.inf], dtype)
    moderate = moderated_case(case_of(array, np.array([7])))
    assert moderate is not None
    made = moderate.input_arrays()
    assert made["x0"].dtype == dtype
    np.testing.assert_array_equal(made["x0"], [4, -4, 0.25, -0.25, 1.5, 0, np.nan, np.inf])
    assert made["x1"].tolist() == [7]
    assert moderated_case(moderate) is None


def test_a_case_without_huge_or_tiny_numbers_has_nothing_to_moderate() -> None:
    assert moderated_case(CHAIN) is None
    empty = msgspec.structs.replace(case_of(np.zeros((0,), "float32")))
    assert moderated_case(empty) is None


def test_a_huge_upstream_gradient_is_moderated_like_an_input() -> None:
    upstream = np.array([[1e-40, 0.5, 1.0]], "float32")
    case = msgspec.structs.replace(CHAIN, loss=Dot((Explicit(upstream),)))
    moderate = moderated_case(case)
    assert moderate is not None
    assert isinstance(moderate.loss, Dot)
    (recipe,) = moderate.loss.upstream
    assert isinstance(recipe, Explicit)
    np.testing.assert_array_equal(recipe.array, np.array([[0.25, 0.5, 1.0]], "float32"))


@pytest.mark.parametrize("dtype", FLOATS)
def test_taming_leaves_ordinary_numbers_only(dtype: str) -> None:
    info = np.finfo(dtype)
    array = np.array([np.nan, np.inf, -np.inf, info.max, -info.tiny, 1.5, 0], dtype)
    tame = tamed_case(case_of(array))
    assert tame is not None
    np.testing.assert_array_equal(
        tame.input_arrays()["x0"], np.array([0.375, 4, -4, 4, -0.25, 1.5, 0], dtype)
    )
    assert tamed_case(tame) is None
    assert tamed_case(CHAIN) is None


def test_subnormal_numbers_are_flushed_to_zero_and_no_others() -> None:
    case = flushed_case(case_of(np.array([2e-39, -3e-40, 1.0, 2e-38, np.inf], "float32")))
    assert case is not None
    (array,) = case.input_arrays().values()
    assert array.tolist() == [0.0, 0.0, 1.0, np.float32(2e-38), np.inf]
    assert array.dtype == np.float32
    assert flushed_case(case) is None


def test_complex_numbers_are_moderated_in_both_parts() -> None:
    array = np.array([3e38 + 1j, 2 - 2e37j, 1 + 1j, np.inf - 1j], "complex64")
    moderate = moderated_case(case_of(array))
    assert moderate is not None
    expected = np.array([4 + 1j, 2 - 4j, 1 + 1j, np.inf - 1j], "complex64")
    np.testing.assert_array_equal(moderate.input_arrays()["x0"], expected)
    assert moderated_case(moderate) is None


def test_whole_numbers_that_a_format_does_not_hold_become_moderate() -> None:
    case = case_of(np.array([2**31 - 1, -(2**30), 77]), np.array([0.5, 3e38], "float32"))
    made = exact_case(case, np.dtype("float32"))
    assert made is not None
    assert made.input_arrays()["x0"].tolist() == [4, -4, 77]
    assert made.input_arrays()["x1"][1] == np.float32(3e38)
    assert exact_case(case, np.dtype("float64")) is None
    large = case_of(np.array([2**63 - 1, -(2**63)]))
    assert exact_case(large, np.dtype("float64")) is not None
