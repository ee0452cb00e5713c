"""Properties of random draws: right draws have all of them, each wrong draw lacks one."""

from typing import Any

import numpy as np
import pytest

from assay_worker.random_properties import Drawn, names, truths

RANDOM = np.random.RandomState(7)
GENERATOR = object()


def lacking(op: str, first: Any, *arguments: Any, second: Any = None, **keywords: Any) -> set[str]:
    """The properties that a draw, by default the same twice with an integer seed, does not have."""
    path = f"keras.random.{op}"
    drawn = Drawn(first, first if second is None else second, str(first.dtype))
    found = truths(path, drawn, arguments, {"seed": 3, **keywords})
    assert found.dtype == "float32"
    return {name for name, truth in zip(names(path), found, strict=True) if not truth}


def _floats(*values: float) -> Any:
    return np.array(values, "float32")


def _uniform(*shape: int) -> Any:
    return RANDOM.random_sample(shape).astype("float32")


def test_an_op_that_is_not_random_has_no_properties() -> None:
    assert names("keras.ops.add") == ()


@pytest.mark.parametrize(
    ("op", "draw", "arguments"),
    [
        ("normal", RANDOM.normal(size=(2, 3)), {"shape": (2, 3)}),
        ("normal", np.full(4, 1e3), {"shape": (4,), "mean": 1e3, "stddev": 0.0}),
        ("truncated_normal", np.array([-2.0, 2.0]), {"shape": (2,)}),
        ("uniform", np.array([0.0, 0.99]), {"shape": (2,)}),
        # The sum of minval and a product may round to maxval.
        ("uniform", np.array([0.5, 0.75]), {"shape": (2,), "minval": 0.5, "maxval": 0.75}),
        ("gamma", np.array([0.0, 3.0]), {"shape": (2,), "alpha": 0.5}),
        ("beta", np.array([0.0, 1.0]), {"shape": (2,), "alpha": 0.001, "beta": 0.001}),
        ("binomial", np.array([0.0, 5.0]), {"shape": (2,), "counts": 5, "probabilities": 0.5}),
        (
            "binomial",
            np.array([[0.0, 1.0, 3.0]]),
            {"shape": (1, 3), "counts": (3, 4, 3), "probabilities": (0.0, 0.5, 1.0)},
        ),
    ],
)
def test_a_right_draw_has_all_properties(op: str, draw: Any, arguments: dict[str, Any]) -> None:
    assert lacking(op, draw.astype("float32"), **arguments) == set()


@pytest.mark.parametrize(
    ("op", "values", "arguments", "expected"),
    [
        ("normal", (0.0, 41.0), {}, "within 40 standard deviations"),
        ("normal", (0.0, np.nan), {}, "within 40 standard deviations"),
        ("truncated_normal", (0.0, 2.01), {}, "within 2 standard deviations"),
        ("uniform", (0.5, 1.0), {}, "maxval excluded"),
        ("uniform", (0.1, 0.6), {"minval": 0.5}, "from minval to maxval"),
        ("gamma", (0.5, -0.1), {"alpha": 0.5}, "not negative"),
        ("gamma", (1e4, 1.0), {"alpha": 1e4}, "within reach of the mean"),
        ("beta", (0.5, 1.5), {"alpha": 1.0, "beta": 1.0}, "in [0, 1]"),
        ("beta", (0.5, np.nan), {"alpha": 1.0, "beta": 1.0}, "in [0, 1]"),
        ("beta", (0.5, 0.1), {"alpha": 5e3, "beta": 5e3}, "within reach of the mean"),
        ("binomial", (1.0, 0.5), {"counts": 5, "probabilities": 0.5}, "whole numbers"),
        ("binomial", (1.0, 6.0), {"counts": 5, "probabilities": 0.5}, "in [0, counts]"),
        ("binomial", (0.0, 1.0), {"counts": 5, "probabilities": 0.0}, "certain outcomes"),
        ("binomial", (5e3, 1e4), {"counts": 1e4, "probabilities": 0.5}, "within reach of the mean"),
    ],
)
def test_a_wrong_draw_lacks_the_property(
    op: str, values: tuple[float, ...], arguments: dict[str, Any], expected: str
) -> None:
    assert expected in lacking(op, _floats(*values), shape=(2,), **arguments)


def test_half_precision_is_given_room_for_rounding() -> None:
    bounds = {"shape": (2,), "mean": 100.1, "stddev": 0.25, "dtype": "float16"}
    assert lacking("truncated_normal", np.array([99.5, 100.6], "float16"), **bounds) == set()
    assert lacking("truncated_normal", np.array([98.0, 100.6], "float16"), **bounds) != set()


def test_shape_and_dtype_are_those_asked_for() -> None:
    assert lacking("uniform", _uniform(3), shape=(4,)) == {"shape"}
    assert lacking("uniform", _uniform(3), shape=(3,), dtype="float16") == {"dtype"}
    assert lacking("uniform", _uniform(3).astype("float16"), shape=(3,), dtype="float16") == set()


def test_an_integer_seed_repeats_and_a_generator_advances() -> None:
    first, second = _uniform(5, 4), _uniform(5, 4)
    assert lacking("uniform", first, second=second, shape=(5, 4)) == {"repeats"}
    for seed in (None, GENERATOR):
        assert lacking("uniform", first, second=second, shape=(5, 4), seed=seed) == set()
        assert lacking("uniform", first, shape=(5, 4), seed=seed) == {"advances"}
    # Few values may well come twice.
    assert lacking("uniform", first[0], shape=(4,), seed=None) == set()
    ones = np.ones((5, 4), "int32")
    assert lacking("randint", ones, (5, 4), 0, 2, seed=None) == set()


