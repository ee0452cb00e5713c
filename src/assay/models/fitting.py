"""Do arrays fit a model's inputs? Asked-for conversions are made, and all of them are said."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.ir.check import TensorSpec
from assay.models._base import DataError, told
from assay.models.columns import Column, Mapped
from assay.models.conversions import Conversions, sizes, to_grey, to_size
from assay.models.images import Layout, layout_of


def fitted(
    path: str,
    columns: Sequence[Column],
    inputs: Sequence[TensorSpec],
    ids: Mapping[str, int],
    conversions: Conversions,
    single: bool,
) -> tuple[list[Column], list[str]]:
    """Each input's array, converted as asked, and what is to be said of it.

    ``single``: the first axis of the arrays counts instances that the model has no axis for.
    """
    _applicable(inputs, ids, conversions)
    said: list[str] = []
    chosen = []
    for column, item in zip(columns, inputs, strict=True):
        column = _as_image(path, column, item, conversions, said)
        _shape_fits(path, column, item, single)
        chosen.append(_in_format(path, column, item, ids, conversions, said))
    return chosen, said


def _applicable(
    inputs: Sequence[TensorSpec], ids: Mapping[str, int], conversions: Conversions
) -> None:
    """``DataError`` for a conversion that no input can have."""
    listing = ", ".join(f"{item.name} {sizes(item.shape)} {item.dtype}" for item in inputs)
    for option, given in (("--resize", conversions.resize), ("--grey", conversions.grey)):
        if given and not any(layout_of(item) for item in inputs):
            raise DataError(f"{option} is for images; the model takes none ({listing}).")
    if conversions.scale and not any(_scaled(item, ids) for item in inputs):
        raise DataError(f"--scale is for fractions; the model takes none ({listing}).")


def _scaled(item: TensorSpec, ids: Mapping[str, int]) -> bool:
    return _format(item).kind == "f" and item.name not in ids


def _as_image(
    path: str, column: Column, item: TensorSpec, conversions: Conversions, said: list[str]
) -> Column:
    """Grey and in the model's size, where that is asked for and the array holds images."""
    layout = layout_of(item)
    if layout is None or len(column.shape) != 4:
        return column
    height, width, channels = _image_shape(column, layout)
    if conversions.grey and channels == 3 and layout.channels == 1:
        said.append(f"{column.name}: colours turned to grey")
        shape = layout.arranged(np.empty((height, width, 1), bool)).shape
        column = Mapped(
            column,
            lambda batch: layout.arranged(to_grey(layout.plain(batch))),
            (column.shape[0], *shape),
            column.dtype,
        )
        channels = 1
    if conversions.resize and (height, width) != (layout.height, layout.width):
        if layout.height is None or layout.width is None:
            raise DataError(
                f"--resize: {told(item)} of the model takes images of any size "
                f"({sizes(item.shape)}), so there is no size to change them to. Leave it out."
            )
        after = (layout.height, layout.width)
        said.append(f"{column.name}: {height}×{width} resized to {sizes(after)} (bilinear)")
        shape = layout.arranged(np.empty((*after, channels), bool)).shape
        column = Mapped(
            column,
            lambda batch: layout.arranged(to_size(layout.plain(batch), *after)),
            (column.shape[0], *shape),
            column.dtype,
        )
    return column


def _image_shape(column: Column, layout: Layout) -> tuple[int, int, int]:
    _, first, second, third = column.shape
    return (first, second, third) if layout.channels_last else (second, third, first)


def _shape_fits(path: str, column: Column, item: TensorSpec, single: bool) -> None:
    given = column.shape[1:] if single and not column.constant else column.shape
    if column.constant and not item.shape:
        return
    skipped = 0 if single else 1  # the first axis counts instances
    fits = len(given) == len(item.shape) and all(
        size is None or size == received
        for size, received in list(zip(item.shape, given, strict=True))[skipped:]
    )
    if not fits:
        raise DataError(
            f"{path}: {told(item)} of the model expects {sizes(item.shape)}; "
            f"{column.name} has {sizes(column.shape)}.{_way_out(column, item)}"
        )


def _way_out(column: Column, item: TensorSpec) -> str:
    """The options that would make an array of images fit, if there are any."""
    layout = layout_of(item)
    if layout is None or len(column.shape) != 4:
        return ""
    height, width, channels = _image_shape(column, layout)
    if channels != layout.channels and not (channels == 3 and layout.channels == 1):
        return ""
    options = ["--grey"] if channels != layout.channels else []
    wanted = ((layout.height, height), (layout.width, width))
    if any(size is not None and size != given for size, given in wanted):
        options.append("--resize")
    return f" Add {' '.join(options)} to change the images."


def _format(item: TensorSpec) -> "np.dtype[Any]":
    try:
        return np.dtype(item.dtype)
    except TypeError:
        raise DataError(
            f"{told(item)} of the model takes {item.dtype}, which data for Assay cannot have. "
            "Numbers and truth values can."
        ) from None


def _in_format(
    path: str,
    column: Column,
    item: TensorSpec,
    ids: Mapping[str, int],
    conversions: Conversions,
    said: list[str],
) -> Column:
    """The array in the kind of numbers that the input takes, scaled where that is asked for."""
    wanted, given = _format(item), column.dtype
    if given is not None and given.kind not in "fiub":
        raise DataError(f"{path}: expected numbers for {item.name}; received {given}.")
    if conversions.scale is not None and _scaled(item, ids):
        said.append(f"{column.name}: {conversions.scale}")
        return Mapped(column, conversions.scale.applied, column.shape, np.dtype("float64"))
    if given is None or given == wanted:
        return column
    alike = given.kind == wanted.kind or {given.kind, wanted.kind} == {"i", "u"}
    if not alike and not (wanted.kind == "f" and given.kind in "iu" and item.name in ids):
        raise DataError(
            f"{path}: {told(item)} of the model takes {wanted}; {column.name} holds {given}."
            + _other_format(wanted, given)
        )
    said.append(f"{column.name}: {given} → {wanted}")
    return column


def _other_format(wanted: "np.dtype[Any]", given: "np.dtype[Any]") -> str:
    if wanted.kind == "f":
        return " Add --scale 1/255 for values from 0 to 1, or --scale 1 to take them as they are."
    return f" Save it as {wanted}."
