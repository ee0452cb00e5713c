"""Spatial layers of the reference: documented examples, hand-computed ones, and properties."""

from typing import Any

import numpy as np
import pytest

from assay_worker.reference import Operation, Unsupported

STATE = np.random.RandomState(5)


def call(op: str, x: Any, *more: Any, weights: dict[str, Any] | None = None, **params: Any) -> Any:
    """The layer on an array, with the given weights."""
    x = np.asarray(x)
    x = x.astype("float64") if x.dtype == np.float32 else x
    with np.errstate(all="ignore"):
        return Operation("keras.layers." + op, params).run((x, *more), {}, weights or {}, False)[0]


def steps(*values: float) -> Any:
    """One sequence with one channel."""
    return np.array(values, "float64").reshape(1, -1, 1)


def image(rows: Any) -> Any:
    """One image with one channel."""
    return np.array(rows, "float64")[None, :, :, None]


SIX = np.arange(12).reshape(2, 2, 3)


@pytest.mark.parametrize(
    ("op", "x", "params", "expected"),
    [
        # Printed in Keras' documentation.
        ("Cropping1D", SIX.reshape(2, 3, 2), {"cropping": 1}, [[[2, 3]], [[8, 9]]]),
        ("ZeroPadding1D", SIX[:1], {"padding": 2}, [np.pad(SIX[0], ((2, 2), (0, 0)))]),
        ("UpSampling1D", SIX, {"size": 2}, np.repeat(SIX, 2, axis=1)),
        # By hand.
        ("RepeatVector", [[1, 2]], {"n": 3}, [[[1, 2], [1, 2], [1, 2]]]),
        ("ZeroPadding1D", SIX[:1], {"padding": [1, 0]}, [[[0, 0, 0], [0, 1, 2], [3, 4, 5]]]),
        (
            "Cropping2D",
            np.arange(12).reshape(1, 3, 4, 1),
            {"cropping": [[1, 0], [0, 2]]},
            [[[[4], [5]], [[8], [9]]]],
        ),
        ("Cropping2D", np.zeros((1, 3, 4, 2)), {}, np.zeros((1, 3, 4, 2))),
        ("Cropping3D", np.zeros((1, 3, 4, 5, 2)), {}, np.zeros((1, 1, 2, 3, 2))),
        ("AdaptiveAveragePooling1D", steps(1, 2, 3, 4), {"output_size": 2}, steps(1.5, 3.5)),
        # Five cells as three windows: {0, 1}, {1, 2, 3}, {3, 4}.
        ("AdaptiveMaxPooling1D", steps(5, 1, 2, 4, 3), {"output_size": 3}, steps(5, 4, 4)),
        ("AdaptiveMaxPooling1D", steps(1, 2), {"output_size": 4}, steps(1, 1, 2, 2)),
        ("Resizing", image([[1, 3]]), {"height": 1, "width": 4}, image([[1, 1.5, 2.5, 3]])),
        (
            "Resizing",
            image([[0, 1, 2, 3, 4, 5, 6]]),
            {"height": 1, "width": 3, "interpolation": "nearest"},
            image([[1, 3, 5]]),
        ),
        (
            "Resizing",
            image([[1, 2], [3, 4]]),
            {"height": 2, "width": 4, "pad_to_aspect_ratio": True, "fill_value": 9.0},
            image([[9, 1, 2, 9], [9, 3, 4, 9]]),
        ),
        (
            "Resizing",
            image([[1, 2, 3, 4], [5, 6, 7, 8]]),
            {"height": 2, "width": 2, "crop_to_aspect_ratio": True},
            image([[2, 3], [6, 7]]),
        ),
        # Twice as few pixels: the triangle covers four, 1 : 3 : 3 : 1.
        (
            "Resizing",
            image([[0, 0, 8, 0, 0, 0]]),
            {"height": 1, "width": 3, "antialias": True},
            image([[8 / 7, 3, 0]]),
        ),
        ("CenterCrop", image([[1, 2, 3, 4, 5]]), {"height": 1, "width": 2}, image([[2, 3]])),
        ("CenterCrop", image([[1, 3]]), {"height": 2, "width": 4}, image([[1, 1.5, 2.5, 3]] * 2)),
    ],
)
def test_gives_the_expected_example(op: str, x: Any, params: Any, expected: Any) -> None:
    found = call(op, x, **params)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"kernel_size": 3}, [1, 12, 123, 230, 300]),
        ({"kernel_size": 2, "strides": 3}, [1, 2, 0, 10, 20, 0, 100, 200, 0]),
        ({"kernel_size": 3, "padding": "same"}, [12, 123, 230]),
        ({"kernel_size": 3, "padding": "same", "strides": 2}, [1, 2, 13, 20, 130, 200]),
        ({"kernel_size": 2, "dilation_rate": 2}, [1, 10, 102, 20, 200]),
        ({"kernel_size": 2, "strides": 2, "output_padding": 1}, [1, 2, 10, 20, 100, 200, 0]),
    ],
)
def test_each_cell_adds_a_copy_of_the_kernel(params: Any, expected: Any) -> None:
    kernel = np.arange(1.0, params["kernel_size"] + 1).reshape(-1, 1, 1)
    found = call(
        "Conv1DTranspose",
        steps(1, 10, 100),
        weights={"kernel": kernel},
        filters=1,
        use_bias=False,
        **params,
    )
    assert found.ravel().tolist() == expected


