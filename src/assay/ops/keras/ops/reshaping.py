"""The same elements in another shape."""

from collections.abc import Callable
from math import prod
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
from assay.ops.keras._common import MOVABLE
from assay.ops.keras.ops._kinds import UP_TO_4, moving, path
from assay.ops.keras.ops._parameters import given_shape, rank_of
from assay.ops.shapes import axes

# ------------------------------------------------------------- as many elements


def _reshape(params: Params, shapes: Shapes) -> Shapes:
    target = params["newshape"]
    known = prod(item for item in target if item != -1)
    if target.count(-1) > 1 or any(item < -1 for item in target):
        raise Invalid(f"newshape {target}")
    if -1 in target:
        # Nothing can be inferred where the other lengths hold no element.
        if not known or prod(shapes[0]) % known:
            raise Invalid(f"newshape {target}")
        target = tuple(prod(shapes[0]) // known if item == -1 else item for item in target)
    if prod(target) != prod(shapes[0]):
        raise Invalid(f"newshape {target}")
    return (tuple(target),)


def _merged(context: Context) -> Any:
    """Two neighbouring axes as one."""
    shape = context.shapes[0]
    if len(shape) < 2:
        raise Invalid("needs two axes")
    place = context.draw.below(len(shape) - 1)
    return (*shape[:place], shape[place] * shape[place + 1], *shape[place + 2 :])


def _inferred(context: Context) -> Any:
    shape = context.draw.order(context.shapes[0])
    if not shape:
        raise Invalid("needs an axis")
    return tuple([*shape[:-1], -1][:: context.draw.pick((1, -1))])


_NEWSHAPE = parameter(
    "newshape",
    valid=(
        Choice("merged", make=_merged),
        Choice("inferred", make=_inferred),
        Choice("reversed", make=lambda context: context.shapes[0][::-1]),
    ),
    boundary=(
        (-1,),
        Choice("with_ones", make=lambda context: (1, *context.shapes[0], 1)),
        Choice("inferred_one", make=lambda context: (-1, *context.shapes[0])),
        Choice("same", make=lambda context: context.shapes[0]),
    ),
    invalid=(
        (-1, -1),
        (-2, 3),
        "flat",
        Choice("too_many", make=lambda context: (prod(context.shapes[0]) + 1,)),
    ),
)


def _ravel(params: Params, shapes: Shapes) -> Shapes:
    return ((prod(shapes[0]),),)


def _squeeze(params: Params, shapes: Shapes) -> Shapes:
    shape = shapes[0]
    ones = tuple(place for place, length in enumerate(shape) if length == 1)
    gone = ones if params["axis"] is None else axes(params["axis"], len(shape))
    if not set(gone) <= set(ones):
        raise Invalid(f"axis {params['axis']} of {shape} is not of length 1")
    return (tuple(length for place, length in enumerate(shape) if place not in gone),)


def _with_ones(draw: Draw, shape: Shape) -> Shape:
    if not shape or 1 in shape or draw.chance(0.3):
        return shape
    place = draw.below(len(shape))
    if draw.chance(0.5):
        return (1, *shape[1:place], 1, *shape[place + 1 :])[: len(shape)]
    return (*shape[:place], 1, *shape[place + 1 :])


def _of_length_1(context: Context, wanted: bool) -> list[int]:
    found = [place for place, n in enumerate(context.shapes[0]) if (n == 1) == wanted]
    if not found:
        raise Invalid("no such axis")
    return found


_SQUEEZED = parameter(
    "axis",
    None,
    valid=(None, Choice("one", make=lambda c: c.draw.pick(_of_length_1(c, True)))),
    boundary=(
        Choice("negative", make=lambda c: c.draw.pick(_of_length_1(c, True)) - rank_of(c)),
        Choice("tuple", make=lambda c: tuple(_of_length_1(c, True))),
        Choice(
            "negative_tuple", make=lambda c: tuple(a - rank_of(c) for a in _of_length_1(c, True))
        ),
    ),
    invalid=(
        Choice("longer_than_one", make=lambda c: c.draw.pick(_of_length_1(c, False))),
        Choice("out_of_range", make=rank_of),
    ),
)


def _squeezable(name: str, fit: Callable[[Draw, Shape], Shape]) -> OpSpec:
    return OpSpec(
        name=path(name),
        rule=_squeeze,
        tensors=(Tensor(ranks=UP_TO_4, dtypes=MOVABLE, fit=fit),),
        parameters=(_SQUEEZED,),
    )


# ---------------------------------------------- broadcast, and axes of length 1


def _target(context: Context, *outer: int) -> Shape:
    draw = context.draw
    inner = (draw.between(2, 4) if n == 1 else n for n in context.shapes[0])
    return (*outer, *inner)


def _one_number(context: Context) -> int:
    """Stands for a shape of one axis."""
    if rank_of(context) > 1:
        raise Invalid("more than one axis")
    return (*context.shapes[0], 3)[0]


_TARGET = parameter(
    "shape",
    valid=(
        Choice("more_axes", make=lambda context: _target(context, 2)),
        Choice("longer_ones", make=_target),
    ),
    boundary=(
        Choice("the_same", make=lambda context: context.shapes[0]),
        Choice("none_of_it", make=lambda context: _target(context, 0)),
        Choice("two_more_axes", make=lambda context: _target(context, 1, 3)),
        Choice("one_number", make=_one_number),
    ),
    invalid=(Choice("incompatible", make=lambda c: (*_target(c, 2)[:-1], 11)), "wide"),
)


def _broadcast_to(params: Params, shapes: Shapes) -> Shapes:
    (wanted,) = given_shape(params, shapes)
    for length, target in zip(reversed(shapes[0]), reversed(wanted), strict=False):
        if length not in (1, target):
            raise Invalid(f"{shapes[0]} to {wanted}")
    return (wanted,)


def _new_axes(params: Params, shapes: Shapes) -> Shapes:
    value = params["axis"]
    count = len(value) if isinstance(value, tuple) else 1
    rank = len(shapes[0]) + count
    places = axes(value, rank)
    old = iter(shapes[0])
    return (tuple(1 if place in places else next(old) for place in range(rank)),)


_NEW_AXIS = parameter(
    "axis",
    valid=(0, -1, Choice("end", make=rank_of)),
    boundary=(
        Choice("first_negative", make=lambda context: -rank_of(context) - 1),
        Choice("inside", make=lambda context: context.draw.between(0, rank_of(context))),
        (0, 1),
        (0, -1),
    ),
    invalid=(
        Choice("out_of_range", make=lambda context: rank_of(context) + 1),
        Choice("negative_out_of_range", make=lambda context: -rank_of(context) - 2),
        (0, 0),
        "last",
    ),
)

SPECS = (
    moving("reshape", _reshape, (_NEWSHAPE,), (0, *UP_TO_4)),
    moving("ravel", _ravel, ranks=(0, *UP_TO_4)),
    _squeezable("squeeze", _with_ones),
    moving("broadcast_to", _broadcast_to, (_TARGET,)),
    moving("expand_dims", _new_axes, (_NEW_AXIS,)),
)
