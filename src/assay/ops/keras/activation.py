"""Activation functions and activation layers."""

from assay.ops._base import OpSpec, Parameter, Tensor, parameter
from assay.ops.axes import axis
from assay.ops.keras._common import flag
from assay.ops.shapes import same_shape, unchanged, unchanged_along

_SLOPES = {"valid": (0.1, 0.3), "boundary": (0.0, 1.0), "invalid": (-0.5, None, "steep")}


def _function(name: str, *parameters: Parameter) -> OpSpec:
    return OpSpec(
        name=f"keras.activations.{name}",
        rule=unchanged,
        tensors=(Tensor(ranks=(1, 2, 3)),),
        parameters=parameters,
    )


def _layer(name: str, *parameters: Parameter) -> OpSpec:
    return OpSpec(name=f"keras.layers.{name}", rule=unchanged, parameters=parameters)


SPECS = (
    _function("celu", parameter("alpha", 1.0, (0.5, 1.0), (2.0, 1e-3), ("one",))),
    _function("gelu", flag("approximate", False)),
    _function("softplus"),
    _layer("LeakyReLU", parameter("negative_slope", 0.3, **_SLOPES)),
    _layer(
        "ReLU",
        parameter("max_value", None, (1.0, 6.0), (0.0, 0.5), (-1.0, "six")),
        parameter("negative_slope", 0.0, **_SLOPES),
        parameter("threshold", 0.0, (0.5, 1.0), (0.0, 4.0), (-0.5, None, "high")),
    ),
    OpSpec(
        name="keras.layers.Softmax",
        rule=unchanged_along(),
        parameters=(axis(default=-1, several=True),),
        tensors=(
            Tensor(),
            Tensor(ranks=(2, 3, 4), dtypes=("bool",), keyword="mask", optional=True),
        ),
        companions=same_shape,
    ),
)