@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize(
    ("kernel", "strides", "dilation"), [(3, 2, 1), (2, 2, 1), (2, 3, 1), (4, 1, 1), (3, 1, 2)]
)
def test_transposed_convolution_is_the_transpose_of_convolution(
    padding: str, kernel: int, strides: int, dilation: int
) -> None:
    params: dict[str, Any] = {"kernel_size": kernel, "strides": strides, "padding": padding}
    params.update(dilation_rate=dilation, use_bias=False)
    weight = STATE.standard_normal((kernel, kernel, 3, 4))
    y = STATE.standard_normal((2, 3, 4, 4))
    back = call("Conv2DTranspose", y, weights={"kernel": weight}, filters=3, **params)
    x = STATE.standard_normal(back.shape)
    there = call("Conv2D", x, weights={"kernel": weight}, filters=4, **params)
    assert there.shape == y.shape
    assert np.isclose((there * y).sum(), (x * back).sum())


def test_separable_is_depthwise_then_pointwise() -> None:
    x = STATE.standard_normal((2, 5, 4, 3))
    depthwise, pointwise = STATE.standard_normal((2, 3, 3, 2)), STATE.standard_normal((1, 1, 6, 4))
    window: dict[str, Any] = {"kernel_size": [2, 3], "depth_multiplier": 2, "padding": "same"}
    found = call(
        "SeparableConv2D",
        x,
        weights={"depthwise_kernel": depthwise, "pointwise_kernel": pointwise},
        filters=4,
        use_bias=False,
        **window,
    )
    middle = call("DepthwiseConv2D", x, weights={"kernel": depthwise}, use_bias=False, **window)
    expected = call(
        "Conv2D", middle, weights={"kernel": pointwise}, filters=4, kernel_size=1, use_bias=False
    )
    np.testing.assert_allclose(found, expected, rtol=1e-12)


INTERPOLATIONS = ["nearest", "bilinear", "lanczos3", "lanczos5"]


@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("interpolation", INTERPOLATIONS)
def test_resizing_keeps_constant_images_and_images_of_that_size(
    interpolation: str, antialias: bool
) -> None:
    def resized(x: Any, height: int, width: int) -> Any:
        return call(
            "Resizing",
            x,
            height=height,
            width=width,
            interpolation=interpolation,
            antialias=antialias,
        )

    np.testing.assert_allclose(resized(np.full((2, 5, 7, 3), 2.5), 3, 11), 2.5, rtol=1e-12)
    x = STATE.standard_normal((2, 5, 7, 3))
    np.testing.assert_allclose(resized(x, 5, 7), x, atol=1e-12)
    # Rows and columns are treated alike, and the image has no direction.
    np.testing.assert_allclose(
        resized(x, 3, 9), resized(x.swapaxes(1, 2), 9, 3).swapaxes(1, 2), atol=1e-12
    )
    np.testing.assert_allclose(resized(x[:, ::-1], 4, 7), resized(x, 4, 7)[:, ::-1], atol=1e-12)


