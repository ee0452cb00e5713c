"""When two arrays are the same answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from assay.ir import Array, Case, Graph, Input, Node, Uniform
from assay.judge.compare import Difference, coarseness, difference
from tests.strategies import DTYPES, arrays, shapes


def f32(*values: float) -> Array:
    return np.array(values, "float32")


@given(arrays())
def test_an_array_is_the_same_as_itself(array: Array) -> None:
    assert difference(array, array.copy()) is None


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Array, Array]:
    """Two arrays of one shape and any dtypes."""
    shape = draw(shapes)
    first, second = (
        draw(arrays_of.arrays(np.dtype(draw(st.sampled_from(DTYPES))), shape)) for _ in range(2)
    )
    return first, second


@settings(max_examples=200)
@given(pairs())
def test_the_order_does_not_matter(pair: tuple[Array, Array]) -> None:
    first, second = pair
    assert difference(first, second) == difference(second, first)


@given(arrays(), arrays())
def test_a_difference_says_where(first: Array, second: Array) -> None:
    found = difference(first, second)
    if first.shape != second.shape:
        assert found == Difference("shape")
    elif found is not None:
        assert not np.array_equal(first[found.position], second[found.position], equal_nan=False)
        assert found.magnitude > found.tolerance


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (f32(np.nan, 1), f32(np.nan, 1)),
        (f32(np.inf, -np.inf), f32(np.inf, -np.inf)),
        (f32(0.0), f32(-0.0)),
        (f32(1.0), f32(1.0005)),
        (f32(1e6, 1.0), f32(1e6, 50.0)),  # small beside the largest
        (f32(1e-39), f32(0.0)),  # a subnormal that was flushed
        (f32(1e38), f32(1.0002e38)),
        (np.array([1.0], "float16"), np.array([1.02], "float16")),
        (np.zeros((0, 3)), np.ones((0, 3))),
        (np.array(2.0), np.array(2.0, "float32")),
        (np.array([3]), f32(3.0)),
        (np.array([True]), np.array([1])),
        (np.array([1e6 + 1e-3j]), np.array([1e6 + 0j])),  # noise beside a large real part
        (np.array([complex(np.nan, 1)]), np.array([complex(np.nan, 1)])),
        (np.array([2], "int64"), np.array([2], "uint64")),
    ],
)
def test_the_same_answer(first: Array, second: Array) -> None:
    assert difference(first, second) is None


@pytest.mark.parametrize(
    ("first", "second", "what", "position"),
    [
        (f32(1, 2), f32(1), "shape", ()),
        (np.zeros((0, 3)), np.zeros((3, 0)), "shape", ()),
        (np.zeros((1, 2)), np.zeros((2,)), "shape", ()),
        (f32(1, np.nan), f32(1, 2), "nan", (1,)),
        (f32(1, np.inf), f32(1, 2), "nan", (1,)),
        (f32(np.inf), f32(-np.inf), "nan", (0,)),
        (f32(np.inf), f32(np.nan), "nan", (0,)),
        (f32(1, 1), f32(1, 1.01), "value", (1,)),
        (f32(1, 2, 3), f32(1.1, 5, 3), "value", (1,)),  # where they differ most
        (f32(1e-30), f32(2e-30), "value", (0,)),
        (np.array([1, 2]), np.array([1, 3]), "value", (1,)),
        (np.array([True, False]), np.array([True, True]), "value", (1,)),
        (np.array(1.0), np.array(2.0), "value", ()),
        (np.array([[1 + 1j, 2 + 2j]]), np.array([[1 + 1j, 2 - 2j]]), "value", (0, 1)),
        (np.array([1 + 1j]), np.array([1.0]), "value", (0,)),
        (np.array([complex(1, np.inf)]), np.array([1 + 1j]), "nan", (0,)),
        (np.array([2**63], "uint64"), np.array([-(2**63)], "int64"), "value", (0,)),
    ],
)
def test_another_answer(first: Array, second: Array, what: str, position: tuple[int, ...]) -> None:
    found = difference(first, second)
    assert found is not None
    assert (found.what, found.position) == (what, position)


def test_whole_numbers_are_compared_exactly_whatever_their_size() -> None:
    found = difference(np.array([2**62 + 1]), np.array([2**62]))
    assert found is not None
    assert (found.magnitude, found.tolerance) == (1.0, 0.0)


def test_a_nan_hides_no_other_number() -> None:
    found = difference(f32(np.nan, 1.0), f32(np.nan, 2.0))
    assert found is not None
    assert (found.what, found.position) == ("value", (1,))


def test_magnitude_and_tolerance_are_those_of_the_place() -> None:
    found = difference(f32(1.0, 4.0), f32(1.0, 6.0))
    assert found is not None
    assert found.magnitude == 2.0
    assert found.tolerance == pytest.approx(6e-3)


def told(dtype: str | None) -> Case:
    params = {"units": 2} if dtype is None else {"units": 2, "dtype": dtype}
    node = Node("n", "keras.layers.Dense", ("x",), params)
    return Case(Graph((Input("x", (2, 3)),), (node,), ("n",)), {"x": Uniform(1)})


def test_half_precision_allows_what_full_precision_does_not() -> None:
    assert coarseness(told(None)) == 1.0 < coarseness(told("mixed_float16"))
    one, other = np.array([1.0], "float32"), np.array([1.02], "float32")
    assert difference(one, other) is not None
    assert difference(one, other, coarseness(told("mixed_bfloat16"))) is None
    assert difference(one, -other, coarseness(told("mixed_bfloat16"))) is not None
