"""Layers that move elements without computing."""

from math import prod
from typing import Any

from assay.ops._base import Choice, Context, Invalid, OpSpec, Params, Shapes, Tensor, parameter
from assay.ops.keras._common import MOVABLE
from assay.ops.windows import data_format


def _flatten(params: Params, shapes: Shapes) -> Shapes:
    return ((shapes[0][0], prod(shapes[0][1:])),)


def _reshape(params: Params, shapes: Shapes) -> Shapes:
    target, size = params["target_shape"], prod(shapes[0][1:])
    if min(target, default=0) < -1 or target.count(-1) > 1:
        raise Invalid(f"target_shape {target}")
    known = prod(length for length in target if length != -1)
    if known == 0 or size % known or (-1 not in target and known != size):
        raise Invalid(f"{size} elements as {target}")
    return ((shapes[0][0], *(size // known if length == -1 else length for length in target)),)


def _permute(params: Params, shapes: Shapes) -> Shapes:
    if sorted(params["dims"]) != list(range(1, len(shapes[0]))):
        raise Invalid(f"dims {params['dims']}")
    return ((shapes[0][0], *(shapes[0][axis] for axis in params["dims"])),)


def _repeat(params: Params, shapes: Shapes) -> Shapes:
    return ((shapes[0][0], params["n"], shapes[0][1]),)


def _size(context: Context) -> int:
    return prod(context.shapes[0][1:])


def _divisor(context: Context) -> int:
    size = _size(context)
    return context.draw.pick([n for n in range(1, size + 1) if size % n == 0] or [1])


def _in_two(context: Context) -> Any:
    divisor = _divisor(context)
    return (divisor, _size(context) // divisor)


def _inferred(context: Context) -> Any:
    """One length is -1, at any place."""
    divisor = _divisor(context)
    return context.draw.pick([(-1, divisor), (divisor, -1), (1, -1, divisor), (divisor, 1, -1)])


def _one_off(context: Context) -> Any:
    return (_size(context) + 1,)


_TARGET = parameter(
    "target_shape",
    valid=(Choice("in_two", make=_in_two), Choice("inferred", make=_inferred)),
    boundary=(
        (-1,),
        Choice("same", make=lambda context: context.shapes[0][1:]),
        Choice("reversed", make=lambda context: context.shapes[0][:0:-1]),
        Choice("flat", make=lambda context: (_size(context),)),
        Choice("ones_around", make=lambda context: (1, _size(context), 1)),
    ),
    invalid=(
        (-1, -1),
        (-2, 1),
        (0,),
        "flat",
        Choice("one_too_many", make=_one_off),
        Choice("inferred_with_rest", make=lambda context: (-1, _size(context) + 1)),
    ),
)


def _order(context: Context) -> list[int]:
    return list(range(1, len(context.shapes[0])))


_DIMS = parameter(
    "dims",
    valid=(Choice("order", make=lambda context: tuple(context.draw.order(_order(context)))),),
    boundary=(
        Choice("unchanged", make=lambda context: tuple(_order(context))),
        Choice("reversed", make=lambda context: tuple(_order(context)[::-1])),
        Choice("turned", make=lambda context: (*_order(context)[1:], 1)),
    ),
    invalid=(
        Choice("from_zero", make=lambda context: tuple(n - 1 for n in _order(context))),
        Choice("twice", make=lambda context: (1, 1, *_order(context)[2:])),
        Choice("too_few", make=lambda context: tuple(_order(context)[:-1])),
        Choice("too_many", make=lambda c: (*_order(c), len(c.shapes[0]))),
        Choice("negative", make=lambda context: tuple(-n for n in _order(context))),
    ),
)
_TIMES = parameter("n", valid=(2, 3), boundary=(1, 8), invalid=(0, -1, "twice", 2.5, (2,)))

SPECS = (
    OpSpec(
        name="keras.layers.Flatten",
        rule=_flatten,
        parameters=(data_format(),),
        tensors=(Tensor(ranks=(1, 2, 3, 4, 5), dtypes=MOVABLE),),
    ),
    OpSpec(
        name="keras.layers.Reshape",
        rule=_reshape,
        parameters=(_TARGET,),
        tensors=(Tensor(ranks=(2, 3, 4, 5), dtypes=MOVABLE),),
    ),
    OpSpec(
        name="keras.layers.Permute",
        rule=_permute,
        parameters=(_DIMS,),
        tensors=(Tensor(ranks=(2, 3, 4, 5), dtypes=MOVABLE),),
    ),
    OpSpec(
        name="keras.layers.RepeatVector",
        rule=_repeat,
        parameters=(_TIMES,),
        tensors=(Tensor(ranks=(2,), dtypes=MOVABLE),),
    ),
)
