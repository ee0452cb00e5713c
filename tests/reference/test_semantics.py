"""The reference on examples worked out by hand or printed in the documentation."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_worker.libraries.reference import ReferenceAdapter
from assay_worker.reference import Operation, Unsupported, names
from tests.reference.cases import case

INFINITY, NAN = float("inf"), float("nan")


def call(op: str, *inputs: Any, weights: dict[str, Any] | None = None, **params: Any) -> Any:
    """The op on arrays, with the given weights."""
    arrays = [
        [np.asarray(part, "float64") for part in item]
        if isinstance(item, list)
        else np.asarray(item)
        for item in inputs
    ]
    arrays = [a.astype("float64") if getattr(a, "dtype", None) == np.float32 else a for a in arrays]
    given_weights = {k: np.asarray(v, "float64") for k, v in (weights or {}).items()}
    with np.errstate(all="ignore"):
        return Operation(op, params).run(arrays, {}, given_weights, False)[0]


@pytest.mark.parametrize(
    ("op", "inputs", "params", "expected"),
    [
        # Printed in Keras' documentation.
        ("keras.activations.relu", [-10.0, -5, 0, 5, 10], {}, [0, 0, 0, 5, 10]),
        (
            "keras.activations.relu",
            [-10.0, -5, 0, 5, 10],
            {"negative_slope": 0.5},
            [-5, -2.5, 0, 5, 10],
        ),
        ("keras.activations.relu", [-10.0, -5, 0, 5, 10], {"max_value": 5.0}, [0, 0, 0, 5, 5]),
        ("keras.activations.relu", [-10.0, -5, 0, 5, 10], {"threshold": 5.0}, [0, 0, 0, 0, 10]),
        (
            "keras.layers.ReLU",
            [-10.0, -5, 0, 5, 10],
            {"max_value": 10, "negative_slope": 0.5, "threshold": 0},
            [-5, -2.5, 0, 5, 10],
        ),
        ("keras.layers.Softmax", [1.0, 2.0, 1.0], {}, [0.21194157, 0.5761169, 0.21194157]),
        ("keras.ops.rot90", [[1, 2], [3, 4]], {}, [[2, 4], [1, 3]]),
        (
            "keras.ops.rot90",
            np.arange(8).reshape(2, 2, 2),
            {"k": 1, "axes": [1, 2]},
            [[[1, 3], [0, 2]], [[5, 7], [4, 6]]],
        ),
        (
            "keras.layers.UpSampling2D",
            np.arange(12).reshape(2, 2, 1, 3),
            {"size": [1, 2]},
            np.repeat(np.arange(12).reshape(2, 2, 1, 3), 2, axis=2),
        ),
        # By hand.
        ("keras.ops.rot90", [[1, 2, 3], [4, 5, 6]], {"k": 2}, [[6, 5, 4], [3, 2, 1]]),
        ("keras.ops.roll", [[1, 2], [3, 4]], {"shift": 1, "axis": [0, 1]}, [[4, 3], [2, 1]]),
        (
            "keras.ops.pad",
            [1, 2, 3],
            {"pad_width": [[2, 2]], "mode": "symmetric"},
            [2, 1, 1, 2, 3, 3, 2],
        ),
        (
            "keras.ops.pad",
            [1, 2, 3],
            {"pad_width": [[2, 2]], "mode": "reflect"},
            [3, 2, 1, 2, 3, 2, 1],
        ),
        ("keras.activations.sparsemax", [[1.0, 2.0, 1.5]], {}, [[0, 0.75, 0.25]]),
        ("keras.activations.hard_silu", [-4.0, 0, 1, 4], {}, [0, 0, 4 / 6, 4]),
        ("keras.activations.squareplus", [0.0, 3.0], {}, [1, (3 + math.sqrt(13)) / 2]),
        ("keras.layers.UnitNormalization", [[3.0, 4.0], [0, 0]], {}, [[0.6, 0.8], [0, 0]]),
        ("keras.layers.Flatten", np.arange(6.0).reshape(1, 2, 3), {}, [np.arange(6.0)]),
        ("keras.layers.Permute", np.zeros((2, 3, 4)), {"dims": [2, 1]}, np.zeros((2, 4, 3))),
        (
            "keras.layers.MaxPooling1D",
            [[[1.0], [3], [2], [5], [4]]],
            {"pool_size": 2, "padding": "same"},
            [[[3], [5], [4]]],
        ),
        # The last window holds one real cell: 4, not 4 / 2.
        (
            "keras.layers.AveragePooling1D",
            [[[1.0], [3], [2], [5], [4]]],
            {"pool_size": 2, "padding": "same"},
            [[[2], [3.5], [4]]],
        ),
        ("keras.ops.mean", [[1, 2], [3, 5]], {"axis": 0, "keepdims": True}, [[2, 3.5]]),
    ],
)
def test_gives_the_documented_example(op: str, inputs: Any, params: Any, expected: Any) -> None:
    np.testing.assert_allclose(call(op, np.asarray(inputs), **params), expected, atol=1e-8)


def test_convolution_is_cross_correlation_with_the_odd_cell_of_padding_at_the_end() -> None:
    x = np.array([[[1.0], [2.0], [3.0]]])
    kernel = np.array([10.0, 1.0]).reshape(2, 1, 1)
    params: dict[str, Any] = {"filters": 1, "kernel_size": 2, "use_bias": False}
    op, weights = "keras.layers.Conv1D", {"kernel": kernel}
    assert call(op, x, weights=weights, **params).ravel().tolist() == [12, 23]
    same = call(op, x, weights=weights, padding="same", **params)
    assert same.ravel().tolist() == [12, 23, 30]
    causal = call(op, x, weights=weights, padding="causal", **params)
    assert causal.ravel().tolist() == [1, 12, 23]


def test_groups_convolve_their_own_channels() -> None:
    x = np.array([[[1.0, 10.0]]])
    kernel = np.array([2.0, 3.0]).reshape(1, 1, 2)
    found = call(
        "keras.layers.Conv1D",
        x,
        weights={"kernel": kernel},
        filters=2,
        kernel_size=1,
        groups=2,
        use_bias=False,
    )
    assert found.ravel().tolist() == [2, 30]


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_channels_first_is_channels_last_transposed(rank: int) -> None:
    state = np.random.RandomState(0)
    x = state.standard_normal((2, *(5, 4, 6)[:rank], 4))
    first = np.moveaxis(x, -1, 1)
    kernel = state.standard_normal((*(2, 3, 2)[:rank], 2, 6))
    params: dict[str, Any] = {"filters": 6, "kernel_size": [2, 3, 2][:rank], "groups": 2}
    params.update(strides=2, padding="same", use_bias=False)
    op = f"keras.layers.Conv{rank}D"
    last = call(op, x, weights={"kernel": kernel}, **params)
    other = call(op, first, weights={"kernel": kernel}, data_format="channels_first", **params)
    np.testing.assert_array_equal(np.moveaxis(other, 1, -1), last)
    for kind in ("Max", "Average"):
        op = f"keras.layers.{kind}Pooling{rank}D"
        pooled = call(op, x, pool_size=2, padding="same")
        other = call(op, first, pool_size=2, padding="same", data_format="channels_first")
        np.testing.assert_array_equal(np.moveaxis(other, 1, -1), pooled)


def test_dilated_kernel_equals_a_kernel_with_holes() -> None:
    state = np.random.RandomState(0)
    x, kernel = state.standard_normal((1, 9, 2)), state.standard_normal((3, 2, 4))
    holes = np.zeros((5, 2, 4))
    holes[::2] = kernel
    params: dict[str, Any] = {"filters": 4, "use_bias": False}
    dilated = call(
        "keras.layers.Conv1D",
        x,
        weights={"kernel": kernel},
        kernel_size=3,
        dilation_rate=2,
        **params,
    )
    plain = call("keras.layers.Conv1D", x, weights={"kernel": holes}, kernel_size=5, **params)
    np.testing.assert_allclose(dilated, plain, rtol=1e-12)


def test_depthwise_is_a_convolution_with_one_group_per_channel() -> None:
    state = np.random.RandomState(0)
    x, kernel = state.standard_normal((2, 5, 4, 3)), state.standard_normal((2, 3, 3, 2))
    found = call(
        "keras.layers.DepthwiseConv2D",
        x,
        weights={"kernel": kernel},
        kernel_size=[2, 3],
        depth_multiplier=2,
        use_bias=False,
    )
    grouped = call(
        "keras.layers.Conv2D",
        x,
        weights={"kernel": kernel.reshape(2, 3, 1, 6)},
        filters=6,
        kernel_size=[2, 3],
        groups=3,
        use_bias=False,
    )
    np.testing.assert_allclose(found, grouped, rtol=1e-12)


numbers = st.lists(st.floats(-30, 30, width=32), min_size=2, max_size=8)


@given(numbers)
def test_softmax_and_sparsemax_are_points_of_the_simplex(values: list[float]) -> None:
    for name in ("softmax", "sparsemax"):
        found = call("keras.activations." + name, np.array([values]))
        assert found.min() >= 0
        assert math.isclose(found.sum(), 1.0, rel_tol=1e-12)


@given(numbers)
def test_identities_between_activations_hold(values: list[float]) -> None:
    x = np.array(values)

    def act(name: str, of: Any = x, **params: Any) -> Any:
        return call("keras.activations." + name, of, **params)

    np.testing.assert_allclose(act("softplus") - act("softplus", -x), x, atol=1e-12)
    np.testing.assert_allclose(act("sigmoid") + act("sigmoid", -x), 1, rtol=1e-12)
    np.testing.assert_allclose(act("log_sigmoid"), np.log(act("sigmoid")), rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(act("gelu") - act("gelu", -x), x, atol=1e-12)
    np.testing.assert_allclose(act("silu"), x * act("sigmoid"), rtol=1e-12)
    np.testing.assert_allclose(act("hard_silu"), x * act("hard_sigmoid"), atol=1e-12)
    np.testing.assert_allclose(act("celu", alpha=1.0), act("elu"), rtol=1e-12)
    np.testing.assert_allclose(act("squareplus") - act("squareplus", -x), x, atol=1e-12)


@given(numbers)
def test_normalized_arrays_have_mean_zero_and_variance_below_one(values: list[float]) -> None:
    x = np.array([values])
    found = call("keras.layers.LayerNormalization", x, center=False, scale=False)
    assert abs(found.mean()) < 1e-9
    assert found.var() <= 1 + 1e-9


def test_softmax_over_two_axes_sums_to_one_over_both() -> None:
    x = np.random.RandomState(0).standard_normal((2, 3, 4))
    found = call("keras.layers.Softmax", x, axis=[0, -1])
    np.testing.assert_allclose(found.sum(axis=(0, 2)), 1, rtol=1e-12)


def test_masked_elements_take_no_part_in_softmax() -> None:
    x = np.array([[1.0, 5.0, 2.0]])
    found = call("keras.layers.Softmax", x, np.array([[True, False, True]]))
    np.testing.assert_allclose(found[:, [0, 2]], call("keras.layers.Softmax", x[:, [0, 2]]))
    assert found[0, 1] == 0


def test_special_values_go_through_as_mathematics_says() -> None:
    assert call("keras.ops.hypot", np.array([INFINITY]), np.array([-INFINITY]))[0] == INFINITY
    assert call("keras.ops.logaddexp", np.array([-INFINITY]), np.array([-INFINITY]))[0] == -INFINITY
    assert np.isnan(call("keras.ops.maximum", np.array([NAN]), np.array([1.0]))[0])
    assert np.isnan(call("keras.activations.relu", np.array([NAN]))[0])
    assert call("keras.activations.relu", np.array([-INFINITY]))[0] == 0
    pooled = call("keras.layers.MaxPooling1D", np.array([[[1.0], [NAN]]]))
    assert np.isnan(pooled).all()


def test_integers_stay_integers_where_the_op_keeps_them() -> None:
    x = np.array([[100, 27]], "int8")
    assert call("keras.ops.add", x, x).dtype == np.int8
    assert call("keras.ops.sum", x).dtype == np.int32
    assert call("keras.ops.divide", x, x).dtype == np.float64
    assert call("keras.ops.exp", x).dtype == np.float64
    assert call("keras.layers.ReLU", x).dtype == np.int8


@pytest.mark.parametrize(
    ("op", "shape", "params", "message"),
    [
        ("keras.layers.Dense", (2, 3), {"units": 4, "colour": 1}, "does not know parameter colour"),
        ("keras.layers.Waveform", (2, 3), {"rate": 5}, "does not know keras.layers.Waveform"),
        ("keras.layers.Activation", (2, 3), {"activation": "wavy"}, "keras.activations.wavy"),
    ],
)
def test_what_it_does_not_know_is_told_apart_from_errors(
    op: str, shape: Any, params: Any, message: str
) -> None:
    (result,) = ReferenceAdapter("", "eager").execute(case(op, shape, params))
    assert result["status"] == "error"
    assert result["failure"]["exception"] == "assay_worker.reference.Unsupported"
    assert message in result["failure"]["message"]


@pytest.mark.parametrize(
    ("op", "shape", "params"),
    [
        ("keras.layers.Dense", (2, 3), {"units": 0}),
        ("keras.layers.Conv2D", (1, 4, 4, 3), {"filters": 2, "kernel_size": 0}),
        ("keras.layers.Conv2D", (1, 4, 4, 3), {"filters": 4, "kernel_size": 2, "groups": 2}),
        ("keras.layers.Conv2D", (1, 2, 2, 3), {"filters": 4, "kernel_size": 3}),
        ("keras.layers.Conv2D", (1, 4, 3), {"filters": 4, "kernel_size": 3}),
        ("keras.layers.MaxPooling2D", (1, 4, 4, 3), {"padding": "causal"}),
        ("keras.layers.ZeroPadding2D", (1, 4, 4, 3), {"padding": -1}),
        ("keras.layers.LayerNormalization", (2, 3), {"axis": 2}),
        ("keras.layers.Reshape", (2, 3), {"target_shape": [4]}),
        ("keras.ops.pad", (2, 3), {"pad_width": 1, "mode": "edge", "constant_values": 1}),
    ],
)
def test_values_outside_the_documented_range_raise(op: str, shape: Any, params: Any) -> None:
    (result,) = ReferenceAdapter("", "eager").execute(case(op, shape, params))
    assert result["status"] == "error"
    assert result["failure"]["exception"] == "builtins.ValueError"
    assert result["failure"]["node"] == "n"


def test_initializers_and_names_have_no_effect() -> None:
    plain = case("keras.layers.Dense", (2, 3), {"units": 4})
    named = case(
        "keras.layers.Dense", (2, 3), {"units": 4, "name": "d", "kernel_initializer": "zeros"}
    )
    adapter = ReferenceAdapter("", "eager")
    (first,), (second,) = adapter.execute(plain), adapter.execute(named)
    np.testing.assert_array_equal(first["arrays"]["output:n"], second["arrays"]["output:n"])
    assert first["digest"] == second["digest"]


def test_every_name_constructs() -> None:
    assert len(names()) > 150
    for name in names():
        Operation(name, {})
    with pytest.raises(Unsupported):
        Operation("keras.layers.Nothing", {})


def test_runs_repeat_exactly_and_leave_inputs_alone() -> None:
    plain = case("keras.layers.Dense", (2, 3), {"units": 4}, stage="gradient")
    (result,) = ReferenceAdapter("", "eager").execute(plain, variants=["again"])
    again = result["variants"]["again"]
    assert (result["status"], again["status"]) == ("ok", "ok")
    assert (set(again["same"]), again["arrays"]) == (set(result["arrays"]), {})
