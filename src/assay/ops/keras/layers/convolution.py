"""Convolution layers."""

from math import gcd
from typing import Any

from assay.ops._base import (
    Choice,
    Context,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops.keras._common import ACTIVATION, count, flag
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


def _lengths(params: Params, shapes: Shapes) -> tuple[int, ...]:
    lengths = spatial(params, shapes[0])
    steps = spread(params["strides"], len(lengths))
    gaps = spread(params["dilation_rate"], len(lengths))
    if max(steps) > 1 and max(gaps) > 1:
        raise Invalid("layers document that strides > 1 exclude dilation > 1")
    sizes = spread(params["kernel_size"], len(lengths))
    return window_lengths(lengths, sizes, steps, params["padding"], gaps)


def _convolution(params: Params, shapes: Shapes) -> Shapes:
    groups = params["groups"]
    if params["filters"] % groups or channels(params, shapes[0]) % groups:
        raise Invalid("groups must divide filters and channels")
    return (with_spatial(params, shapes[0], _lengths(params, shapes), params["filters"]),)


def _depthwise(params: Params, shapes: Shapes) -> Shapes:
    depth = channels(params, shapes[0]) * params["depth_multiplier"]
    return (with_spatial(params, shapes[0], _lengths(params, shapes), depth),)


def _separable(params: Params, shapes: Shapes) -> Shapes:
    return (with_spatial(params, shapes[0], _lengths(params, shapes), params["filters"]),)


def _dilated_and_strided(context: Context) -> Any:
    given = context.params.get("strides", 1)
    if max(given if isinstance(given, tuple) else (given,)) == 1:
        raise Invalid("needs strides > 1")
    return 2


def _common_divisor(context: Context) -> int:
    depth = gcd(channels(context.params, context.shapes[0]), context.params["filters"])
    if depth == 1:
        raise Invalid("no common divisor")
    return depth


def _no_divisor(context: Context) -> int:
    return channels(context.params, context.shapes[0]) + 1


_GROUPS = parameter(
    "groups",
    1,
    valid=(1,),
    boundary=(Choice("common_divisor", make=_common_divisor),),
    invalid=(0, -1, Choice("no_divisor", make=_no_divisor)),
)
_DEPTH_MULTIPLIER = parameter("depth_multiplier", 1, (1, 2), (3,), (0, -1, "two"))


def _dilation(axes: int) -> Parameter:
    return parameter(
        "dilation_rate",
        1,
        valid=(1, 2),
        boundary=(3, *asymmetric(axes)),
        invalid=(0, -1, "two", Choice("with_strides", make=_dilated_and_strided)),
    )


def window_parameters(
    axes: int, *paddings: str, more: tuple[Parameter, ...] = ()
) -> tuple[Parameter, ...]:
    """Parameters in the order in which they depend on each other; ``more`` after the strides."""
    return (
        data_format(),
        # Layers document that padding is case-insensitive.
        padding(*paddings, "SAME"),
        kernel("kernel_size", axes),
        strides(axes, 1),
        *more,
        _dilation(axes),
        ACTIVATION,
        flag("use_bias", True),
    )


def images(axes: int) -> tuple[Tensor, ...]:
    """Batch, channels and that many spatial axes; layers compute in float32 anyway."""
    return (Tensor(ranks=(axes + 2,), dtypes=("float32", "float16")),)


def _plain(axes: int) -> OpSpec:
    # "causal" looks only back in time: one spatial axis.
    paddings = ("causal",) if axes == 1 else ()
    return OpSpec(
        name=f"keras.layers.Conv{axes}D",
        rule=_convolution,
        parameters=(count("filters"), *window_parameters(axes, *paddings), _GROUPS),
        tensors=images(axes),
        relations=relations("kernel_size"),
        weights=("kernel", "bias"),
    )


def _depthwise_spec(axes: int) -> OpSpec:
    return OpSpec(
        name=f"keras.layers.DepthwiseConv{axes}D",
        rule=_depthwise,
        parameters=(*window_parameters(axes), _DEPTH_MULTIPLIER),
        tensors=images(axes),
        relations=relations("kernel_size"),
        weights=("kernel", "bias"),
    )


def _separable_spec(axes: int) -> OpSpec:
    return OpSpec(
        name=f"keras.layers.SeparableConv{axes}D",
        rule=_separable,
        parameters=(count("filters"), *window_parameters(axes), _DEPTH_MULTIPLIER),
        tensors=images(axes),
        relations=relations("kernel_size"),
        weights=("depthwise_kernel", "pointwise_kernel", "bias"),
    )


SPECS = (
    *map(_plain, (1, 2, 3)),
    *map(_depthwise_spec, (1, 2)),
    *map(_separable_spec, (1, 2)),
)
