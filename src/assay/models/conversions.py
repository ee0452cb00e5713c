"""Changes of data that a user asks for: image size, colour to grey, scale of the numbers."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from assay.ir import Array
from assay.models._base import DataError

#: ITU-R 601: how much red, green and blue count for the eye.
_LUMA = (0.299, 0.587, 0.114)
_SCALE = re.compile(r"\s*([-+]?[\d.eE+-]+)\s*(?:/\s*([\d.eE+-]+))?\s*(?:,\s*([-+]?[\d.eE+-]+))?\s*")


class Scale(msgspec.Struct, frozen=True):
    """Every number times ``factor`` plus ``offset``; ``text`` is how the user wrote it."""

    factor: float
    offset: float = 0.0
    text: str = "1"

    def applied(self, array: Array) -> Array:
        """In float64: 1/255 is then as exact as a division by 255."""
        return np.asarray(array, "float64") * self.factor + self.offset

    def __str__(self) -> str:
        if self.factor == 1 and not self.offset:
            return "taken as numbers, not scaled"
        factor, _, offset = self.text.partition(",")
        said = f"scaled by {factor.strip()}"
        return f"{said}, {float(offset):+g} added" if offset else said


class Conversions(msgspec.Struct, frozen=True):
    """What may be done to data so that it fits. Nothing is done that is not asked for.

    ``resize``: images to the height and width of the model's input. ``grey``: colours to one
    channel. ``scale``: numbers; whole numbers become fractions by it.
    """

    resize: bool = False
    grey: bool = False
    scale: Scale | None = None


NONE = Conversions()


def parse_scale(text: str, option: str = "--scale") -> Scale:
    """``1/255``, ``255``, ``0.5``, or with an offset ``1/127.5,-1``; ``DataError`` for the rest."""
    found = _SCALE.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        factor = float(found[1]) / float(found[2] or 1)
        scale = Scale(factor, float(found[3] or 0), text.strip())
        if not np.isfinite([scale.factor, scale.offset]).all() or not scale.factor:
            raise ValueError
    except (ValueError, ZeroDivisionError):
        raise DataError(
            f"{option} takes a factor such as 1/255, or a factor and what is added to the product, "
            f'such as 1/127.5,-1; received "{text}".'
        ) from None
    return scale


def to_grey(images: Array) -> Array:
    """Images with colours (… × 3) with one channel, in their own format."""
    grey = (images.astype("float64") @ np.array(_LUMA))[..., None]
    return np.asarray(np.rint(grey) if images.dtype.kind in "iu" else grey, images.dtype)


def to_size(images: Array, height: int, width: int) -> Array:
    """Images (instances × height × width × channels) of another size, bilinearly."""
    image = pillow()
    resized = np.empty((len(images), height, width, images.shape[3]), images.dtype)
    for place, channel in np.ndindex(len(images), images.shape[3]):
        plane = image.fromarray(images[place, :, :, channel].astype("float32"))
        found = np.asarray(plane.resize((width, height), image.Resampling.BILINEAR))
        resized[place, :, :, channel] = np.rint(found) if images.dtype.kind in "iu" else found
    return resized


def pillow() -> Any:
    """Pillow's ``Image``; ``DataError`` with what to install if it is not there."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise DataError('images need Pillow. pip install "assay-dl[images]"') from None
    return Image


def sizes(shape: Sequence[int | None]) -> str:
    """A shape as people write it: 224×224×3."""
    return "×".join("any" if size is None else str(size) for size in shape) or "a scalar"
