"""Regularizers: the penalty for a weight."""

from assay.ops._base import Invalid, OpSpec, Parameter, Params, ShapeRule, Shapes, Tensor, parameter


def _scalar(params: Params, shapes: Shapes) -> Shapes:
    return ((),)


def _pairs(params: Params, shapes: Shapes) -> Shapes:
    if shapes[0][0 if params["mode"] == "rows" else 1] < 2:
        raise Invalid("one vector has no other to be orthogonal to")
    return ((),)


def _factor(name: str, default: float) -> Parameter:
    return parameter(name, default, (0.01, 0.5), (0.0, 2.0), ("strong", -0.1))


def _regularizer(
    name: str,
    *parameters: Parameter,
    rule: ShapeRule = _scalar,
    ranks: tuple[int, ...] = (1, 2, 3, 4),
) -> OpSpec:
    return OpSpec(
        name=f"keras.regularizers.{name}",
        rule=rule,
        tensors=(Tensor(ranks=ranks),),
        parameters=parameters,
    )


SPECS = (
    _regularizer("L1", _factor("l1", 0.01)),
    _regularizer("L2", _factor("l2", 0.01)),
    _regularizer("L1L2", _factor("l1", 0.0), _factor("l2", 0.0)),
    _regularizer(
        "OrthogonalRegularizer",
        _factor("factor", 0.01),
        parameter("mode", "rows", ("rows", "columns"), invalid=("diagonals", None)),
        rule=_pairs,
        ranks=(2,),
    ),
)
