"""Image functions of ``keras.ops`` that look up values between pixels."""

import itertools

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.layers.resizing import _KERNELS, _batched, _unbatched, resizing
from assay_worker.reference.registry import Undocumented, reference


def _image(*names, **options):
    return reference(*["keras.ops.image." + name for name in names], **options)


# ------------------------------------------------------------------- resize


@_image("resize", integers=True)
def resize(
    images,
    size,
    interpolation="bilinear",
    antialias=False,
    crop_to_aspect_ratio=False,
    pad_to_aspect_ratio=False,
    fill_mode="constant",
    fill_value=0.0,
    data_format=None,
):
    """As the layer Resizing."""
    height, width = arrays.integers(size, 2, "size")
    return resizing(
        images,
        height,
        width,
        interpolation,
        crop_to_aspect_ratio,
        pad_to_aspect_ratio,
        fill_mode,
        fill_value,
        antialias,
        data_format,
    )


_METHODS = {
    "linear": "bilinear", "bilinear": "bilinear", "trilinear": "bilinear", "triangle": "bilinear",
    "cubic": "bicubic", "bicubic": "bicubic", "tricubic": "bicubic",
    "lanczos3": "lanczos3", "lanczos5": "lanczos5",
}  # fmt: skip


@_image("scale_and_translate")
def scale_and_translate(
    images, output_shape, scale, translation, spatial_dims, method, antialias=True
):
    """Pixel centres are moved to x * scale + translation; what comes from outside is zero."""
    if method not in _METHODS:
        raise ValueError("expected a resize method; received %r" % (method,))
    if not np.isfinite(images).all():
        raise Undocumented("an interpolation of infinite or undefined pixels is not documented")
    kernel = _KERNELS[_METHODS[method]]
    y = images
    for place, axis in enumerate(spatial_dims):
        length, wanted = images.shape[axis], output_shape[axis]
        step = 1.0 / scale[place]
        centres = (np.arange(wanted) + 0.5 - translation[place]) * step - 0.5
        width = max(step, 1.0) if antialias else 1.0
        weights = kernel(np.abs(centres[:, None] - np.arange(length)) / width)
        total = weights.sum(axis=1, keepdims=True)
        weights = np.where(np.abs(total) > 1e-4, weights / np.where(total == 0, 1.0, total), 0.0)
        inside = (centres >= -0.5) & (centres <= length - 0.5)
        if np.any(np.abs(np.concatenate([centres + 0.5, centres - length + 0.5])) < 1e-4):
            raise Undocumented("at the very edge, rounding decides what is outside")
        y = np.moveaxis(np.tensordot(weights * inside[:, None], y, axes=(1, axis)), 0, axis)
    return y


# --------------------------------------------------------------- transforms


def _folded(index, length, mode):
    """An index into the image for one beyond it, and which are inside."""
    inside = (index >= 0) & (index < length)
    if mode == "constant":
        return np.clip(index, 0, length - 1), inside
    if mode == "nearest":
        return np.clip(index, 0, length - 1), np.ones_like(inside)
    if mode == "wrap":
        return index % length, np.ones_like(inside)
    if mode == "reflect":
        folded = index % (2 * length)
        return np.where(folded >= length, 2 * length - 1 - folded, folded), np.ones_like(inside)
    if mode == "mirror":
        period = max(1, 2 * (length - 1))
        folded = index % period
        return np.where(folded >= length, period - folded, folded), np.ones_like(inside)
    raise ValueError("expected a fill_mode; received %r" % (mode,))


def _sampled(x, coordinates, order, mode, fill_value):
    """Values of ``x`` (leading axes are spatial) between its cells."""
    if not all(np.isfinite(item).all() for item in coordinates):
        raise Undocumented("a place that is not finite has no value")
    corners = []
    for place in coordinates:
        low = np.floor(place)
        share = place - low
        if order == 0:
            if np.any(np.abs(share - 0.5) < 1e-4):
                raise Undocumented("in the middle, either neighbour is nearest")
            corners.append([(np.round(place), np.ones_like(place))])
        else:
            corners.append([(low, 1.0 - share), (low + 1.0, share)])
    more = x.ndim - len(coordinates)
    total = 0.0
    for corner in itertools.product(*corners):
        index, inside, weight = [], True, 1.0
        for (place, share), length in zip(corner, x.shape):
            folded, within = _folded(place.astype("int64"), length, mode)
            index.append(folded)
            inside, weight = inside & within, weight * share
        shape = weight.shape + (1,) * more
        values = np.where(inside.reshape(shape), x[tuple(index)], fill_value)
        total = total + np.where(weight.reshape(shape) == 0, 0.0, weight.reshape(shape) * values)
    return total


