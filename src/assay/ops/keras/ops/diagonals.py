"""Diagonals of matrices, and what is above or below them."""

from math import prod
from typing import Any

from assay.ops._base import Choice, Invalid, OpSpec, Params, Shapes, Tensor, parameter
from assay.ops.keras.ops._kinds import AT_LEAST_2, NUMERIC, SMALL, creation, moving
from assay.ops.keras.ops._parameters import axis_of, dtype_parameter, rank_of, whole
from assay.ops.shapes import axes, unchanged

# -------------------------------------------------------------------- diagonals


def _offset(name: str, *far: int) -> Any:
    return whole(name, 0, valid=(0, 1, -1), boundary=(2, -2, *far))


def _diagonal_length(rows: int, columns: int, offset: int) -> int:
    """How many elements a diagonal of a matrix has."""
    if offset >= 0:
        return max(0, min(rows, columns - offset))
    return max(0, min(rows + offset, columns))


def _diag(params: Params, shapes: Shapes) -> Shapes:
    shape, offset = shapes[0], params["k"]
    if len(shape) == 1:
        return ((shape[0] + abs(offset),) * 2,)
    rows, columns = shape
    return ((_beyond_refused(rows, columns, offset),),)


def _beyond_refused(rows: int, columns: int, offset: int) -> int:
    """The length of a diagonal that exists at all: nothing says what others are."""
    length = _diagonal_length(rows, columns, offset)
    if not length:
        raise Invalid("no such diagonal")
    return length


def _diagflat(params: Params, shapes: Shapes) -> Shapes:
    return ((prod(shapes[0]) + abs(params["k"]),) * 2,)


def _diagonal(params: Params, shapes: Shapes) -> Shapes:
    one, other = axes((params["axis1"], params["axis2"]), len(shapes[0]))
    rest = tuple(length for i, length in enumerate(shapes[0]) if i not in (one, other))
    return ((*rest, _beyond_refused(shapes[0][one], shapes[0][other], params["offset"])),)


def _plane_axis(name: str, default: int) -> Any:
    return parameter(
        name,
        default,
        valid=(default,),
        boundary=(Choice("any", make=lambda c: c.draw.between(-rank_of(c), rank_of(c) - 1)),),
        invalid=(9, "first"),
    )


# -------------------------------------------------------------------- triangles

_DIAGONAL = whole("k", 0, (0, 1, -1), (2, -3, 9, -9))
_ROWS = parameter("N", valid=(3, 4), boundary=(0, 1, 7), invalid=("three", 2.5))


def _tri(params: Params, shapes: Shapes) -> Shapes:
    columns = params["N"] if params["M"] is None else params["M"]
    return ((params["N"], columns),)


# ------------------------------------------------------------------------ trace


def _trace(params: Params, shapes: Shapes) -> Shapes:
    gone = axes((params["axis1"], params["axis2"]), len(shapes[0]))
    return (tuple(n for place, n in enumerate(shapes[0]) if place not in gone),)


SPECS = (
    moving("diag", _diag, (_offset("k", 9, -9),), (1, 2)),
    moving("diagflat", _diagflat, (_offset("k", 9, -9),), SMALL),
    moving(
        "diagonal",
        _diagonal,
        (_offset("offset"), _plane_axis("axis1", 0), _plane_axis("axis2", 1)),
        AT_LEAST_2,
    ),
    moving("tril", unchanged, (_DIAGONAL,), AT_LEAST_2),
    moving("triu", unchanged, (_DIAGONAL,), AT_LEAST_2),
    creation(
        "tri",
        _tri,
        (
            _ROWS,
            parameter("M", None, (None, 3, 5), (0, 1), ("five", 2.5)),
            _DIAGONAL,
            dtype_parameter("float32", "int32", "bool"),
        ),
    ),
    OpSpec(
        name="keras.ops.trace",
        rule=_trace,
        tensors=(Tensor(ranks=AT_LEAST_2, dtypes=(*NUMERIC, "bool")),),
        parameters=(
            whole("offset", 0, (0, 1, -1), (2, -2, 9), ("one", 1.5)),
            axis_of("axis1", 0),
            axis_of("axis2", 1),
        ),
    ),
)
