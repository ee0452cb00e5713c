"""What one ULP of input explains."""

import warnings

import msgspec
import numpy as np
import pytest

from assay.ir import Array, Case, Dot, Explicit, Graph, Input, Node
from assay.ir.transform import nudged_cases
from assay.judge import product_noise, quotient_noise, sensitivity
from assay.judge.rounding import NUDGES, half_noise, unit_of_upstream, zero_noise
from tests.factories import case_of
from tests.judge.observations import CHAIN


def nudged_results(array: Array, function: object) -> tuple[Array, list[Array]]:
    run = function  # any function of one array
    results = [
        run(case.input_arrays()["x0"])  # type: ignore[operator]
        for case in nudged_cases(case_of(array), NUDGES)
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


def test_noise_of_products_grows_with_inputs_and_upstream_gradients() -> None:
    def noise(*factors: float) -> float:
        x, upstream = (Explicit(np.array([[f, 0.5, np.nan]], "float32")) for f in factors)
        return product_noise(msgspec.structs.replace(CHAIN, inputs={"x": x}, loss=Dot((upstream,))))

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
    far = msgspec.structs.replace(case, inputs={"x": Explicit(np.array([[40.0]], "float32"))})
    saturated = quotient_noise(far, [np.array([[1.0]], "float32")])
    assert 2.0**-23 < saturated < 2.0**-20


def test_half_precision_rounds_by_the_size_of_the_result() -> None:
    small, large = np.array([6e-4, -1e-5]), np.array([2.0, np.inf])
    case = _half(np.ones(200, "float16"))
    assert half_noise(case, small) < 6e-5
    assert half_noise(case, large) == pytest.approx(0.125)


def test_no_sum_has_more_terms_than_numbers_go_in() -> None:
    few, many = _half(np.ones(4, "float16")), _half(np.ones(200, "float16"))
    result = np.array([2.0])
    assert half_noise(few, result) == pytest.approx(half_noise(many, result) / 16)
    assert product_noise(few) == pytest.approx(product_noise(many) / 16)
    # One that hangs on a single number is no sum at all.
    assert half_noise(many, result, 1) == pytest.approx(half_noise(many, result) / 64)


def _half(array: Array) -> Case:
    node = Node("n", "keras.layers.AveragePooling1D", ("x",), {"dtype": "float16"})
    return Case(
        Graph((Input("x", array.shape, "float16"),), (node,), ("n",)), {"x": Explicit(array)}
    )


def test_upstream_gradients_are_nudged_too() -> None:
    given = np.array([[1.0, -2.0, 0.0]], "float32")
    case = msgspec.structs.replace(
        CHAIN, inputs={"x": Explicit(given)}, loss=Dot((Explicit(given),)), stage="gradient"
    )
    moved = [item.loss.upstream[0].array for item in nudged_cases(case, 3)]  # type: ignore[union-attr]
    assert all((item != given).all() for item in moved)
    assert all(np.allclose(item, given, atol=1e-6) for item in moved)


def test_a_derivative_that_is_zero_leaves_units_of_its_terms() -> None:
    x = Explicit(np.array([[1.5]], "float32"))
    graph = Graph((Input("x", (1, 1)),), (Node("n", "keras.ops.normalize", ("x",)),), ("n",))
    case = Case(graph, {"x": x}, stage="gradient")
    nothing = [np.zeros(1, "float32")]
    assert quotient_noise(case, nothing) == 0.0
    assert 2.0**-23 <= zero_noise(case, nothing, 1.5) < 2.0**-20
    assert zero_noise(case, nothing, 0.03) == pytest.approx(zero_noise(case, nothing, 1.5) / 0.03)
    assert zero_noise(case, nothing, 1e-30) < 2.0**-12


def test_where_all_numbers_are_zero_terms_have_size_one() -> None:
    zeros = np.zeros((3, 3), "float32")
    loss = np.array([0.69], "float32")
    assert 1e-7 < quotient_noise(case_of(zeros), [loss]) < 1e-6
    beside = quotient_noise(case_of(zeros, np.full((3, 3), 0.25, "float32")), [loss])
    assert beside == pytest.approx(4 * quotient_noise(case_of(zeros), [loss]))


def test_a_jump_of_a_unit_of_the_upstream_gradients_is_no_kink() -> None:
    upstream = np.array([1 / 6, -1 / 3], "float32")
    case = msgspec.structs.replace(CHAIN, loss=Dot((Explicit(upstream),)))
    assert np.spacing(upstream[1]) < unit_of_upstream(case) < 1e-6
    assert unit_of_upstream(msgspec.structs.replace(CHAIN, loss=None)) == 0.0


@pytest.mark.parametrize(
    ("result", "largest"), [([3 + 4j, 1], 5.0), (np.array([-128, 1], "int8"), 128.0)]
)
def test_sizes_are_those_of_complex_and_of_the_smallest_whole_numbers(
    result: Array, largest: float
) -> None:
    case = case_of(np.ones(1, "float16"))
    one = half_noise(case, np.ones(1, "float16"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert half_noise(case, np.asarray(result)) == largest * one