@_image("map_coordinates", integers=True)
def map_coordinates(inputs, coordinates, order, fill_mode="constant", fill_value=0):
    """The nearest cell (order 0), or linear between cells (order 1)."""
    if order not in (0, 1):
        raise ValueError("expected order 0 or 1; received %r" % (order,))
    y = _sampled(inputs.astype("float64"), list(coordinates), order, fill_mode, fill_value)
    if inputs.dtype.kind in "iu":
        raise Undocumented("how values between whole numbers round is not documented")
    return y


def _order(interpolation):
    if interpolation not in ("nearest", "bilinear"):
        raise ValueError("expected nearest or bilinear; received %r" % (interpolation,))
    return 0 if interpolation == "nearest" else 1


def _grid(shape):
    rows, columns = np.meshgrid(np.arange(shape[0]), np.arange(shape[1]), indexing="ij")
    return columns.astype("float64"), rows.astype("float64")


def _transformed(images, rows, interpolation, mode, fill_value, data_format):
    """Each output pixel from where its row of eight numbers says."""
    x = _batched(images, data_format)
    columns, lines = _grid(x.shape[1:3])
    found = []
    for image, (a0, a1, a2, b0, b1, b2, c0, c1) in zip(x, rows):
        depth = c0 * columns + c1 * lines + 1.0
        at_column = (a0 * columns + a1 * lines + a2) / depth
        at_line = (b0 * columns + b1 * lines + b2) / depth
        if interpolation == "nearest":
            _need_clear(at_line, at_column, x.shape[1:3])
        places = [at_line, at_column]
        found.append(_sampled(image, places, _order(interpolation), mode, fill_value))
    return _unbatched(np.stack(found), images, data_format)


def _need_clear(at_line, at_column, shape):
    for place in (at_line, at_column):
        share = place - np.floor(place)
        if np.any(np.abs(share - 0.5) < 1e-4):
            raise Undocumented("in the middle, either neighbour is nearest")


@_image("affine_transform")
def affine_transform(
    images,
    transform,
    interpolation="bilinear",
    fill_mode="constant",
    fill_value=0,
    data_format=None,
):
    """Output (x, y) comes from (a0 x + a1 y + a2, b0 x + b1 y + b2)."""
    rows = np.atleast_2d(np.asarray(transform, dtype="float64"))
    if np.any(rows[:, 6:]):
        raise Undocumented("c0 and c1 are effective on one backend only, as documented")
    if fill_mode not in ("constant", "nearest", "wrap", "reflect"):
        raise ValueError("expected a fill_mode; received %r" % (fill_mode,))
    return _transformed(images, rows, interpolation, fill_mode, fill_value, data_format)


def _homography(start, end):
    """The eight numbers that map each of four points to its partner."""
    equations, values = [], []
    for (x, y), (u, v) in zip(start, end):
        equations += [
            [x, y, 1, 0, 0, 0, -x * u, -y * u],
            [0, 0, 0, x, y, 1, -x * v, -y * v],
        ]
        values += [u, v]
    return np.linalg.solve(np.asarray(equations, dtype="float64"), values)


@_image("perspective_transform")
def perspective_transform(
    images, start_points, end_points, interpolation="bilinear", fill_value=0, data_format=None
):
    """What is at the start points goes to the end points."""
    start, end = (np.asarray(item, dtype="float64") for item in (start_points, end_points))
    start, end = (item if item.ndim == 3 else item[None] for item in (start, end))
    # Output pixels look up where they come from.
    rows = [_homography(after, before) for before, after in zip(start, end)]
    return _transformed(images, rows, interpolation, "constant", fill_value, data_format)
