"""Activation functions of ``keras.ops``."""

from assay.ops._base import Invalid, OpSpec, Parameter, Params, Shape, Shapes, Tensor, parameter
from assay.ops._draw import Draw
from assay.ops.axes import axis
from assay.ops.keras._common import flag
from assay.ops.keras.ops._kinds import FLOAT
from assay.ops.keras.ops._parameters import multiple_of
from assay.ops.shapes import axes, unchanged, unchanged_along


def _activation(name: str, *parameters: Parameter) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=unchanged,
        tensors=(Tensor(ranks=(1, 2, 3), dtypes=FLOAT),),
        parameters=parameters,
    )


def _along(name: str, several: bool) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=unchanged_along(),
        tensors=(Tensor(ranks=(1, 2, 3, 4), dtypes=FLOAT),),
        parameters=(axis(default=-1, several=several),),
    )


def _glu(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    if shapes[0][along] % 2:
        raise Invalid("glu halves an even length")
    result = list(shapes[0])
    result[along] //= 2
    return (tuple(result),)


def _one_even(draw: Draw, shape: Shape) -> Shape:
    return multiple_of(2, draw.below(len(shape)), draw, shape)


_PLAIN = (
    "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh", "log_sigmoid", "relu", "relu6",
    "selu", "sigmoid", "silu", "softplus", "softsign", "sparse_plus", "sparse_sigmoid", "swish",
    "tanh_shrink",
)  # fmt: skip
_ALPHA = parameter("alpha", 1.0, (0.5, 1.0), (2.0, 1e-3), ("one",))
_SHRINK = parameter("threshold", 0.5, (0.5, 1.0), (0.0, 3.0), ("high",))
_ACTIVATIONS = (
    *(_activation(name) for name in _PLAIN),
    _activation("celu", _ALPHA),
    _activation("elu", _ALPHA),
    _activation("gelu", flag("approximate", True)),
    _activation("hard_shrink", _SHRINK),
    _activation("soft_shrink", _SHRINK),
    _activation("leaky_relu", parameter("negative_slope", 0.2, (0.2, 0.1), (0.0, 1.0), ("low",))),
    _activation("squareplus", parameter("b", 4, (4, 1.0), (0, 1e-6), ("four",))),
    _activation(
        "threshold",
        parameter("threshold", valid=(0.5, 1.0), boundary=(0.0, -1.0), invalid=("high",)),
        parameter("default_value", valid=(0.0, 2.0), boundary=(-1.0,), invalid=("none",)),
    ),
    _along("softmax", several=True),
    _along("log_softmax", several=True),
    _along("sparsemax", several=False),
    OpSpec(
        name="keras.ops.glu",
        rule=_glu,
        tensors=(Tensor(ranks=(1, 2, 3), dtypes=FLOAT, fit=_one_even),),
        parameters=(axis(default=-1),),
    ),
)

SPECS = (*_ACTIVATIONS,)
