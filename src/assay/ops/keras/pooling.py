"""Pooling layers."""

from typing import Any

from assay.ops._base import REQUIRED, OpSpec, Params, Shapes, Tensor
from assay.ops.keras._common import flag
from assay.ops.windows import (
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
    if not params["keepdims"]:
        return ((shapes[0][0], depth),)
    return (with_spatial(params, shapes[0], (1,) * (len(shapes[0]) - 2), depth),)


def _window(kind: str, axes: int, default: Any = REQUIRED) -> OpSpec:
    return OpSpec(
        name=f"keras.layers.{kind}Pooling{axes}D",
        rule=_pool,
        parameters=(
            data_format(),
            padding(),
            kernel("pool_size", axes, default),
            strides(axes, None),
        ),
        tensors=(Tensor(ranks=(axes + 2,)),),
        relations=relations("pool_size"),
    )


def _whole(kind: str, axes: int) -> OpSpec:
    return OpSpec(
        name=f"keras.layers.Global{kind}Pooling{axes}D",
        rule=_global,
        parameters=(data_format(), flag("keepdims", False)),
        tensors=(Tensor(ranks=(axes + 2,)),),
    )


SPECS = (
    _window("Average", 1),
    _window("Average", 2),
    _window("Max", 2, default=2),
    _whole("Average", 2),
)
