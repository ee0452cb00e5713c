"""Layers that adjust the colours of images in the same way every time."""

from typing import Any

from assay.ops._base import Domain, Invalid, OpSpec, Params, Shapes, Tensor, parameter
from assay.ops.windows import data_format

_RANGE = parameter(
    "value_range", (0, 255), valid=((0, 255), (0.0, 1.0)), boundary=((-1.0, 1.0),), invalid=("all",)
)


def _inside(params: Params, shapes: Shapes) -> tuple[float, float]:
    low, high = params["value_range"]
    return low, high


def _rule(params: Params, shapes: Shapes) -> Shapes:
    if 0 in shapes[0][-3:]:
        raise Invalid("an image without pixels")
    return shapes


def _layer(name: str, *parameters: Any) -> OpSpec:
    image = Tensor(
        ranks=(3, 4),
        dtypes=("float32", "uint8"),
        domain=Domain(0.0, 255.0, classes=("zero", "tied", "one")),
        limits=_inside,
    )
    return OpSpec(
        name=f"keras.layers.{name}",
        rule=_rule,
        tensors=(image,),
        parameters=(_RANGE, *parameters),
        # Values are counted, clipped and looked up: there is nothing to differentiate.
        differentiable=False,
        # Images have a range of values, which the output of another op need not keep to.
        solitary=True,
    )


SPECS = (
    _layer("AutoContrast"),
    _layer(
        "Solarization",
        # Other factors are drawn by chance, even from a range that has one number only.
        parameter("addition_factor", 0.0, valid=(0.0,), invalid=(-2.0,)),
        parameter("threshold_factor", 0.0, valid=(0.0,), invalid=(-2.0,)),
    ),
    _layer(
        "Equalization",
        parameter("bins", 256, valid=(256, 16), boundary=(2, 1), invalid=(0, -1, "all")),
        data_format(),
    ),
    _layer(
        "ContrastLimitedAdaptiveHistogramEqualization",
        parameter("clip_limit", 4.0, valid=(4.0, 2.0), boundary=(0.0, 1.0)),
        parameter(
            "tile_grid_size", (8, 8), valid=((2, 2),), boundary=((1, 1), (1, 2)), invalid=(0,)
        ),
        data_format(),
    ),
)
