"""Functions of ``keras.ops`` that sort elements into bins or sets."""

from assay.ops._base import Domain, Invalid, OpSpec, Params, Shape, Shapes, Tensor, parameter
from assay.ops._draw import Draw
from assay.ops.keras._common import flag
from assay.ops.keras.numpy_kinds import NUMERIC, SMALL, path
from assay.ops.shapes import same_shape, unchanged

#: What ``bincount`` counts.
_IDS = Domain(low=0, high=5, kind="ids", special=False)


def _bincount(params: Params, shapes: Shapes) -> Shapes:
    """For ones: two bins, if anything is counted."""
    return ((max(params["minlength"], 2 if shapes[0][0] else 0),),)


def _histogram(params: Params, shapes: Shapes) -> Shapes:
    if 0 in shapes[0]:
        raise Invalid("nothing to count")
    return ((params["bins"],), (params["bins"] + 1,))


def _members(draw: Draw, first: Shape) -> Shapes:
    """Another tensor of any shape to look in."""
    return (draw.pick((first, (4,), (2, 3), (1,), ())),)


SPECS = (
    OpSpec(
        name=path("bincount"),
        rule=_bincount,
        tensors=(
            Tensor(ranks=(1,), dtypes=("int32", "uint8", "int8"), domain=_IDS),
            Tensor(ranks=(1,), keyword="weights", optional=True),
        ),
        companions=same_shape,
        dynamic=True,
        parameters=(
            parameter("minlength", 0, valid=(0, 8), boundary=(1, 6), invalid=(-1, "many")),
        ),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name=path("digitize"),
        rule=unchanged,
        tensors=(Tensor(ranks=SMALL, dtypes=NUMERIC),),
        parameters=(
            parameter(
                "bins",
                valid=((-1.0, 0.0, 1.5), (0.0, 0.25, 0.5, 1.0)),
                boundary=((0.0,), (-1, 0, 1), (1.0, 1.0, 2.0)),
                invalid=("bins", ((0.0, 1.0), (2.0, 3.0))),
            ),
        ),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name=path("histogram"),
        rule=_histogram,
        tensors=(Tensor(ranks=(1,), dtypes=NUMERIC),),
        parameters=(
            parameter("bins", 10, valid=(3, 4, 7), boundary=(1,), invalid=(0, -2, "few", 2.5)),
            parameter(
                "range",
                None,
                valid=((-2.0, 2.5), None),
                boundary=((0.0, 1.0), (-1, 2), (10.0, 20.0)),
                invalid=((1.0, -1.0), (0.0, 1.0, 2.0), "wide"),
            ),
        ),
        impossible=("batch_0",),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name=path("isin"),
        rule=unchanged,
        tensors=(Tensor(ranks=SMALL, dtypes=("int32", "float32", "uint8", "bool")),),
        companions=_members,
        parameters=(flag("invert", False),),
        differentiable=False,
        result="bool",
    ),
)
