"""The image functions of ``keras.ops``: images with or without a batch."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.layers.resizing import _batched, _unbatched
from assay_worker.reference.registry import Undocumented, Unsupported, reference


def _image(*names, **options):
    return reference(*["keras.ops.image." + name for name in names], **options)


# ------------------------------------------------------------------ colours


def _coloured(images, data_format):
    x = _batched(images, data_format)
    if x.shape[-1] != 3:
        raise ValueError("expected three channels; received shape %s" % (images.shape,))
    return x


def _need_unit(x):
    # A little more, for finite differences at the ends.
    if not np.all((x >= -0.01) & (x <= 1.01)):
        raise Undocumented("colours are documented from 0 to 1")


@_image("rgb_to_grayscale")
def rgb_to_grayscale(images, data_format=None):
    """Luma: 0.2989 R + 0.587 G + 0.114 B (ITU-R BT.601, as rounded everywhere)."""
    x = _coloured(images, data_format)
    y = (x * [0.2989, 0.587, 0.114]).sum(axis=-1, keepdims=True)
    return _unbatched(y, images, data_format)


@_image("rgb_to_hsv")
def rgb_to_hsv(images, data_format=None):
    """Hue, saturation and value, all from 0 to 1; red has hue 0."""
    x = _coloured(images, data_format)
    _need_unit(x)
    red, green, blue = x[..., 0], x[..., 1], x[..., 2]
    value, spread = x.max(axis=-1), x.max(axis=-1) - x.min(axis=-1)
    safe = np.where(spread > 0, spread, 1.0)
    hue = np.where(
        value == red,
        (green - blue) / safe,
        np.where(value == green, 2.0 + (blue - red) / safe, 4.0 + (red - green) / safe),
    )
    hue = np.where(spread > 0, hue / 6.0 % 1.0, 0.0)
    saturation = np.where(value > 0, spread / np.where(value > 0, value, 1.0), 0.0)
    return _unbatched(np.stack([hue, saturation, value], axis=-1), images, data_format)


@_image("hsv_to_rgb")
def hsv_to_rgb(images, data_format=None):
    """The inverse of ``rgb_to_hsv``."""
    x = _coloured(images, data_format)
    _need_unit(x)
    hue, saturation, value = x[..., 0], x[..., 1], x[..., 2]
    sectors = 6.0 * hue[..., None] + np.array([0.0, 4.0, 2.0])
    # Each colour is 1 over a third of the circle, falls to 0 over a sixth.
    pure = np.clip(np.abs(sectors % 6.0 - 3.0) - 1.0, 0.0, 1.0)
    y = value[..., None] * (1.0 - saturation[..., None] * (1.0 - pure))
    return _unbatched(y, images, data_format)


# ---------------------------------------------------------- crop and padding


def _border(before, after, target, length, sign):
    """Cells to add (``sign`` 1) or drop (-1) before and after."""
    if sum(item is not None for item in (before, after, target)) != 2:
        raise ValueError(
            "expected two of before, after and target; received %r" % ((before, after, target),)
        )
    total = before + after if target is None else sign * (target - length)
    before = total - after if before is None else before
    after = total - before if after is None else after
    if before < 0 or after < 0 or (sign < 0 and total >= length):
        raise ValueError("expected borders of at least 0; received %r" % ((before, after),))
    return before, after


@_image("crop_images", integers=True)
def crop_images(
    images,
    top_cropping=None,
    left_cropping=None,
    bottom_cropping=None,
    right_cropping=None,
    target_height=None,
    target_width=None,
    data_format=None,
):
    """Without its borders."""
    x = _batched(images, data_format)
    top, bottom = _border(top_cropping, bottom_cropping, target_height, x.shape[1], -1)
    left, right = _border(left_cropping, right_cropping, target_width, x.shape[2], -1)
    y = x[:, top : x.shape[1] - bottom, left : x.shape[2] - right]
    return _unbatched(y, images, data_format)


@_image("pad_images", integers=True)
def pad_images(
    images,
    top_padding=None,
    left_padding=None,
    bottom_padding=None,
    right_padding=None,
    target_height=None,
    target_width=None,
    data_format=None,
):
    """With zeros around it."""
    x = _batched(images, data_format)
    rows = _border(top_padding, bottom_padding, target_height, x.shape[1], 1)
    columns = _border(left_padding, right_padding, target_width, x.shape[2], 1)
    y = np.pad(x, [(0, 0), rows, columns, (0, 0)], mode="constant")
    return _unbatched(y, images, data_format)


# ------------------------------------------------------------------ patches


def _patches(images, size, strides, dilation_rate, padding, data_format, rank):
    if images.ndim not in (rank + 1, rank + 2):
        raise ValueError("expected images of %d axes; received %s" % (rank, images.shape))
    batched = images if images.ndim == rank + 2 else images[None]
    x = arrays.to_channels_last(batched, data_format)
    sizes = arrays.integers(size, rank, "size")
    steps = sizes if strides is None else arrays.integers(strides, rank, "strides")
    gaps = arrays.integers(dilation_rate, rank, "dilation_rate")
    reach = [(length - 1) * gap + 1 for length, gap in zip(sizes, gaps)]
    if padding == "same":
        x = arrays.pad_spatial(x, arrays.same_padding(x.shape[1:-1], reach, steps), 0.0)
    elif padding != "valid":
        raise ValueError("expected padding valid or same; received %r" % (padding,))
    patches = arrays.windows(x, sizes, steps, gaps)
    outputs, window = patches.shape[: rank + 1], patches.shape[rank + 1 :]
    y = patches.reshape(outputs + (int(np.prod(window)),))
    y = arrays.from_channels_last(y, data_format)
    return y if images.ndim == rank + 2 else y[0]


@_image("extract_patches")
def extract_patches(images, size, strides=None, dilation_rate=1, padding="valid", data_format=None):
    """Windows as channels: rows, columns, then the channels of a pixel."""
    rank = 3 if isinstance(size, tuple) and len(size) == 3 else 2
    return _patches(images, size, strides, dilation_rate, padding, data_format, rank)


@_image("extract_patches_3d")
def extract_patches_3d(
    volumes, size, strides=None, dilation_rate=1, padding="valid", data_format=None
):
    """The same for volumes."""
    return _patches(volumes, size, strides, dilation_rate, padding, data_format, 3)


# ------------------------------------------------------------------ filters


def _gaussian(size, sigma):
    distance = np.arange(size) - (size - 1) / 2.0
    weights = np.exp(-0.5 * (distance / sigma) ** 2)
    return weights / weights.sum()


def _filtered(x, rows, columns):
    """Weighted means over windows of a channels-last batch."""
    patches = arrays.windows(x, (len(rows), len(columns)), (1, 1), (1, 1))
    return np.einsum("bijhwc,h,w->bijc", patches, rows, columns)


@_image("gaussian_blur")
def gaussian_blur(images, kernel_size=(3, 3), sigma=(1.0, 1.0), data_format=None):
    """Weighted means around each pixel; zeros around the image."""
    height, width = arrays.integers(kernel_size, 2, "kernel_size")
    if height % 2 == 0 or width % 2 == 0:
        raise Unsupported("where the middle of an even window is, is not documented")
    x = _batched(images, data_format)
    x = arrays.pad_spatial(x, [(height // 2,) * 2, (width // 2,) * 2], 0.0)
    y = _filtered(x, _gaussian(height, sigma[0]), _gaussian(width, sigma[1]))
    return _unbatched(y, images, data_format)


@_image("sobel_edges")
def sobel_edges(images, data_format=None):
    """Differences down and to the right, smoothed across."""
    # TensorFlow mirrors the image there, the others put zeros around it.
    raise Undocumented("what lies beyond the border of an image is not documented")


@_image("ssim")
def ssim(
    image1,
    image2,
    max_val=1.0,
    filter_size=11,
    filter_sigma=1.5,
    k1=0.01,
    k2=0.03,
    data_format=None,
):
    """Mean structural similarity over all windows inside of the image (Wang et al., 2004)."""
    first, second = _batched(image1, data_format), _batched(image2, data_format)
    weights = _gaussian(filter_size, filter_sigma)

    def mean(x):
        return _filtered(x, weights, weights)

    mean1, mean2 = mean(first), mean(second)
    variance1, variance2 = mean(first**2) - mean1**2, mean(second**2) - mean2**2
    covariance = mean(first * second) - mean1 * mean2
    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    likeness = (2.0 * mean1 * mean2 + c1) / (mean1**2 + mean2**2 + c1)
    structure = (2.0 * covariance + c2) / (variance1 + variance2 + c2)
    y = (likeness * structure).mean(axis=(1, 2, 3))
    return y if image1.ndim == 4 else y[0]
