"""What one ULP of input explains."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from assay.ir import Array, Case, Dot, Explicit, Graph, Input, Node, Uniform, content_hash
from assay.judge import (
    gradient_noise,
    moderated_case,
    perturbed_cases,
    quotient_noise,
    sensitivity,
)
from assay.judge.rounding import NUDGES
from tests.judge.observations import CHAIN

FLOATS = ("float16", "float32", "float64")


def case_of(*arrays: Array) -> Case:
    names = [f"x{i}" for i in range(len(arrays))]
    graph = Graph(
        tuple(Input(n, a.shape, a.dtype.name) for n, a in zip(names, arrays, strict=True)),
        (Node("n", "keras.ops.add", tuple(names)),),
        ("n",),
    )
    explicit = {name: Explicit(array) for name, array in zip(names, arrays, strict=True)}
    return Case(graph, explicit, weights=Uniform(4))


@given(
    st.sampled_from(FLOATS).flatmap(
        lambda dtype: arrays_of.arrays(np.dtype(dtype), st.integers(1, 6).map(lambda n: (n,)))
    )
)
def test_every_finite_element_moves_by_about_one_ulp(array: Array) -> None:
    info = np.finfo(array.dtype)
    finite = np.isfinite(array)
    largest = np.abs(array[finite]).max() if finite.any() else array.dtype.type(1)
    for case in perturbed_cases(case_of(array)):
        moved = case.input_arrays()["x0"]
        assert moved.dtype == array.dtype
        np.testing.assert_array_equal(moved[~finite], array[~finite])
        assert np.isfinite(moved[finite]).all()
        origin = np.where(array[finite] == 0, largest or 1, np.abs(array[finite]))
        origin = np.maximum(origin, info.tiny).astype(array.dtype)
        with np.errstate(over="ignore"):
            step = np.abs(moved[finite].astype("float64") - array[finite].astype("float64"))
            spacing = np.spacing(origin / 2).astype("float64") * 2
        # Only the largest number of all has no neighbour on one side.
        at_the_edge = np.abs(array[finite]) > info.max * (1 - 4 * info.eps)
        assert ((step > 0) | at_the_edge).all()
        assert (step <= 2.5 * spacing).all()


def test_nudges_differ_and_repeat() -> None:
    case = case_of(np.linspace(-1, 1, 8, dtype="float32"))
    first = [content_hash(item) for item in perturbed_cases(case)]
    assert first == [content_hash(item) for item in perturbed_cases(case)]
    assert len(set(first)) == len(first) == NUDGES
    assert content_hash(case) not in first


def test_two_equal_inputs_are_nudged_apart() -> None:
    same = np.linspace(1, 2, 8, dtype="float32")
    for case in perturbed_cases(case_of(same, same)):
        first, second = case.input_arrays().values()
        assert (first != second).any()


def test_whole_numbers_and_everything_else_stay() -> None:
    whole, real = np.array([1, 2, 3]), np.array([1.0], "float32")
    case = case_of(whole, real)
    for nudged in perturbed_cases(case):
        assert nudged.input_arrays()["x0"].tolist() == [1, 2, 3]
        assert nudged.input_arrays()["x1"].tolist() != [1.0]
        assert content_hash(nudged.graph) == content_hash(case.graph)
        assert nudged.weights == case.weights
    assert perturbed_cases(case_of(whole, np.array([True]))) == ()


def nudged_results(array: Array, function: object) -> tuple[Array, list[Array]]:
    run = function  # any function of one array
    results = [
        run(case.input_arrays()["x0"])  # type: ignore[operator]
        for case in perturbed_cases(case_of(array))
    ]
    return run(array), results  # type: ignore[operator]


def test_rounding_explains_a_cancellation() -> None:
    array = np.array([1.0, 1.0000001, 0.3], "float32")

    def difference_of_large_numbers(x: Array) -> Array:
        return (x + np.float32(1e4)) - np.float32(1e4)

    base, moved = nudged_results(array, lambda x: np.atleast_1d(x[0] - x[1]) * 1e6)
    found = sensitivity(base, moved)
    assert found.explains(float(abs(base[0])), (0,))
    assert not found.explains(1e6, (0,))
    base, moved = nudged_results(array, difference_of_large_numbers)
    assert not sensitivity(base, moved).explains(0.5, (0,))


def test_rounding_does_not_explain_a_real_difference() -> None:
    array = np.linspace(0.5, 2.0, 7, dtype="float32")
    base, moved = nudged_results(array, np.tanh)
    assert not sensitivity(base, moved).explains(1e-3, (2,))


def test_a_kink_jumps_and_a_smooth_point_does_not() -> None:
    array = np.array([0.0, 1.0, -1.0], "float32")
    base, moved = nudged_results(array, np.sign)
    found = sensitivity(base, moved)
    assert found.explains(1.0, (0,))
    assert found.movement[1] == 0


def test_a_special_value_moves_only_where_it_does() -> None:
    array = np.array([0.0, 1.0], "float32")
    with np.errstate(divide="ignore", invalid="ignore"):
        base, moved = nudged_results(array, np.log)
    found = sensitivity(base, moved)
    assert found.special_moves((0,))
    assert not found.special_moves((1,))


def test_specials_that_stay_are_no_movement() -> None:
    base = np.array([np.nan, np.inf, 1.0])
    found = sensitivity(base, [base.copy()])
    assert not found.specials.any()
    assert found.movement.tolist() == [0, 0, 0]


def test_a_shape_that_changes_under_a_nudge_explains_anything() -> None:
    found = sensitivity(np.zeros((2, 2)), [np.zeros((3, 2))])
    assert found.explains(1e30, (1, 1))
    assert found.special_moves((0, 0))


def test_scalars_and_empty_arrays_have_a_sensitivity() -> None:
    found = sensitivity(np.array(1.0), [np.array(1.5), np.array(0.75)])
    assert float(found.movement) == 0.5
    assert found.explains(8.0, ())
    assert not sensitivity(np.zeros((0,)), [np.zeros((0,))]).explains(1.0, ())


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


def test_noise_of_a_gradient_grows_with_inputs_and_upstream_gradients() -> None:
    def noise(*factors: float) -> float:
        x, upstream = (Explicit(np.array([[f, 0.5, np.nan]], "float32")) for f in factors)
        return gradient_noise(
            msgspec.structs.replace(CHAIN, inputs={"x": x}, loss=Dot((upstream,)))
        )

    small = noise(0.25, 0.25)
    assert 1e-7 < small < 1e-5
    assert noise(0.25, 100.0) == noise(100.0, 0.25) == pytest.approx(100 * small)
    assert noise(100.0, 100.0) == pytest.approx(10_000 * small)


def test_cancelled_terms_are_as_large_as_output_over_input() -> None:
    x, upstream = np.array([[-0.00095]], "float32"), np.array([[1.0]], "float32")
    node = Node("n", "keras.layers.UnitNormalization", ("x",))
    case = Case(
        Graph((Input("x", (1, 1)),), (node,), ("n",)),
        {"x": Explicit(x)},
        loss=Dot((Explicit(upstream),)),
        stage="gradient",
    )
    noise = quotient_noise(case, [np.array([[-1.0]], "float32")])
    assert 2.0**-13 < noise < 2.0**-10
    assert quotient_noise(case, []) == 0.0
