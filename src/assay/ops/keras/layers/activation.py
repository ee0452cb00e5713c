"""Activation layers."""

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
from assay.ops.axes import axis
from assay.ops.shapes import axes, broadcastable, unchanged, unchanged_along


def _slope(default: float) -> Parameter:
    return parameter(
        "negative_slope", default, (0.1, 0.3), (0.0, 1.0), invalid=(-0.5, None, "steep")
    )


#: Layers compute in float32, whatever floats come in.
_LAYER_INPUT = Tensor(ranks=(1, 2, 3, 4), dtypes=("float32", "float16"))


def _layer(name: str, *parameters: Parameter) -> OpSpec:
    return OpSpec(
        name=f"keras.layers.{name}",
        rule=unchanged,
        tensors=(_LAYER_INPUT,),
        parameters=parameters,
    )


#: Those of ``keras.activations`` that take one tensor and need no argument.
_NAMES = (
    "elu", "exponential", "gelu", "hard_sigmoid", "leaky_relu", "linear", "log_softmax", "relu",
    "relu6", "selu", "sigmoid", "silu", "softmax", "softplus", "softsign", "tanh",
)  # fmt: skip
_RARE_NAMES = (
    "celu", "hard_shrink", "hard_silu", "hard_swish", "hard_tanh", "log_sigmoid", "mish",
    "soft_shrink", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus", "swish",
    "tanh_shrink",
)  # fmt: skip


def _prelu(params: Params, shapes: Shapes) -> Shapes:
    shared = params["shared_axes"]
    if shared is not None and 0 in axes(shared, len(shapes[0])):
        raise Invalid("the batch has no weights to share")
    return (shapes[0],)


def _shared(context: Context) -> Any:
    """One or more of the axes after the batch."""
    rank = len(context.shapes[0])
    order = context.draw.order(range(1, rank))
    return tuple(order[: context.draw.between(1, rank - 1)])


_SHARED_AXES = parameter(
    "shared_axes",
    None,
    valid=(None, Choice("some", make=_shared)),
    boundary=(
        1,
        Choice("last", make=lambda context: (len(context.shapes[0]) - 1,)),
        Choice("all", make=lambda context: tuple(range(1, len(context.shapes[0])))),
    ),
    invalid=(
        "last",
        (0,),
        # Counted from the end, 1 would be subtracted from the wrong end.
        (-1,),
        Choice("out_of_range", make=lambda context: (len(context.shapes[0]),)),
    ),
)


SPECS = (
    OpSpec(
        name="keras.layers.Activation",
        rule=unchanged,
        tensors=(_LAYER_INPUT,),
        parameters=(
            parameter("activation", valid=_NAMES, boundary=_RARE_NAMES, invalid=("wavy", 3)),
        ),
    ),
    _layer("ELU", parameter("alpha", 1.0, (0.5, 1.0), (0.0, 2.0), ("one", None))),
    OpSpec(
        name="keras.layers.PReLU",
        rule=_prelu,
        tensors=(Tensor(ranks=(2, 3, 4), dtypes=("float32", "float16")),),
        parameters=(_SHARED_AXES,),
        weights=("alpha",),
    ),
    _layer("LeakyReLU", _slope(0.3)),
    _layer(
        "ReLU",
        parameter("max_value", None, (1.0, 6.0), (0.0, 0.5), (-1.0, "six")),
        _slope(0.0),
        parameter("threshold", 0.0, (0.5, 1.0), (0.0, 4.0), (-0.5, None, "high")),
    ),
    OpSpec(
        name="keras.layers.Softmax",
        rule=unchanged_along(),
        parameters=(axis(default=-1, several=True),),
        tensors=(
            Tensor(dtypes=("float32", "float16")),
            Tensor(ranks=(2, 3, 4), dtypes=("bool",), keyword="mask", optional=True),
        ),
        companions=broadcastable,
    ),
)
