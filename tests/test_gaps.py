"""The one comparison of numbers: what every use of it may rely on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from assay.gaps import (
    MODEL_SCREEN,
    SCREEN,
    Gap,
    Tolerance,
    gap,
    in_parts,
    model_allowed,
    peak,
)
from assay.ir import Array
from tests.strategies import DTYPES, arrays, shapes

FLOATS = ("float16", "float32", "float64")


def pairs(dtypes: tuple[str, ...] = DTYPES) -> st.SearchStrategy[tuple[Array, Array]]:
    """Two arrays of one shape, of any two of the dtypes."""
    kind = st.sampled_from(dtypes).map(np.dtype)
    return st.tuples(shapes, kind, kind).flatmap(
        lambda drawn: st.tuples(*(arrays_of.arrays(dtype, drawn[0]) for dtype in drawn[1:]))
    )


def moderate(shape: tuple[int, ...]) -> st.SearchStrategy[Array]:
    """Arrays whose numbers stay far from overflow."""
    numbers = st.floats(-(2.0**100), 2.0**100, width=32)
    return arrays_of.arrays("float32", shape, elements=numbers)


def found(first: Array, second: Array) -> Gap:
    apart = gap(first, second)
    assert apart is not None
    return apart


def plain(first: complex, second: complex) -> float:
    """The distance of two elements, written down as one would say it."""
    if first == second or (np.isnan(first) and np.isnan(second)):
        return 0.0
    if not (np.isfinite(first) and np.isfinite(second)):
        return float("inf")
    with np.errstate(over="ignore"):
        return float(np.abs(np.complex128(first) - np.complex128(second)))


@settings(max_examples=300)
@given(pairs())
def test_every_element_is_as_far_apart_as_one_would_say(pair: tuple[Array, Array]) -> None:
    apart = found(*pair)
    whole = all(item.dtype.kind in "biu" for item in pair)
    assert apart.whole == whole
    for position in np.ndindex(pair[0].shape):
        one, two = (item[position].item() for item in pair)
        exact = float(abs(int(one) - int(two))) if whole else plain(one, two)
        assert apart.distance[position] == pytest.approx(exact, rel=1e-15)
        assert (apart.distance[position] == 0) == (exact == 0)


@settings(max_examples=300)
@given(pairs())
def test_the_order_of_two_arrays_does_not_matter(pair: tuple[Array, Array]) -> None:
    one, other = found(*pair), found(*pair[::-1])
    assert one.distance.tobytes() == other.distance.tobytes()
    assert one.size.tobytes() == other.size.tobytes()
    assert (one.furthest, one.largest, one.whole) == (other.furthest, other.largest, other.whole)
    assert (one.special is None) == (other.special is None)


@settings(max_examples=200)
@given(arrays())
def test_an_array_is_not_apart_from_itself(array: Array) -> None:
    apart = found(array, array.copy())
    assert apart.special is None
    assert apart.furthest == 0
    assert not apart.deviation.any()


@given(arrays(), arrays())
def test_arrays_of_different_shapes_have_no_gap(first: Array, second: Array) -> None:
    assert (gap(first, second) is None) == (first.shape != second.shape)
    assert gap(first, first[None]) is None


@settings(max_examples=200)
@given(
    shapes.flatmap(lambda shape: st.tuples(moderate(shape), moderate(shape))),
    st.integers(-100, 100),
)
def test_a_power_of_two_scales_everything_alike(pair: tuple[Array, Array], power: int) -> None:
    factor = 2.0**power
    one, other = found(*pair), found(*(item.astype("float64") * factor for item in pair))
    np.testing.assert_array_equal(one.deviation * factor, other.deviation)
    np.testing.assert_array_equal(one.size * factor, other.size)
    assert (one.furthest * factor, one.largest * factor) == (other.furthest, other.largest)


@given(pairs(FLOATS), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(1, 300))
def test_more_tolerance_never_allows_less(
    pair: tuple[Array, Array], relative: float, of_largest: float, floor: float, factor: float
) -> None:
    apart = found(*pair)
    little = Tolerance(relative, of_largest, floor)
    with np.errstate(over="ignore"):
        least = little.allowed(apart.size, apart.largest)
        for more in (
            Tolerance(relative + 0.5, of_largest, floor),
            Tolerance(relative, of_largest + 0.5, floor),
            Tolerance(relative, of_largest, floor + 0.5),
        ):
            assert (more.allowed(apart.size, apart.largest) >= least).all()
        assert (little.allowed(apart.size, apart.largest, factor) >= least).all()


def test_what_the_screen_of_models_lets_through_the_screen_of_hunts_does_too() -> None:
    for share in ("relative", "of_largest", "floor"):
        assert getattr(MODEL_SCREEN, share) <= getattr(SCREEN, share)


def test_special_values_differ_where_they_do_and_only_there() -> None:
    first = np.array([np.nan, np.inf, np.inf, np.nan, -np.inf, 1.0, 2.0])
    second = np.array([np.nan, np.inf, -np.inf, 1.0, 3.0, np.nan, 2.5], "float32")
    apart = found(first, second)
    assert apart.special is not None
    assert apart.special.tolist() == [False, False, True, True, True, True, False]
    assert apart.deviation.tolist() == [0, 0, 0, 0, 0, 0, 0.5]
    assert peak(apart.distance) == (2,)
    assert apart.furthest == 0.5


def test_neighbours_that_float64_does_not_tell_apart_differ_by_one() -> None:
    large = np.array([2**63 - 1, 2**53 + 1], "int64")
    assert found(large, large - 1).deviation.tolist() == [1, 1]
    extremes = np.array([-(2**63)], "int64"), np.array([2**64 - 1], "uint64")
    assert found(*extremes).furthest == float(2**64 - 1 + 2**63)
    alone = np.array(-(2**63), "int64"), np.array(0, "int8")
    assert found(*alone).furthest == 2.0**63


def test_an_overflow_is_no_special_value_and_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    huge = np.array([1.7e308])
    apart = found(huge, -huge)
    assert (apart.special, apart.furthest) == (None, np.inf)
    signalling = np.array([0x7F800001], "uint32").view("float32")
    assert found(signalling, signalling).special is None
    assert not recwarn.list


def test_imaginary_parts_count() -> None:
    first, second = np.array([1 + 1j, 2j]), np.array([1 + 4j, 2j], "complex64")
    assert found(first, second).deviation.tolist() == [3, 0]
    assert in_parts(first).tolist() == [[1, 1], [0, 2]]


def test_no_large_element_speaks_for_much_smaller_ones() -> None:
    sizes = np.array([[1280.0, 640.0, 0.5, 0.25, 0.0], [1e38, 1.0, 2.0, 1.0, 0.0]])
    allowed = model_allowed(sizes)
    assert (allowed[0, 2:] < 1e-3).all()
    assert (allowed[1, 1:] < 1e-3).all()
    assert allowed.min() > 1e-6


def test_elements_of_one_size_are_screened_beside_their_largest() -> None:
    sizes = np.abs(np.random.default_rng(0).normal(size=(4, 1000)))
    old = MODEL_SCREEN.allowed(sizes, sizes.max(axis=1, keepdims=True))
    allowed = model_allowed(sizes)
    assert (allowed <= old).all()
    assert (allowed >= 0.8 * old).all()
    assert model_allowed(np.zeros((2, 0))).shape == (2, 0)