def test_a_smooth_interpolation_goes_through_lines() -> None:
    line = np.arange(12.0).reshape(1, 12, 1, 1)
    expected = (np.arange(24) + 0.5) / 2 - 0.5
    found = call("UpSampling2D", line, size=[2, 1], interpolation="bilinear").ravel()
    np.testing.assert_allclose(found[4:-4], expected[4:-4], atol=1e-12)


def test_whole_numbers_stay_whole_numbers_where_pixels_only_move() -> None:
    x = np.array([[[1], [2]], [[3], [250]]], "uint8")
    found = call("Resizing", x, height=3, width=2, interpolation="lanczos3")
    assert found.dtype == np.uint8
    assert found.max() <= 255
    assert call("UpSampling2D", x[None]).dtype == np.uint8


def test_what_is_not_documented_is_unsupported() -> None:
    with pytest.raises(Unsupported, match="evenly"):
        call("Resizing", np.zeros((4, 5, 1)), height=5, width=5, pad_to_aspect_ratio=True)
    with pytest.raises(Unsupported, match="cubic"):
        call("Resizing", np.zeros((4, 5, 1)), height=5, width=5, interpolation="bicubic")
    with pytest.raises(Unsupported, match="infinite"):
        call("Resizing", np.full((4, 5, 1), np.inf), height=5, width=5)
    with pytest.raises(Unsupported, match="no steps"):
        call("GlobalAveragePooling1D", steps(1, 2), np.zeros((1, 2), bool))


def test_masked_steps_take_no_part_in_the_average() -> None:
    mask = np.array([[True, False, True]])
    assert call("GlobalAveragePooling1D", steps(1, 50, 3), mask).tolist() == [[2]]
    first = np.array([[[1.0, 50, 3], [2, 60, 4]]])
    found = call("GlobalAveragePooling1D", first, mask, data_format="channels_first", keepdims=True)
    assert found.tolist() == [[[2], [3]]]


def test_alpha_of_prelu_is_shared_along_axes() -> None:
    x = -np.ones((2, 3, 4))
    weights = Operation("keras.layers.PReLU", {"shared_axes": [1]}).weights((x,), {})
    assert [(item.name, item.shape) for item in weights] == [("alpha", (1, 4))]
    found = call("PReLU", x, weights={"alpha": np.arange(4.0)[None]}, shared_axes=[1])
    np.testing.assert_array_equal(found, np.broadcast_to(-np.arange(4.0), x.shape))


def test_a_softmax_of_masked_elements_only_is_zero() -> None:
    found = call("Softmax", np.ones((2, 2)), np.array([[False, False], [True, True]]))
    assert found.tolist() == [[0, 0], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("op", "x", "params"),
    [
        ("Cropping1D", steps(1, 2), {"cropping": 1}),
        ("Cropping2D", np.zeros((1, 3, 3, 1)), {"cropping": -1}),
        ("ZeroPadding3D", np.zeros((1, 3, 3, 3, 1)), {"padding": [1, 1]}),
        ("ZeroPadding1D", steps(1, 2), {"padding": "one"}),
        ("RepeatVector", np.zeros((2, 3)), {"n": 0}),
        ("AdaptiveMaxPooling1D", steps(1, 2), {"output_size": 0}),
        ("Resizing", np.zeros((4, 5, 1)), {"height": 0, "width": 2}),
        ("Resizing", np.zeros((4, 5, 1)), {"height": 2, "width": 2, "interpolation": "closest"}),
        ("CenterCrop", np.zeros((4, 5)), {"height": 2, "width": 2}),
        ("UpSampling2D", np.zeros((1, 2, 2, 1)), {"size": 0}),
    ],
)
def test_values_outside_the_documented_range_raise(op: str, x: Any, params: Any) -> None:
    with pytest.raises(ValueError, match=r"expected|leaves"):
        call(op, x, **params)