def test_whole_numbers_stay_below_maxval() -> None:
    draw = np.array([3, 9], "int32")
    assert lacking("randint", draw, (2,), 3, 10) == set()
    assert lacking("randint", draw, (2,), 3, 9) == {"in [minval, maxval)"}
    assert lacking("randint", draw, (2,), 4, 10) == {"in [minval, maxval)"}
    highest = np.array([2**32 - 1], "uint32")
    assert lacking("randint", highest, (1,), 0, 2**32, dtype="uint32") == set()


def test_classes_exist_and_are_possible() -> None:
    logits = _floats(0.0, -np.inf, 1.0, -500.0)[None]
    assert lacking("categorical", np.array([[0, 2, 2]], "int32"), logits, 3) == set()
    assert lacking("categorical", np.array([[0, 2, 4]], "int32"), logits, 3)
    impossible = {"never an impossible class"}
    assert lacking("categorical", np.array([[0, 2, 1]], "int32"), logits, 3) == impossible
    assert lacking("categorical", np.array([[0, 2, 3]], "int32"), logits, 3) == impossible
    # No distribution, no claim.
    for values in ((np.nan, 0.0), (np.inf, 0.0), (-np.inf, -np.inf)):
        assert lacking("categorical", np.array([[7]], "int32"), _floats(*values)[None], 1) == set()


def test_what_is_not_dropped_is_scaled() -> None:
    x = _floats(1.0, -2.0, 0.0, 4.0)
    scaled = {"dropped or scaled"}
    assert lacking("dropout", _floats(2.0, 0.0, 0.0, 8.0), x, 0.5) == set()
    assert lacking("dropout", _floats(1.0, 0.0, 0.0, 8.0), x, 0.5) == scaled
    assert lacking("dropout", x, x, 0.0) == set()
    assert lacking("dropout", _floats(0.0, -2.0, 0.0, 4.0), x, 0.0) == scaled
    assert lacking("dropout", _floats(0.0, 0.0, 0.0, 0.0), x, 1.0) == set()
    assert lacking("dropout", _floats(0.0, 0.0, np.nan, 0.0), x, 1.0) == scaled
    special = _floats(np.nan, np.inf, 3e38, 1e-40)
    assert lacking("dropout", _floats(0.0, np.nan, np.inf, 0.0), special, 0.5) == set()


def test_noise_is_shared_where_its_shape_is_one() -> None:
    x = np.ones((2, 3), "float32")
    together = np.array([[2, 2, 2], [0, 0, 0]], "float32")
    apart = np.array([[2, 2, 0], [0, 0, 0]], "float32")
    for shape in ((2, 1), (None, 1)):
        assert lacking("dropout", together, x, 0.5, noise_shape=shape) == set()
        assert lacking("dropout", apart, x, 0.5, noise_shape=shape) == {
            "noise_shape drops together"
        }
    assert lacking("dropout", apart, x, 0.5) == set()


def test_dropout_without_an_integer_seed_drops_others_each_time() -> None:
    x = np.ones((10, 10), "float32")
    first = np.where(_uniform(10, 10) < 0.5, x * 2, 0).astype("float32")
    assert lacking("dropout", first, x, 0.5, seed=GENERATOR) == {"advances"}
    assert lacking("dropout", first[:2], x[:2], 0.5, seed=GENERATOR) == set()


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_a_shuffle_is_a_permutation_along_its_axis(axis: int, dtype: str) -> None:
    x = np.arange(24).reshape(2, 3, 4).astype(dtype)
    order = RANDOM.permutation(x.shape[axis])
    whole = np.take(x, order, axis)
    assert lacking("shuffle", whole, x, axis=axis) == set()
    repeated = np.take(x, np.zeros_like(order), axis)
    assert "a permutation along the axis" in lacking("shuffle", repeated, x, axis=axis)
    # One line in another order than the rest: each line is a permutation.
    moved = np.moveaxis(x.copy(), axis, 0)
    moved[:, 0, 0] = moved[::-1, 0, 0]
    torn = np.moveaxis(moved, 0, axis)
    assert lacking("shuffle", torn, x, axis=axis) == set()


def test_a_shuffle_of_many_slices_moves_some() -> None:
    x = np.arange(24, dtype="int32")
    assert lacking("shuffle", x, x) == {"moved"}
    assert lacking("shuffle", x[:5], x[:5]) == set()
    assert lacking("shuffle", x[::-1], x, seed=None) == {"advances"}


def test_nan_and_negative_zero_are_elements_as_any_other() -> None:
    x = _floats(np.nan, -0.0, 0.0, np.inf)
    assert lacking("shuffle", x[::-1].copy(), x) == set()
    assert lacking("shuffle", np.abs(x), x) == {"a permutation along the axis"}


@pytest.mark.parametrize("shape", [(0,), (0, 3), ()])
def test_empty_and_scalar_draws_are_right(shape: tuple[int, ...]) -> None:
    draw = np.full(shape, 0.5, "float32")
    assert lacking("uniform", draw, shape=shape, seed=None) == set()
    assert lacking("beta", draw, shape=shape, alpha=1.0, beta=1.0) == set()
    if shape:
        assert lacking("shuffle", draw, draw) == set()
        assert lacking("dropout", draw, draw, 0.5, seed=None) == set()


def test_a_draw_from_nonsense_has_no_property_and_raises_nothing() -> None:
    assert len(lacking("gamma", _uniform(2), shape=(2,), alpha="many")) == len(
        names("keras.random.gamma")
    )
