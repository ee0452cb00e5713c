"""Poolings of ``keras.ops``."""

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
from assay.ops.keras.ops._parameters import per_axis, too_many_axes
from assay.ops.windows import (
    CHANNELS_FIRST,
    channels,
    kernel,
    padding,
    relations,
    spatial,
    spread,
    strides,
    window_lengths,
    with_spatial,
)

_FLOATS = ("float32", "float16")


def _pool(params: Params, shapes: Shapes) -> Shapes:
    lengths = spatial(params, shapes[0])
    sizes = spread(params["pool_size"], len(lengths))
    steps = sizes if params["strides"] is None else spread(params["strides"], len(lengths))
    found = window_lengths(lengths, sizes, steps, params["padding"], (1,) * len(lengths))
    return (with_spatial(params, shapes[0], found, channels(params, shapes[0])),)


def _adaptive(params: Params, shapes: Shapes) -> Shapes:
    lengths = spatial(params, shapes[0])
    found = spread(params["output_size"], len(lengths))
    if min(lengths) < 1 or min(found) < 1:
        raise Invalid("input and output must have cells")
    return (with_spatial(params, shapes[0], found, channels(params, shapes[0])),)


def _image_lengths(context: Context) -> Shape:
    return spatial(context.params, context.shapes[0])


def _fewer(context: Context) -> Any:
    return tuple(context.draw.between(1, max(1, length)) for length in _image_lengths(context))


def _longer(context: Context) -> Any:
    return tuple(length + 1 for length in _image_lengths(context))


_FORMAT = parameter(
    "data_format",
    None,
    valid=("channels_last",),
    boundary=(CHANNELS_FIRST,),
    invalid=("channels_middle", 1),
)
_OUTPUT_SIZE = parameter(
    "output_size",
    valid=(1, 2, Choice("fewer", make=_fewer)),
    boundary=(
        3,
        Choice("equal_input", make=_image_lengths),
        Choice("greater_input", make=_longer),
        Choice("asymmetric", make=per_axis),
    ),
    invalid=(0, -1, "three", None, Choice("too_many", make=too_many_axes)),
)


def _pooling(name: str) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=_pool,
        tensors=(Tensor(ranks=(3, 4, 5), dtypes=_FLOATS),),
        parameters=(_FORMAT, padding(), kernel("pool_size", 2), strides(2, None)),
        relations=relations("pool_size"),
    )


def _adapting(name: str) -> OpSpec:
    # Documented for images; the layers of one and three axes use the same function.
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=_adaptive,
        tensors=(Tensor(ranks=(4,), dtypes=_FLOATS),),
        parameters=(_FORMAT, _OUTPUT_SIZE),
    )


SPECS = (
    _pooling("average_pool"),
    _pooling("max_pool"),
    _adapting("adaptive_average_pool"),
    _adapting("adaptive_max_pool"),
)
