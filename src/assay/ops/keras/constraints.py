"""Constraints: the weight after one application."""

from assay.ops._base import OpSpec, Parameter, Params, Shapes, Tensor, parameter
from assay.ops.axes import axis
from assay.ops.shapes import axes

_AXIS = axis(default=0, several=True)


def _constraint(name: str, *parameters: Parameter) -> OpSpec:
    def rule(params: Params, shapes: Shapes) -> Shapes:
        axes(params.get("axis", 0), len(shapes[0]))
        return (shapes[0],)

    return OpSpec(
        name=f"keras.constraints.{name}",
        rule=rule,
        tensors=(Tensor(ranks=(1, 2, 3, 4)),),
        parameters=parameters,
    )


def _bound(name: str, default: float) -> Parameter:
    return parameter(name, default, (1.0, 2.0, 0.5), (0.0, 100.0), ("long",))


SPECS = (
    _constraint("NonNeg"),
    _constraint("UnitNorm", _AXIS),
    _constraint("MaxNorm", _bound("max_value", 2), _AXIS),
    _constraint(
        "MinMaxNorm",
        parameter("min_value", 0.0, (0.0, 0.5), (1.0,), ("short",)),
        parameter("max_value", 1.0, (1.0, 2.0), (100.0,), ("long",)),
        parameter("rate", 1.0, (1.0, 0.5), (0.0, 0.1), ("slow",)),
        _AXIS,
    ),
)
