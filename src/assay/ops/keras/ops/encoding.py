"""Ids as vectors of zeros and ones."""

from typing import Any

from assay.ops._base import (
    Choice,
    Domain,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops.shapes import axes

_INTEGERS = ("int32", "uint8")


def _one_hot(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]) + 1)
    return ((*shapes[0][:along], params["num_classes"], *shapes[0][along:]),)


def _multi_hot(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    rest = (*shapes[0][:along], *shapes[0][along + 1 :])
    # The labels of a sample are along the last axis or the axis given.
    if along != len(shapes[0]) - 1:
        raise Invalid("which axis holds the labels is documented for the last one only")
    return ((*rest, params["num_classes"]),)


def _classes(params: Params, shapes: Shapes) -> tuple[float, float]:
    return 0, params["num_classes"] - 1


def _encoding(name: str, rule: Any, along: Parameter, ranks: tuple[int, ...]) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=rule,
        tensors=(
            Tensor(ranks=ranks, dtypes=_INTEGERS, domain=Domain(kind="ids"), limits=_classes),
        ),
        parameters=(
            parameter("num_classes", valid=(4, 5), boundary=(1, 2), invalid=(-1, "five", 2.5)),
            along,
            parameter("dtype", None, ("float32", "int32"), ("bool", "float16"), ("float33",)),
        ),
        differentiable=False,
    )


_NEW_AXIS = parameter(
    "axis",
    -1,
    valid=(-1, Choice("last", make=lambda context: len(context.shapes[0]))),
    boundary=(0, Choice("any", make=lambda c: c.draw.below(len(c.shapes[0]) + 1))),
    invalid=(Choice("out_of_range", make=lambda context: len(context.shapes[0]) + 1), "last"),
)
_ENCODINGS = (
    _encoding("one_hot", _one_hot, _NEW_AXIS, (0, 1, 2, 3)),
    _encoding("multi_hot", _multi_hot, parameter("axis", -1, valid=(-1,)), (1, 2)),
)

SPECS = (*_ENCODINGS,)
