"""Layers that merge several tensors."""

from typing import Any

from assay.ops._base import (
    Choice,
    Context,
    Invalid,
    OpSpec,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops.axes import axis
from assay.ops.keras._common import flag
from assay.ops.shapes import axes, broadcast, differing_along_one_axis

_NUMBERS = ("float32", "float16", "int32")


def _concatenate(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    rest = {(*shape[:along], *shape[along + 1 :]) for shape in shapes}
    if len(rest) > 1:
        raise Invalid(f"shapes {shapes} differ outside of axis {along}")
    total = sum(shape[along] for shape in shapes)
    return ((*shapes[0][:along], total, *shapes[0][along + 1 :]),)


def _others(draw: Draw, first: Shape, count: int) -> Shapes:
    """Tensors of the same shape, or with lengths of 1 that are stretched."""
    if draw.chance(0.75):
        return (first,) * count
    return tuple(
        (first[0], *(1 if draw.chance(0.4) else n for n in first[1:])) for _ in range(count)
    )


def _elementwise(name: str, most: int = 3) -> OpSpec:
    return OpSpec(
        name=f"keras.layers.{name}",
        rule=broadcast,
        tensors=(Tensor(dtypes=_NUMBERS),),
        companions=lambda draw, first: _others(draw, first, draw.between(1, most)),
        grouped=True,
    )


def _contracted(params: Params, shapes: Shapes) -> tuple[int, int]:
    given = params["axes"]
    pair = (given, given) if isinstance(given, int) else tuple(given)
    if len(pair) != 2:
        raise Invalid(f"axes {given}")
    first, second = (axes(item, len(s))[0] for item, s in zip(pair, shapes, strict=True))
    if not first or not second:
        raise Invalid("the batch cannot be contracted")
    return first, second


def _dot(params: Params, shapes: Shapes) -> Shapes:
    one, other = shapes
    first, second = _contracted(params, shapes)
    if one[first] != other[second]:
        raise Invalid("lengths differ")
    rest = (*one[1:first], *one[first + 1 :], *other[1:second], *other[second + 1 :])
    return ((one[0], *rest) if rest else (one[0], 1),)


def _dot_companion(draw: Draw, first: Shape) -> Shapes:
    """A tensor that shares the last, or another, length."""
    if draw.chance(0.4):
        return (first,)
    shared = first[draw.between(1, len(first) - 1)]
    inner = draw.order((shared, draw.between(2, 5)))
    return ((first[0], *inner),) if draw.chance(0.7) else ((first[0], shared),)


def _matching(context: Context, negative: bool) -> Any:
    """Axes of equal length, as a pair."""
    one, other = context.shapes
    pairs = [(i, j) for i in range(1, len(one)) for j in range(1, len(other)) if one[i] == other[j]]
    if not pairs:
        raise Invalid("no equal lengths")
    first, second = context.draw.pick(pairs)
    return (first - len(one), second - len(other)) if negative else (first, second)


def _one_for_both(context: Context, negative: bool) -> int:
    one, other = context.shapes
    if negative:
        choices = [-i for i in range(1, min(len(one), len(other))) if one[-i] == other[-i]]
    else:
        choices = [i for i in range(1, min(len(one), len(other))) if one[i] == other[i]]
    if not choices:
        raise Invalid("no equal lengths")
    return context.draw.pick(choices)


SPECS = (
    _elementwise("Add"),
    _elementwise("Subtract", most=1),
    _elementwise("Multiply"),
    _elementwise("Average"),
    _elementwise("Maximum"),
    _elementwise("Minimum"),
    OpSpec(
        name="keras.layers.Concatenate",
        rule=_concatenate,
        tensors=(Tensor(dtypes=(*_NUMBERS, "bool")),),
        parameters=(axis(default=-1),),
        companions=differing_along_one_axis,
        grouped=True,
    ),
    OpSpec(
        name="keras.layers.Dot",
        rule=_dot,
        # Keras multiplies tensors of rank 2 and 3; what more axes mean is not documented.
        tensors=(Tensor(ranks=(2, 3)),),
        parameters=(
            parameter(
                "axes",
                valid=(
                    Choice("pair", make=lambda context: _matching(context, False)),
                    Choice("one", make=lambda context: _one_for_both(context, False)),
                ),
                boundary=(
                    Choice("negative_pair", make=lambda context: _matching(context, True)),
                    Choice("negative", make=lambda context: _one_for_both(context, True)),
                ),
                invalid=(0, (1, 0), 7, "one", (1, 1, 1)),
            ),
            flag("normalize", False),
        ),
        companions=_dot_companion,
        grouped=True,
    ),
)
