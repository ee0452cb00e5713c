"""Activation functions: ``keras.activations``."""

from typing import Any

from assay.ops._base import (
    Choice,
    Context,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    ShapeRule,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops.axes import axis
from assay.ops.keras._common import flag
from assay.ops.shapes import axes, unchanged, unchanged_along

_FLOATS = ("float32", "float16")


def _function(
    name: str,
    *parameters: Parameter,
    rule: ShapeRule = unchanged,
    ranks: tuple[int, ...] = (1, 2, 3),
    dtypes: tuple[str, ...] = _FLOATS,
) -> OpSpec:
    return OpSpec(
        name=f"keras.activations.{name}",
        rule=rule,
        tensors=(Tensor(ranks=ranks, dtypes=dtypes),),
        parameters=parameters,
    )


def _halved(params: Params, shapes: Shapes) -> Shapes:
    (shape,) = shapes
    (place,) = axes(params["axis"], len(shape))
    if shape[place] % 2:
        raise Invalid("an odd length has no halves")
    return ((*shape[:place], shape[place] // 2, *shape[place + 1 :]),)


def _some(params: Params, shapes: Shapes) -> Shapes:
    (place,) = axes(params["axis"], len(shapes[0]))
    if not shapes[0][place]:
        raise Invalid("no element to share one among")
    return shapes


def _even_axis(context: Context) -> int:
    even = [place for place, length in enumerate(context.shapes[0]) if length % 2 == 0]
    if not even:
        raise Invalid("no even length")
    return context.draw.pick(even)


def _negative_even_axis(context: Context) -> int:
    return _even_axis(context) - len(context.shapes[0])


def _odd_axis(context: Context) -> int:
    odd = [place for place, length in enumerate(context.shapes[0]) if length % 2]
    if not odd:
        raise Invalid("no odd length")
    return context.draw.pick(odd)


_SLOPE: dict[str, Any] = {"valid": (0.1, 0.5), "boundary": (0.0, 1.0, 2.0), "invalid": ("steep",)}
_THRESHOLD = parameter("threshold", 0.5, (0.5, 1.0), (0.0,), ("high",))
#: Those without parameters.
_PLAIN = (
    "exponential",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "linear",
    "log_sigmoid",
    "mish",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "softplus",
    "softsign",
    "sparse_plus",
    "sparse_sigmoid",
    "swish",
    "tanh",
    "tanh_shrink",
)

SPECS = (
    *map(_function, _PLAIN),
    _function("celu", parameter("alpha", 1.0, (0.5, 1.0), (2.0, 1e-3), ("one",))),
    _function("elu", parameter("alpha", 1.0, (0.5, 1.0), (2.0, 0.0), ("one",))),
    _function("gelu", flag("approximate", False)),
    _function(
        "glu",
        parameter(
            "axis",
            -1,
            (Choice("even_axis", make=_even_axis),),
            (Choice("negative_even_axis", make=_negative_even_axis),),
            (Choice("odd_axis", make=_odd_axis), "last"),
        ),
        rule=_halved,
    ),
    _function("hard_shrink", _THRESHOLD),
    _function("leaky_relu", parameter("negative_slope", 0.2, **_SLOPE)),
    _function("log_softmax", axis(default=-1), rule=unchanged_along()),
    _function(
        "relu",
        parameter("negative_slope", 0.0, **_SLOPE),
        parameter("max_value", None, (1.0, 6.0), (0.0, 0.5), ("six",)),
        parameter("threshold", 0.0, (0.5, 1.0), (0.0, 4.0), ("high",)),
    ),
    _function("soft_shrink", _THRESHOLD),
    _function("softmax", axis(default=-1), rule=unchanged_along()),
    _function("sparsemax", axis(default=-1), rule=_some, ranks=(2, 3)),
    _function("squareplus", parameter("b", 4, (4, 1.0), (0, 0.25), ("four",))),
    _function(
        "threshold",
        parameter("threshold", valid=(0.5, 1.0), boundary=(0.0, -1.0), invalid=("high",)),
        parameter("default_value", valid=(0.0, 2.0), boundary=(-1.0, 1e3), invalid=("none",)),
    ),
)
