"""Padding and cropping layers."""

from collections.abc import Callable
from typing import Any

from assay.ops._base import Choice, Context, Invalid, OpSpec, Params, Shapes, Tensor, parameter
from assay.ops._draw import Draw
from assay.ops.keras._common import MOVABLE
from assay.ops.windows import channels, data_format, spatial, with_spatial


def before_and_after(value: Any, count: int) -> tuple[tuple[int, int], ...]:
    """Padding before and after each axis."""
    items = (value,) * count if isinstance(value, int) else tuple(value)
    if len(items) == 1:
        items = items * count
    if len(items) != count:
        raise Invalid(f"padding {value!r} for {count} axes")
    pairs = tuple((item, item) if isinstance(item, int) else tuple(item) for item in items)
    if any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise Invalid(f"padding {value!r}")
    return tuple((before, after) for before, after in pairs)


def _ends(value: Any, axes: int) -> tuple[tuple[int, int], ...]:
    """Cells before and after each spatial axis; with one axis a pair is (before, after)."""
    return before_and_after((value,) if axes == 1 and isinstance(value, tuple) else value, axes)


def _zero_padding(params: Params, shapes: Shapes) -> Shapes:
    lengths = spatial(params, shapes[0])
    pairs = _ends(params["padding"], len(lengths))
    padded = tuple(n + sum(pair) for n, pair in zip(lengths, pairs, strict=True))
    return (with_spatial(params, shapes[0], padded, channels(params, shapes[0])),)


def _cropping(params: Params, shapes: Shapes) -> Shapes:
    lengths = spatial(params, shapes[0])
    pairs = _ends(params["cropping"], len(lengths))
    left = tuple(n - sum(pair) for n, pair in zip(lengths, pairs, strict=True))
    if min(left) < 1:
        raise Invalid(f"cropping {pairs} leaves nothing of {lengths}")
    return (with_spatial(params, shapes[0], left, channels(params, shapes[0])),)


def _fixed(axes: int, *values: tuple[int, int]) -> Any:
    """Pairs in the form of a layer with that many axes: one pair, or a tuple of them."""
    return values[0] if axes == 1 else values[:axes]


def _zero_padding_spec(axes: int) -> OpSpec:
    per_axis = () if axes == 1 else ((2, 1, 3)[:axes],)
    return OpSpec(
        name=f"keras.layers.ZeroPadding{axes}D",
        rule=_zero_padding,
        parameters=(
            data_format(),
            parameter(
                "padding",
                1,
                valid=(1, 2, *per_axis, _fixed(axes, (1, 2), (3, 1), (0, 1))),
                boundary=(
                    0,
                    5,
                    _fixed(axes, (0, 1), (2, 0), (0, 0)),
                    _fixed(axes, (2, 0), (0, 0), (0, 3)),
                ),
                invalid=(
                    -1,
                    _fixed(axes, (1, -1), (1, 1), (1, 1)),
                    (1,) * (axes + 1 + (axes == 1)),
                    "one",
                    1.5,
                ),
            ),
        ),
        tensors=(Tensor(ranks=(axes + 2,), dtypes=MOVABLE),),
    )


def _cut(context: Context, choose: Callable[[Draw, int], tuple[int, int]]) -> Any:
    lengths = spatial(context.params, context.shapes[0])
    if min(lengths) < 1:
        raise Invalid("nothing to crop")
    return _fixed(len(lengths), *(choose(context.draw, length) for length in lengths))


def _some(draw: Draw, length: int) -> tuple[int, int]:
    before = draw.below(length)
    return before, draw.below(length - before)


def _one_left(draw: Draw, length: int) -> tuple[int, int]:
    before = draw.below(length)
    return before, length - 1 - before


def _cropping_spec(axes: int) -> OpSpec:
    def cut(label: str, choose: Callable[[Draw, int], tuple[int, int]]) -> Choice:
        return Choice(label, make=lambda context: _cut(context, choose))

    return OpSpec(
        name=f"keras.layers.Cropping{axes}D",
        rule=_cropping,
        parameters=(
            # Cropping1D has its steps on axis 1 and no data_format.
            *(() if axes == 1 else (data_format(),)),
            parameter(
                "cropping",
                (1, 1) if axes == 1 else ((0, 0),) * axes if axes == 2 else ((1, 1),) * axes,
                valid=(1, cut("pairs", _some)),
                boundary=(
                    0,
                    cut("front", lambda draw, length: (draw.below(length), 0)),
                    cut("back", lambda draw, length: (0, draw.below(length))),
                    cut("one_left", _one_left),
                    *(() if axes == 1 else ((0, 1, 0)[:axes], (1, 0, 0)[:axes])),
                ),
                invalid=(
                    -1,
                    _fixed(axes, (-1, 0), (0, 0), (0, 0)),
                    (0,) * (axes + 1 + (axes == 1)),
                    "one",
                    1.5,
                    cut("everything", lambda draw, length: (length, 0)),
                    cut("both_ends_everything", lambda draw, length: (length - 1, 1)),
                    cut("more", lambda draw, length: (length, 2)),
                ),
            ),
        ),
        tensors=(Tensor(ranks=(axes + 2,), dtypes=MOVABLE),),
    )


SPECS = (
    *map(_zero_padding_spec, (1, 2, 3)),
    *map(_cropping_spec, (1, 2, 3)),
)
