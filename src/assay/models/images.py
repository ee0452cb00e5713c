"""A directory of images as data: those in it, or in one subdirectory per class."""

import os
from collections.abc import Callable, Iterator

import msgspec
import numpy as np

from assay.ir import Array
from assay.ir.check import TensorSpec
from assay.models._base import DataError, told
from assay.models.columns import Column, InMemory
from assay.models.conversions import Conversions, pillow, sizes, to_grey

_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp")
_GREY = ("1", "L", "LA")
_TRANSPARENT = ("LA", "PA", "RGBA")
_MODES = (*_GREY, "P", "PA", "RGB", "RGBA", "CMYK", "YCbCr")
#: So many classes are named one by one.
_LISTED = 6


class Layout(msgspec.Struct, frozen=True):
    """Where height, width and channels of a model's image are; a free size is None."""

    channels_last: bool
    height: int | None
    width: int | None
    channels: int | None

    def arranged(self, image: Array) -> Array:
        """An image (height × width × channels), or several, as the model takes it."""
        return image if self.channels_last else np.moveaxis(image, -1, -3)

    def plain(self, images: Array) -> Array:
        """The other way round."""
        return images if self.channels_last else np.moveaxis(images, -3, -1)


def layout_of(item: TensorSpec) -> Layout | None:
    """How an input of a model holds images; None if it holds none."""
    if len(item.shape) != 4:
        return None
    _, first, second, third = item.shape
    if third in (1, 3, 4) or first not in (1, 3, 4):
        return Layout(True, first, second, third)
    return Layout(False, second, third, first)


class _Image(msgspec.Struct, frozen=True):
    path: str
    label: int
    size: tuple[int, int]  # height and width
    mode: str


class _Images(Column):
    """Images as whole numbers from 0 to 255. ``varied``: of different sizes, so one by one."""

    def __init__(self, images: list[_Image], layout: Layout, conversions: Conversions) -> None:
        self._images, self._layout, self._conversions = images, layout, conversions
        height, width = (layout.height, layout.width) if conversions.resize else images[0].size
        channels = 1 if conversions.grey else layout.channels or 3
        shape = layout.arranged(np.empty((height or 0, width or 0, channels), "uint8")).shape
        self.varied = not conversions.resize and len({item.size for item in images}) > 1
        super().__init__("x", (len(images), *shape), np.dtype("uint8"))

    def open(self) -> Callable[[int], Array]:
        remaining = iter(self._images)

        def read(count: int) -> Array:
            return np.stack([self._read(next(remaining)) for _ in range(count)])

        return read

    def _read(self, item: _Image) -> Array:
        image, layout = pillow(), self._layout
        try:
            with image.open(item.path) as opened:
                wanted = "L" if layout.channels == 1 and item.mode in _GREY else "RGB"
                pixels = opened.convert("RGBA" if layout.channels == 4 else wanted)
                if self._conversions.resize:
                    size = (layout.width, layout.height)
                    pixels = pixels.resize(size, image.Resampling.BILINEAR)
                array = np.asarray(pixels)
        except OSError as error:
            raise DataError(f"{item.path} is no image, or a damaged one ({error}).") from None
        array = array.reshape(*array.shape[:2], -1)
        if self._conversions.grey and array.shape[2] == 3:
            array = to_grey(array)
        return layout.arranged(array)


