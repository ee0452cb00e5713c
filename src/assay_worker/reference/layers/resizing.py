"""Images made larger, smaller or cropped.

Pixels are areas: the centre of pixel i of n is at (i + 0.5) / n. Each output pixel
is a weighted mean of input pixels; the interpolation says which kernel weighs them.
"""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.registry import Undocumented, reference


def _triangle(distance):
    return np.maximum(0.0, 1.0 - distance)


def _lanczos(radius):
    def kernel(distance):
        inside = np.sinc(distance) * np.sinc(distance / radius)
        return np.where(distance < radius, inside, 0.0)

    return kernel


_KERNELS = {
    "bilinear": _triangle,
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
}
_INTERPOLATIONS = ("nearest", "bicubic") + tuple(sorted(_KERNELS))


def _weights(length, size, interpolation, antialias):
    """What each of ``length`` input pixels contributes to each of ``size`` output pixels."""
    step = float(length) / size
    centres = (np.arange(size) + 0.5) * step - 0.5
    # Against aliasing the kernel grows with the distance between output pixels.
    width = max(step, 1.0) if antialias else 1.0
    distances = np.abs(centres[:, None] - np.arange(length)[None, :]) / width
    weights = _KERNELS[interpolation](distances)
    # Pixels outside of the image have no weight.
    return weights / weights.sum(axis=1, keepdims=True)


def resize(x, size, interpolation, antialias=False):
    """Channels-last images (batch, height, width, channels) of another height and width."""
    if interpolation not in _INTERPOLATIONS:
        raise ValueError(
            "expected interpolation to be one of %s; received %r"
            % (", ".join(_INTERPOLATIONS), interpolation)
        )
    if interpolation == "bicubic":
        # PyTorch takes -0.75 for the free coefficient, TensorFlow and JAX -0.5.
        raise Undocumented("which of the cubic kernels is meant is not documented")
    if interpolation == "nearest":
        for axis, wanted in zip((1, 2), size):
            x = np.take(x, (2 * np.arange(wanted) + 1) * x.shape[axis] // (2 * wanted), axis)
        return x
    x = x.astype("float64")
    if not np.isfinite(x).all():
        raise Undocumented("an interpolation of infinite or undefined pixels is not documented")
    rows = _weights(x.shape[1], size[0], interpolation, antialias)
    columns = _weights(x.shape[2], size[1], interpolation, antialias)
    return np.einsum("ih,jw,bhwc->bijc", rows, columns, x)


def _batched(x, data_format):
    """As a channels-last batch."""
    if x.ndim not in (3, 4):
        raise ValueError("expected images of rank 3 or 4; received shape %s" % (x.shape,))
    return arrays.to_channels_last(x if x.ndim == 4 else x[None], data_format)


def _unbatched(y, x, data_format):
    """The inverse of ``_batched``; ``x`` says what it was."""
    y = arrays.from_channels_last(y, data_format)
    return y if x.ndim == 4 else y[0]


def _centred(length, wanted):
    """Where ``wanted`` cells in the middle of ``length`` begin; the odd cell is after them."""
    return (length - wanted) // 2


def _crop(x, height, width):
    top, left = _centred(x.shape[1], height), _centred(x.shape[2], width)
    return x[:, top : top + height, left : left + width]


def _crop_to_ratio(x, height, width):
    """The largest window in the middle whose sides are as height to width."""
    most_height = max(1, min(x.shape[1], x.shape[2] * height // width))
    most_width = max(1, min(x.shape[2], x.shape[1] * width // height))
    return _crop(x, most_height, most_width)


def _pad_to_ratio(x, height, width, value):
    """The smallest frame around the image whose sides are as height to width."""
    frame = (max(x.shape[1], x.shape[2] * height // width),
             max(x.shape[2], x.shape[1] * width // height))  # fmt: skip
    spare = [wanted - length for wanted, length in zip(frame, x.shape[1:3])]
    if any(cells % 2 for cells in spare):
        raise Undocumented("an odd number of cells cannot be padded evenly")
    return arrays.pad_spatial(x, [(cells // 2, cells // 2) for cells in spare], value)


def _rounded(y, dtype):
    """Back to the dtype of the image, if that has whole numbers only."""
    if dtype.kind not in "iu" or y.dtype == dtype:
        return y
    if np.any(np.abs(y - np.floor(y) - 0.5) < 1e-4):
        raise Undocumented("which way a number between two whole ones rounds is not documented")
    info = np.iinfo(dtype)
    return np.clip(np.round(y), info.min, info.max).astype(dtype)


@reference("keras.layers.Resizing", integers=True)
def resizing(
    x,
    height,
    width,
    interpolation="bilinear",
    crop_to_aspect_ratio=False,
    pad_to_aspect_ratio=False,
    fill_mode="constant",
    fill_value=0.0,
    antialias=False,
    data_format=None,
):
    """Another height and width; the aspect ratio can be kept by cropping or padding."""
    (height,), (width,) = (
        arrays.integers(height, 1, "height"),
        arrays.integers(width, 1, "width"),
    )
    if crop_to_aspect_ratio and pad_to_aspect_ratio:
        raise ValueError("expected crop_to_aspect_ratio or pad_to_aspect_ratio; received both")
    if fill_mode != "constant":
        raise ValueError("expected fill_mode constant; received %r" % (fill_mode,))
    image = _batched(x, data_format)
    if crop_to_aspect_ratio:
        image = _crop_to_ratio(image, height, width)
    if pad_to_aspect_ratio:
        image = _pad_to_ratio(image, height, width, fill_value)
    y = resize(image, (height, width), interpolation, antialias)
    return _unbatched(_rounded(y, x.dtype), x, data_format)


@reference("keras.layers.CenterCrop")
def center_crop(x, height, width, data_format=None):
    """The middle of the image; of an image that is too small the largest window, resized."""
    (height,), (width,) = (
        arrays.integers(height, 1, "height"),
        arrays.integers(width, 1, "width"),
    )
    image = _batched(x, data_format)
    if image.shape[1] >= height and image.shape[2] >= width:
        return _unbatched(_crop(image, height, width), x, data_format)
    window = _crop_to_ratio(image, height, width)
    return _unbatched(resize(window, (height, width), "bilinear"), x, data_format)


def up_sampling(x, size=2, data_format=None, rank=2):
    """Each cell repeated."""
    arrays.need_rank(x, rank + 2)
    for axis, times in zip(
        arrays.spatial_axes(x, data_format), arrays.integers(size, rank, "size")
    ):
        x = np.repeat(x, times, axis=axis)
    return x


for _rank in (1, 3):
    reference("keras.layers.UpSampling%dD" % _rank, integers=True, rank=_rank)(up_sampling)


@reference("keras.layers.UpSampling2D", integers=True)
def up_sampling_2d(x, size=2, data_format=None, interpolation="nearest"):
    """Whole multiples of height and width."""
    arrays.need_rank(x, 4)
    if interpolation == "nearest":
        return up_sampling(x, size, data_format, rank=2)
    factors = arrays.integers(size, 2, "size")
    image = _batched(x, data_format)
    wanted = [length * factor for length, factor in zip(image.shape[1:3], factors)]
    return _unbatched(resize(image, wanted, interpolation), x, data_format)
