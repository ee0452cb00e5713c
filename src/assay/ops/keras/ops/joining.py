"""Several tensors as one, along an axis that there is or a new one."""

from math import prod
from typing import Any

from assay.ops._base import (
    Choice,
    Invalid,
    OpSpec,
    Params,
    Shape,
    ShapeRule,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops.axes import axis
from assay.ops.keras._common import MOVABLE
from assay.ops.keras.ops._kinds import AT_LEAST_1, SMALL, moving, path
from assay.ops.keras.ops._parameters import rank_of
from assay.ops.shapes import axes, differing_along_one_axis, several_same

# -------------------------------------------------- along an axis that there is


def joined(shapes: Shapes, along: int) -> Shape:
    """The shape of a concatenation; ``Invalid`` if other axes differ."""
    if len({(len(shape), *shape[:along], *shape[along + 1 :]) for shape in shapes}) > 1:
        raise Invalid(f"shapes {shapes} differ outside of axis {along}")
    total = sum(shape[along] for shape in shapes)
    return (*shapes[0][:along], total, *shapes[0][along + 1 :])


def _concatenate(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    return (joined(shapes, along),)


def _append(params: Params, shapes: Shapes) -> Shapes:
    if params["axis"] is None:
        return ((sum(prod(shape) for shape in shapes),),)
    return _concatenate(params, shapes)


def _appended(draw: Draw, first: Shape) -> Shapes:
    if not first or draw.chance(0.15):
        return ((2, 3),)
    return differing_along_one_axis(draw, first)[:1]


def _hstack(params: Params, shapes: Shapes) -> Shapes:
    return (joined(shapes, 0 if len(shapes[0]) == 1 else 1),)


def _dstack(params: Params, shapes: Shapes) -> Shapes:
    def deep(shape: Shape) -> Shape:
        return (1, *shape, 1) if len(shape) == 1 else (*shape, 1) if len(shape) == 2 else shape

    return (joined(tuple(deep(shape) for shape in shapes), 2),)


def _joining(name: str, rule: ShapeRule, ranks: tuple[int, ...], *parameters: Any) -> OpSpec:
    return OpSpec(
        name=path(name),
        rule=rule,
        parameters=parameters,
        tensors=(Tensor(ranks=ranks, dtypes=MOVABLE, mixed=True),),
        companions=differing_along_one_axis,
        grouped=True,
    )


# --------------------------------------------------- along a new axis, and rows


def _stack(params: Params, shapes: Shapes) -> Shapes:
    (place,) = axes(params["axis"], len(shapes[0]) + 1)
    return ((*shapes[0][:place], len(shapes), *shapes[0][place:]),)


_NEW_AXIS = parameter(
    "axis",
    0,
    valid=(0, -1, Choice("any", make=lambda c: c.draw.below(rank_of(c) + 1))),
    boundary=(
        Choice("last", make=rank_of),
        Choice("negative", make=lambda c: -1 - c.draw.below(rank_of(c) + 1)),
    ),
    invalid=(
        Choice("out_of_range", make=lambda context: rank_of(context) + 1),
        Choice("negative_out_of_range", make=lambda context: -rank_of(context) - 2),
        "last",
    ),
)


def _more_rows(draw: Draw, first: Shape) -> Shapes:
    if len(first) < 2:
        return several_same(draw, first)
    return tuple(
        (draw.between(1, 4), *first[1:]) if draw.chance(0.6) else first
        for _ in range(draw.between(1, 3))
    )


def _vstack(params: Params, shapes: Shapes) -> Shapes:
    rows = [(1,) * (2 - len(shape)) + shape for shape in shapes]
    return ((sum(row[0] for row in rows), *rows[0][1:]),)


SPECS = (
    moving("append", _append, (axis(default=None, nothing=True),), SMALL, _appended),
    _joining("concatenate", _concatenate, AT_LEAST_1, axis(default=0)),
    _joining("hstack", _hstack, AT_LEAST_1),
    _joining("dstack", _dstack, AT_LEAST_1),
    moving("stack", _stack, (_NEW_AXIS,), SMALL, several_same, grouped=True),
    moving("vstack", _vstack, ranks=AT_LEAST_1, companions=_more_rows, grouped=True),
)
