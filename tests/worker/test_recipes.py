"""Recipes: the arrays they promise, from any seed."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ir import (
    VALUE_CLASSES,
    Array,
    Constant,
    Explicit,
    Integers,
    Mixed,
    OneHot,
    Ordered,
    Probabilities,
    Recipe,
    Scaled,
    Signs,
    Uniform,
    derive,
)
from assay_worker import recipes
from tests.strategies import arrays, seeds, shapes

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = ("bool", *INTEGERS, *FLOATS, "bfloat16")
ELEMENT_CLASSES = tuple(recipes._ELEMENT_CLASSES)


def drawn(seed: int) -> list[Recipe]:
    """Every kind of recipe that draws, with one seed."""
    every = tuple(VALUE_CLASSES)
    return [
        Uniform(seed),
        Integers(seed, -3, 3),
        Mixed(seed, every),
        Mixed(seed, ("tied",), 1.0, 1.0),
        Ordered(seed, every),
        OneHot(seed),
        Probabilities(seed),
        Signs(seed),
    ]


@given(seeds, shapes, st.sampled_from(DTYPES))
def test_shape_and_dtype_are_the_ones_asked_for(
    seed: int, shape: tuple[int, ...], dtype: str
) -> None:
    for recipe in (*drawn(seed), Constant(2.5), Constant(float("nan"))):
        if isinstance(recipe, OneHot) and not shape:
            continue
        array = recipe.materialise(shape, dtype)
        assert array.shape == shape
        assert array.dtype == ("float32" if dtype == "bfloat16" else dtype)
        assert array.flags.c_contiguous


@given(seeds, shapes)
def test_bfloat16_arrays_hold_numbers_of_that_format(seed: int, shape: tuple[int, ...]) -> None:
    array = Uniform(seed).materialise(shape, "bfloat16")
    bits = array.view("uint32") & 0xFFFF
    assert not bits.any(), "the lower half of float32 is what bfloat16 has not"
    ends = Explicit(np.array([np.nan, np.inf, -0.0, 3.4e38, 1e-40], "float32"))
    special = ends.materialise((5,), "bfloat16")
    assert np.isnan(special[0])
    assert np.isposinf(special[[1, 3]]).all()
    assert np.signbit(special[2])
    assert special[4] == pytest.approx(1e-40, rel=1e-2), "below the normal numbers"


@given(seeds, st.sampled_from(DTYPES))
def test_equal_recipes_give_equal_arrays_and_other_seeds_others(seed: int, dtype: str) -> None:
    for first, second in zip(drawn(seed), drawn(seed), strict=True):
        assert first.materialise((3, 5), dtype).tobytes() == (
            second.materialise((3, 5), dtype).tobytes()
        )
    if dtype in FLOATS:
        one, two = (Uniform(s).materialise((3, 5), dtype) for s in (seed, seed + 1))
        assert one.tobytes() != two.tobytes()


@given(seeds, st.sampled_from(FLOATS), st.floats(-50, 50), st.floats(0, 50))
def test_uniform_stays_in_its_range(seed: int, dtype: str, low: float, width: float) -> None:
    array = Uniform(seed, low, low + width).materialise((4, 5), dtype)
    # The ends, rounded as the elements are.
    assert (array >= np.dtype(dtype).type(low)).all()
    assert (array <= np.dtype(dtype).type(low + width)).all()


@given(seeds, st.sampled_from(INTEGERS + FLOATS), st.integers(0, 50), st.integers(0, 70))
def test_integers_are_whole_and_in_range(seed: int, dtype: str, low: int, width: int) -> None:
    array = Integers(seed, low, low + width).materialise((30,), dtype)
    assert (array == np.floor(array.astype("float64"))).all()
    assert low <= array.min() <= array.max() <= low + width


def test_integers_reach_both_ends() -> None:
    assert set(Integers(0, -1, 1).materialise((100,), "int32").tolist()) == {-1, 0, 1}


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_the_whole_range_of_64_bits_is_no_overflow(dtype: str) -> None:
    info = np.iinfo(dtype)
    array = Integers(1, int(info.min), int(info.max)).materialise((1000,), dtype)
    assert len(set(array.tolist())) > 990
    assert array.min() < info.min // 2 + info.max // 10
    assert array.max() > info.max // 10 * 9


def _holds(array: Array, name: str) -> bool:
    info = np.finfo(array.dtype)
    positive = array > 0
    checks = {
        "zero": (array == 0) & ~np.signbit(array),
        "negative_zero": (array == 0) & np.signbit(array),
        "one": array == 1,
        "subnormal": positive & (array < info.tiny),
        "tiny": positive & (array >= info.tiny) & (array <= info.tiny * 8),
        "huge": np.isfinite(array) & (array >= info.max / 8),
        "nan": np.isnan(array),
        "positive_infinity": array == np.inf,
        "negative_infinity": array == -np.inf,
    }
    return bool(checks[name].any())


@given(
    seeds,
    st.lists(st.sampled_from(ELEMENT_CLASSES), min_size=1, max_size=4, unique=True),
    st.sampled_from(FLOATS),
    st.floats(0, 1),
    st.integers(4, 12),
)
def test_every_class_of_a_mixed_recipe_is_really_there(
    seed: int, classes: list[str], dtype: str, share: float, size: int
) -> None:
    array = Mixed(seed, tuple(classes), 2.0, 3.0, share).materialise((size,), dtype)
    for name in classes:
        assert _holds(array, name), (name, array)


@given(seeds, st.sampled_from(ELEMENT_CLASSES))
def test_a_scalar_holds_its_class(seed: int, name: str) -> None:
    assert _holds(Mixed(seed, (name,), 2.0, 3.0).materialise((), "float32"), name)


@given(seeds, st.sampled_from(INTEGERS))
def test_integer_extremes_are_exact(seed: int, dtype: str) -> None:
    info = np.iinfo(dtype)
    array = Mixed(seed, ("integer_extreme", "zero"), 0.0, 9.0).materialise((4,), dtype)
    assert {int(info.min), int(info.max), 0} <= set(array.tolist())


@given(seeds)
def test_share_one_leaves_no_ordinary_element(seed: int) -> None:
    assert np.isnan(Mixed(seed, ("nan",), share=1.0).materialise((7,), "float32")).all()


@given(seeds)
def test_tied_elements_are_equal_and_in_range(seed: int) -> None:
    array = Mixed(seed, ("tied",), -1.0, 1.0).materialise((9,), "float16")
    assert set(array.tolist()) <= {-1.0, -0.5, 0.0, 0.5}
    assert len(set(array.tolist())) < 9


def test_tied_elements_of_an_empty_range_are_that_number() -> None:
    assert Mixed(3, ("tied",), 2.0, 2.0).materialise((4,), "float32").tolist() == [2.0] * 4


@given(seeds)
def test_large_mean_has_a_small_spread(seed: int) -> None:
    array = Mixed(seed, ("large_mean",), -1.0, 1.0).materialise((50,), "float32")
    assert abs(float(array.mean()) - 4096.0) < 0.1
    assert 0 < float(array.std()) < 0.1


@given(seeds, st.sampled_from(FLOATS + INTEGERS), st.integers(1, 5))
def test_one_hot_has_one_one_per_row(seed: int, dtype: str, size: int) -> None:
    array = OneHot(seed).materialise((3, 2, size), dtype)
    assert set(array.reshape(-1).tolist()) <= {0, 1}
    assert (array.sum(axis=-1) == 1).all()


def test_one_hot_needs_an_axis() -> None:
    with pytest.raises(ValueError, match="at least one axis"):
        OneHot(0).materialise((), "float32")


@given(seeds, st.integers(1, 9))
def test_probabilities_are_positive_and_sum_to_one(seed: int, size: int) -> None:
    array = Probabilities(seed).materialise((4, size), "float64")
    assert (array > 0).all()
    np.testing.assert_allclose(array.sum(axis=-1), 1.0, rtol=1e-12)


def test_signs_are_both_there() -> None:
    assert set(Signs(0).materialise((50,), "int8").tolist()) == {-1, 1}


@given(arrays())
def test_an_explicit_array_is_given_as_it_is_and_as_a_copy(array: Array) -> None:
    made = Explicit(array).materialise(array.shape, array.dtype.name)
    assert made.tobytes() == array.tobytes()
    assert not np.shares_memory(made, array)


def test_an_explicit_array_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'explicit' gives shape \(2,\); expected \(3,\)"):
        Explicit(np.zeros(2)).materialise((3,), "float32")


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown recipe kind 'gaussian'"):
        recipes.materialise({"kind": "gaussian"}, (1,), "float32")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300, -0.5])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_what_no_integer_can_hold_is_clipped_alike_everywhere(value: float, dtype: str) -> None:
    info = np.iinfo(dtype)
    expected = 0 if np.isnan(value) else int(min(max(value, info.min), info.max))
    assert Constant(value).materialise((2,), dtype).tolist() == [expected] * 2


labels = st.text(st.sampled_from("ab/%0"), max_size=4) | st.integers(0, 20)


@given(st.lists(labels, max_size=3), st.lists(labels, max_size=3), seeds)
def test_different_labels_give_different_seeds(first: list[Any], second: list[Any], s: int) -> None:
    same = list(map(str, first)) == list(map(str, second))
    assert (derive(s, *first) == derive(s, *second)) == same


def test_derived_seeds_are_independent() -> None:
    children = {derive(seed, label) for seed in range(50) for label in ("x", "y", 1)}
    assert len(children) == 150
    assert all(0 <= child < 2**60 for child in children)
    one, two = (Uniform(derive(0, name)).materialise((200,), "float64") for name in "xy")
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.2


def test_derived_seeds_are_the_ones_they_always_were() -> None:
    """Campaigns are resumed and replayed by seed."""
    assert (derive(7, "a", 3), derive(0)) == (948368478926033915, 432009897232336627)


def test_drawn_numbers_are_the_ones_they_always_were() -> None:
    uniform = Uniform(7).materialise((3,), "float64").tolist()
    assert uniform == [0.4301331820591543, -0.46540873005753536, -0.10618043211164352]
    assert Integers(7, -9, 9).materialise((6,), "int32").tolist() == [4, -4, -1, 1, -1, 3]


@given(seeds, st.integers(0, 3), st.sampled_from(["n1", "n2"]))
def test_weights_differ_by_node_and_place_and_variances_are_positive(
    seed: int, index: int, node: str
) -> None:
    weights = Uniform(seed, -0.5, 0.5).as_dict()
    recipe = recipes.weight_recipe(weights, node, index, "kernel")
    assert recipe["seed"] == derive(seed, node, index)
    assert (recipe["low"], recipe["high"]) == (-0.5, 0.5)
    variance = recipes.weight_recipe(weights, node, index, "moving_variance")
    assert (recipes.materialise(variance, (20,), "float32") >= 0.5).all()
    assert weights == Uniform(seed, -0.5, 0.5).as_dict()


def test_a_digest_tells_names_dtypes_shapes_and_bits_apart() -> None:
    zeros = np.zeros(2, "float32")
    different: list[dict[str, Array]] = [
        {},
        {"a": zeros},
        {"b": zeros},
        {"a": zeros, "b": zeros},
        {"a": zeros.reshape(1, 2)},
        {"a": zeros.astype("int32")},
        {"a": -zeros},
        {"a": np.zeros((), "float32")},
        {"a": np.zeros(1, "float32")},
    ]
    assert len({recipes.digest(item) for item in different}) == len(different)
    assert recipes.digest({"a": zeros, "b": -zeros}) == recipes.digest({"b": -zeros, "a": zeros})
    square = np.arange(4.0).reshape(2, 2)
    assert recipes.digest({"a": square}) == recipes.digest({"a": np.asfortranarray(square)})


def test_scaled_weights_keep_the_size_of_signals_and_mean_what_their_names_say() -> None:
    weights = Scaled(3).as_dict()

    def drawn_as(name: str, shape: tuple[int, ...]) -> Array:
        return recipes.materialise(recipes.weight_recipe(weights, "n", 0, name), shape, "float32")

    for shape, fan in (((64, 200), 64), ((3, 3, 8, 50), 72)):
        kernel = drawn_as("layer/kernel", shape)
        assert np.abs(kernel).max() <= np.sqrt(6.0 / fan)
        assert kernel.std() == pytest.approx(np.sqrt(2.0 / fan), rel=0.05)
    assert np.abs(drawn_as("layer/depthwise_kernel", (3, 3, 99, 1))).max() > np.sqrt(6.0 / 99)
    recurrent = drawn_as("layer/recurrent_kernel", (64, 200))
    assert np.abs(recurrent).max() <= np.sqrt(3.0 / 64)
    for name in ("gamma", "moving_variance"):
        assert drawn_as(f"layer/{name}", (9,)).min() >= 0.9
    for name in ("bias", "beta", "moving_mean"):
        assert np.abs(drawn_as(f"layer/{name}", (2, 9))).max() <= 0.05
    assert np.abs(drawn_as("embeddings", (50, 4))).max() > 0.9