def read_images(
    path: str, item: TensorSpec, conversions: Conversions
) -> tuple[list[Column], list[str]]:
    """The images (``x``) and, by subdirectory, their labels (``y``); what is to be said."""
    layout = layout_of(item)
    if layout is None:
        raise DataError(
            f"{path}: a directory of images fits models with one image as input; "
            f"{item.name} expects {sizes(item.shape)}."
        )
    found, classes = listed(path)
    images = [_examined(image, label) for image, label in found]
    for image in images:
        _fits(image, item, layout, conversions)
    said = []
    if conversions.resize:
        before = {image.size for image in images}
        shown = sizes(before.pop()) if len(before) == 1 else f"{len(before)} sizes"
        said.append(f"images: {shown} resized to {layout.height}×{layout.width} (bilinear)")
    grey = sum(image.mode in _GREY for image in images)
    if conversions.grey and grey < len(images):
        said.append("images: colours turned to grey")
    elif grey and layout.channels != 1:
        said.append(f"images: {grey:,} grey, their value taken for each colour")
    transparent = sum(image.mode in _TRANSPARENT for image in images)
    if transparent and layout.channels != 4:
        said.append(f"images: transparency of {transparent:,} dropped")
    columns: list[Column] = [_Images(images, layout, conversions)]
    if classes:
        named = [f"{name} {place}" for place, name in enumerate(classes)]
        shown = ", ".join(named[:_LISTED]) + (", …" if len(named) > _LISTED else "")
        said.append(f"labels: {len(classes)} subdirectories in sorted order: {shown}")
        columns.append(InMemory("y", np.array([image.label for image in images])))
    return columns, said


def listed(path: str) -> tuple[list[tuple[str, int]], list[str]]:
    """The files with their labels, and the names of the classes if there are any."""
    try:
        entries = sorted(os.scandir(path), key=lambda entry: entry.name)
        folders = [e.name for e in entries if e.is_dir() and not e.name.startswith(".")]
        plain = [os.path.join(path, e.name) for e in entries if _is_image(e)]
        inner = [list(_inside(os.path.join(path, name))) for name in folders]
    except OSError as error:
        raise DataError(f"cannot read {error.filename}: {error.strerror}.") from None
    if plain and any(inner):
        raise DataError(
            f"{path} has images beside subdirectories with images. Expected one or the other: "
            "images, or a subdirectory per class."
        )
    if plain:
        return [(name, 0) for name in plain], []
    if not any(inner):
        raise DataError(f"{path} has no images ({', '.join(_ENDINGS)}): nothing to check.")
    return [(file, label) for label, files in enumerate(inner) for file in files], folders


def _inside(folder: str) -> Iterator[str]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if _is_image(entry):
            yield os.path.join(folder, entry.name)


def _is_image(entry: "os.DirEntry[str]") -> bool:
    return entry.name.lower().endswith(_ENDINGS) and entry.is_file()


def _examined(path: str, label: int) -> _Image:
    """An image by its header alone."""
    image = pillow()
    try:
        with image.open(path) as opened:
            width, height = opened.size
            mode = opened.mode
    except (OSError, image.DecompressionBombError) as error:
        raise DataError(f"{path} is no image, or a damaged one ({error}).") from None
    if mode not in _MODES:
        raise DataError(f"{path}: expected 8 bits per channel; received {mode}. Save it as PNG.")
    return _Image(path, label, (height, width), mode)


def _fits(image: _Image, item: TensorSpec, layout: Layout, conversions: Conversions) -> None:
    wanted = (layout.height, layout.width)
    if conversions.resize:
        if None in wanted:
            raise DataError(
                f"--resize: {told(item)} of the model takes images of any size "
                f"({sizes(item.shape)}), so there is no size to change them to. Leave it out."
            )
    elif any(w is not None and w != g for w, g in zip(wanted, image.size, strict=True)):
        raise DataError(
            f"{image.path}: {told(item)} of the model expects {sizes(wanted)} (height×width); "
            f"the image has {sizes(image.size)}. Add --resize to change it."
        )
    if layout.channels not in (1, 3, 4, None):
        raise DataError(
            f"{image.path}: images have 1, 3 or 4 channels; {told(item)} of the model expects "
            f"{layout.channels} ({sizes(item.shape)})."
        )
    if conversions.grey and layout.channels != 1:
        raise DataError(
            f"--grey makes images of one channel; {told(item)} of the model expects "
            f"{sizes(item.shape)}. Leave it out."
        )
    if layout.channels == 1 and image.mode not in _GREY and not conversions.grey:
        raise DataError(
            f"{image.path}: {told(item)} of the model expects one channel; the image has "
            "colours. Add --grey to change it."
        )
