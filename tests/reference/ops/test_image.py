"""Images: documented examples, and rules that any right answer keeps."""

import colorsys

import numpy as np
import pytest

from assay_worker.reference import Unsupported
from tests.reference.ops.calls import call

DRAW = np.random.default_rng(6)
IMAGES = DRAW.random((2, 5, 6, 3))


def _channels_first(x: np.ndarray) -> np.ndarray:
    return np.moveaxis(x, -1, 1)


def test_colours_are_those_of_colorsys() -> None:
    for name in ("rgb_to_hsv", "hsv_to_rgb"):
        found = call(f"image.{name}", IMAGES)
        expected = [getattr(colorsys, name)(*pixel) for pixel in IMAGES.reshape(-1, 3)]
        assert np.allclose(found.reshape(-1, 3), expected)
        first = call(f"image.{name}", _channels_first(IMAGES), data_format="channels_first")
        assert np.allclose(first, _channels_first(found))
    grey = call("image.rgb_to_grayscale", np.ones((2, 2, 3)))
    assert np.allclose(grey, 0.9999)


def test_crop_undoes_pad() -> None:
    padded = call("image.pad_images", IMAGES, top_padding=2, left_padding=3,
                  target_height=10, target_width=12)  # fmt: skip
    assert padded.shape == (2, 10, 12, 3)
    found = call("image.crop_images", padded, top_cropping=2, left_cropping=3,
                 target_height=5, target_width=6)  # fmt: skip
    assert np.array_equal(found, IMAGES)
    image = np.arange(1.0, 28.0).reshape(3, 3, 3)
    cropped = call("image.crop_images", image, top_cropping=0, left_cropping=0,
                   bottom_cropping=1, right_cropping=1)  # fmt: skip
    assert cropped[:, :, 0].tolist() == [[1, 4], [10, 13]]


def test_patches_hold_rows_columns_channels() -> None:
    found = call("image.extract_patches", IMAGES, size=(2, 3), strides=1)
    assert found.shape == (2, 4, 4, 18)
    assert np.array_equal(found[1, 2, 3], IMAGES[1, 2:4, 3:6].reshape(-1))
    volume = DRAW.random((4, 5, 6, 2))
    found = call("image.extract_patches_3d", volume, size=2)
    assert np.array_equal(found[1, 0, 2], volume[2:4, 0:2, 4:6].reshape(-1))


def test_scale_and_translate_as_documented() -> None:
    image = np.arange(9.0).reshape(3, 3)
    scale = np.array([2.0, 2.0])
    found = call("image.scale_and_translate", image, scale=scale, translation=-(scale / 2 - 0.5),
                 output_shape=(5, 5), spatial_dims=(0, 1), method="linear")  # fmt: skip
    assert np.allclose(found[0], [0.0, 0.5, 1.0, 1.5, 2.0])
    assert np.allclose(found[4], [6.0, 6.5, 7.0, 7.5, 8.0])


def test_coordinates_between_and_beyond_cells() -> None:
    row = np.array([1.0, 2.0, 4.0])
    places = np.array([[0.5, 1.25, -1.0, 3.0, -2.0, 4.0]])
    expected = {
        "constant": [1.5, 2.5, 0, 0, 0, 0],
        "nearest": [1.5, 2.5, 1, 4, 1, 4],
        "wrap": [1.5, 2.5, 4, 1, 2, 2],
        "mirror": [1.5, 2.5, 2, 2, 4, 1],
        "reflect": [1.5, 2.5, 1, 4, 2, 2],
    }
    for mode, values in expected.items():
        found = call("image.map_coordinates", row, places, order=1, fill_mode=mode)
        assert np.allclose(found, values), mode
    found = call("image.map_coordinates", row, np.array([[-0.5]]), order=1, fill_value=3)
    assert np.allclose(found, 2.0)
    with pytest.raises(Unsupported):
        call("image.map_coordinates", row, np.array([[0.5]]), order=0)


def test_transforms_move_pixels() -> None:
    image = IMAGES[0]
    identity = np.array([1.0, 0, 0, 0, 1, 0, 0, 0])
    assert np.allclose(call("image.affine_transform", image, identity), image)
    shifted = identity + np.array([0, 0, 1, 0, 0, 2, 0, 0])
    found = call("image.affine_transform", image, shifted, fill_value=7)
    assert np.allclose(found[:3, :5], image[2:, 1:])
    assert np.all(found[3:] == 7)
    corners = np.array([[0.0, 0], [6, 0], [0, 5], [6, 5]])
    found = call("image.perspective_transform", image, corners, corners + np.array([2.0, 1.0]))
    assert np.allclose(found[1:, 2:], image[:-1, :-2])


def test_filters() -> None:
    impulse = np.zeros((1, 5, 7, 1))
    impulse[0, 2, 3, 0] = 1.0
    blurred = call("image.gaussian_blur", impulse, kernel_size=(3, 5), sigma=(0.5, 2.0))
    assert np.isclose(blurred.sum(), 1.0)
    tall, wide = blurred[0, 1:4, 3, 0], blurred[0, 2, 1:6, 0]
    assert np.allclose(tall / tall[1], np.exp(-0.5 * np.array([4.0, 0, 4])))
    assert np.allclose(wide / wide[2], np.exp(-np.array([4.0, 1, 0, 1, 4]) / 8))
    with pytest.raises(Unsupported, match="border"):
        call("image.sobel_edges", impulse)
    large = DRAW.random((2, 9, 8, 1))
    assert np.allclose(call("image.ssim", large, large, filter_size=5), 1.0)
    assert np.all(call("image.ssim", large, 1.0 - large, filter_size=5) < 0.5)
