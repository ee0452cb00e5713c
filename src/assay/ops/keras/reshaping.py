"""Layers and functions that move elements without computing."""

from math import prod
from typing import Any

from assay.ops._base import Choice, Context, Invalid, OpSpec, Params, Shapes, Tensor, parameter
from assay.ops.axes import axis
from assay.ops.shapes import axes
from assay.ops.windows import asymmetric, channels, data_format, spatial, spread, with_spatial

_MOVABLE = ("float32", "int32", "uint8", "bool")


def _flatten(params: Params, shapes: Shapes) -> Shapes:
    return ((shapes[0][0], prod(shapes[0][1:])),)


def _upsample(params: Params, shapes: Shapes) -> Shapes:
    lengths = spatial(params, shapes[0])
    factors = spread(params["size"], len(lengths))
    found = tuple(length * factor for length, factor in zip(lengths, factors, strict=True))
    return (with_spatial(params, shapes[0], found, channels(params, shapes[0])),)


def _rot90(params: Params, shapes: Shapes) -> Shapes:
    first, second = axes(params["axes"], len(shapes[0]))
    result = list(shapes[0])
    if params["k"] % 2:
        result[first], result[second] = result[second], result[first]
    return (tuple(result),)


def _roll(params: Params, shapes: Shapes) -> Shapes:
    shift, along = params["shift"], params["axis"]
    if along is None:
        if isinstance(shift, tuple):
            raise Invalid("several shifts need several axes")
        return (shapes[0],)
    count = len(axes(along, len(shapes[0])))
    if isinstance(shift, tuple) and len(shift) != count:
        raise Invalid(f"{len(shift)} shifts for {count} axes")
    return (shapes[0],)


def _plane(context: Context) -> Any:
    rank = len(context.shapes[0])
    return tuple(context.draw.order(range(rank))[:2])


def _negative_plane(context: Context) -> Any:
    return tuple(item - len(context.shapes[0]) for item in _plane(context))


def _beyond(context: Context) -> Any:
    return (0, len(context.shapes[0]))


_TURNS = parameter("k", 1, (1, 2, 3), (0, -1, 5), ("once", 1.5))
_AXES = parameter(
    "axes",
    (0, 1),
    valid=((0, 1), Choice("plane", make=_plane)),
    boundary=((1, 0), Choice("negative_plane", make=_negative_plane)),
    invalid=((0, 0), (0,), Choice("out_of_range", make=_beyond)),
)
_SHIFT = parameter("shift", valid=(1, 2, -1), boundary=(0, 9, (1, -2)), invalid=("far", 1.5))

SPECS = (
    OpSpec(
        name="keras.layers.Flatten",
        rule=_flatten,
        parameters=(data_format(),),
        tensors=(Tensor(ranks=(2, 3, 4, 5)),),
    ),
    OpSpec(
        name="keras.layers.UpSampling2D",
        rule=_upsample,
        parameters=(
            data_format(),
            parameter("size", (2, 2), (2, 3), (1, *asymmetric(2)), (0, -1, "twice", (1, 2, 3))),
            parameter("interpolation", "nearest", ("nearest",), invalid=("closest",)),
        ),
        tensors=(Tensor(ranks=(4,)),),
    ),
    OpSpec(
        name="keras.ops.rot90",
        rule=_rot90,
        parameters=(_TURNS, _AXES),
        tensors=(Tensor(ranks=(2, 3, 4), dtypes=_MOVABLE),),
    ),
    OpSpec(
        name="keras.ops.roll",
        rule=_roll,
        parameters=(_SHIFT, axis(default=None, several=True, nothing=True)),
        tensors=(Tensor(ranks=(1, 2, 3), dtypes=_MOVABLE),),
    ),
)
