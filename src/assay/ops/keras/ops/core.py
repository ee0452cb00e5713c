"""What a tensor is: its dtype, its bytes, its size, and whether it has a gradient."""

from assay.ops._base import Domain, OpSpec, Params, Shape, Shapes, Tensor, parameter
from assay.ops._draw import Draw
from assay.ops.keras._common import MOVABLE
from assay.ops.keras.ops._kinds import AT_LEAST_1, path
from assay.ops.shapes import unchanged

# ------------------------------------------------------------------------ casts


def _without_overflow(params: Params, shapes: Shapes) -> Domain:
    """What the dtype cannot hold has no defined value."""
    return Domain(low=0.0, high=9.0, special=False)


_DTYPES = ("float16", "float32", "int32", "uint8", "bool", "int8")
_WIDE = Domain(low=-40.0, high=40.0)
_CASTS = (
    OpSpec(
        name="keras.ops.cast",
        rule=unchanged,
        tensors=(
            Tensor(
                ranks=(0, 1, 2, 3),
                dtypes=("float32", "int32", "uint8", "bool", "float16"),
                domain_for=_without_overflow,
            ),
        ),
        parameters=(parameter("dtype", valid=_DTYPES, invalid=("float33", 7)),),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name="keras.ops.saturate_cast",
        rule=unchanged,
        tensors=(Tensor(ranks=(0, 1, 2, 3), dtypes=("float32", "int32", "float16"), domain=_WIDE),),
        parameters=(
            parameter(
                "dtype",
                valid=("uint8", "int8", "int16", "float16"),
                boundary=("uint16", "int32", "uint32", "float32"),
                invalid=("float33", 7),
            ),
        ),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name="keras.ops.convert_to_tensor",
        rule=unchanged,
        tensors=(
            Tensor(
                ranks=(0, 1, 2, 3),
                dtypes=("float32", "int32", "uint8", "bool", "float16"),
                domain_for=_without_overflow,
            ),
        ),
        parameters=(parameter("dtype", None, (None, *_DTYPES), invalid=("float33",)),),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name="keras.ops.stop_gradient",
        rule=unchanged,
        tensors=(Tensor(ranks=(0, 1, 2, 3), dtypes=("float32", "int32")),),
        # Its derivative is none on purpose: not that of the function.
        differentiable=False,
    ),
)

# -------------------------------------------------------------- sizes and bytes

#: Every input of ``view`` has elements of four bytes: these are so many in one.
_IN_FOUR_BYTES = {"int32": 1, "float32": 1, "int16": 2, "float16": 2, "uint8": 4}


def _view(params: Params, shapes: Shapes) -> Shapes:
    return ((*shapes[0][:-1], shapes[0][-1] * _IN_FOUR_BYTES[params["dtype"]]),)


def _count(name: str) -> OpSpec:
    return OpSpec(
        name=path(name),
        rule=lambda params, shapes: ((),),
        tensors=(Tensor(ranks=(0, 1, 2, 3, 4), dtypes=MOVABLE),),
        differentiable=False,
        result="integer",
    )


def _in_pairs(draw: Draw, shape: Shape) -> Shape:
    return (*shape[:-1], 2)


SPECS = (
    *_CASTS,
    _count("ndim"),
    _count("size"),
    OpSpec(
        name="keras.ops.view",
        rule=_view,
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=("int32", "float32")),),
        parameters=(
            parameter(
                "dtype",
                valid=("float32", "int32"),
                boundary=("uint8", "int16", "float16"),
                invalid=("no_such",),
            ),
        ),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name="keras.ops.view_as_complex",
        rule=lambda params, shapes: (shapes[0][:-1],),
        tensors=(Tensor(ranks=(1, 2, 3), fit=_in_pairs),),
        differentiable=False,
        result="complex",
        impossible=("repeated",),
    ),
    OpSpec(
        name="keras.ops.view_as_real",
        rule=lambda params, shapes: ((*shapes[0], 2),),
        tensors=(Tensor(ranks=(0, 1, 2, 3), dtypes=("complex64",)),),
        differentiable=False,
    ),
)
