"""Pooling layers."""

from typing import Any

from assay.ops._base import (
    REQUIRED,
    Choice,
    Context,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    Shape,
    Shapes,
    Tensor,
    alone,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops.keras._common import flag
from assay.ops.windows import (
    asymmetric,
    channels,
    data_format,
    kernel,
    padding,
    relations,
    spatial,
    spread,
    strides,
    window_lengths,
    with_spatial,
)


def _pool(params: Params, shapes: Shapes) -> Shapes:
    lengths = spatial(params, shapes[0])
    sizes = spread(params["pool_size"], len(lengths))
    steps = sizes if params["strides"] is None else spread(params["strides"], len(lengths))
    found = window_lengths(lengths, sizes, steps, params["padding"], (1,) * len(lengths))
    return (with_spatial(params, shapes[0], found, channels(params, shapes[0])),)


def _global(params: Params, shapes: Shapes) -> Shapes:
    depth = channels(params, shapes[0])
    if min(spatial(params, shapes[0])) < 1:
        raise Invalid("nothing to pool")
    if len(shapes) > 1 and shapes[1] != (shapes[0][0], *spatial(params, shapes[0])):
        raise Invalid(f"mask {shapes[1]} for {shapes[0]}")
    if not params["keepdims"]:
        return ((shapes[0][0], depth),)
    return (with_spatial(params, shapes[0], (1,) * (len(shapes[0]) - 2), depth),)


def _adaptive(params: Params, shapes: Shapes) -> Shapes:
    lengths = spatial(params, shapes[0])
    found = spread(params["output_size"], len(lengths))
    if min(lengths) < 1 or min(found) < 1:
        raise Invalid("input and output must have cells")
    return (with_spatial(params, shapes[0], found, channels(params, shapes[0])),)


def _steps_mask(draw: Draw, first: Shape) -> Shapes:
    """Batch and steps, where the channels are last."""
    return (first[:2],)


def _lengths(context: Context) -> Shape:
    return spatial(context.params, context.shapes[0])


def _fewer(context: Context) -> Any:
    """At most as many cells as there are, mostly no divisor."""
    return tuple(context.draw.between(1, max(1, length)) for length in _lengths(context))


def _double(context: Context) -> Any:
    return tuple(2 * length for length in _lengths(context))


def _longer(context: Context) -> Any:
    return tuple(length + 1 for length in _lengths(context))


def _too_many(context: Context) -> Any:
    return (1,) * (len(_lengths(context)) + 1)


def _output_size(axes: int) -> Parameter:
    return parameter(
        "output_size",
        valid=(1, 2, Choice("fewer", make=_fewer)),
        boundary=(
            3,
            *asymmetric(axes),
            Choice("equal_input", make=_lengths),
            Choice("double_input", make=_double),
            Choice("greater_input", make=_longer),
        ),
        invalid=(0, -1, "three", None, Choice("too_many", make=_too_many)),
    )


def _images(axes: int, *dtypes: str) -> Tensor:
    return Tensor(ranks=(axes + 2,), dtypes=("float32", "float16", *dtypes))


def _window(kind: str, axes: int) -> OpSpec:
    return OpSpec(
        name=f"keras.layers.{kind}Pooling{axes}D",
        rule=_pool,
        parameters=(
            data_format(),
            padding(),
            kernel("pool_size", axes, 2 if kind == "Max" else REQUIRED),
            strides(axes, None),
        ),
        tensors=(_images(axes),),
        relations=relations("pool_size"),
    )


def _whole(kind: str, axes: int) -> OpSpec:
    masked = kind == "Average" and axes == 1
    mask = Tensor(ranks=(2,), dtypes=("bool",), keyword="mask", optional=True)
    return OpSpec(
        name=f"keras.layers.Global{kind}Pooling{axes}D",
        rule=_global,
        parameters=(data_format(), flag("keepdims", False)),
        tensors=(_images(axes, "int32"), mask) if masked else (_images(axes, "int32"),),
        companions=_steps_mask if masked else alone,
    )


def _adapting(kind: str, axes: int) -> OpSpec:
    def larger(params: Params, shapes: Shapes) -> bool:
        lengths = spatial(params, shapes[0])
        wanted = spread(params["output_size"], len(lengths))
        return any(size > length for size, length in zip(wanted, lengths, strict=True))

    def uneven(params: Params, shapes: Shapes) -> bool:
        lengths = spatial(params, shapes[0])
        wanted = spread(params["output_size"], len(lengths))
        return any(length % size for size, length in zip(wanted, lengths, strict=True))

    return OpSpec(
        name=f"keras.layers.Adaptive{kind}Pooling{axes}D",
        rule=_adaptive,
        parameters=(data_format(), _output_size(axes)),
        tensors=(_images(axes),),
        relations={"output>input": larger, "output_does_not_divide": uneven},
    )


SPECS = tuple(
    describe(kind, axes)
    for describe in (_window, _whole, _adapting)
    for kind in ("Average", "Max")
    for axes in (1, 2, 3)
)
