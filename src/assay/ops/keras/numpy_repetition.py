"""Functions of ``keras.ops`` from ``ones`` to ``zeros_like`` that repeat, part or make elements."""

from itertools import pairwise
from math import prod
from typing import Any

from assay.ops._base import (
    Choice,
    Context,
    Invalid,
    OpSpec,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops.axes import axis
from assay.ops.keras.numpy_kinds import (
    ANY,
    AT_LEAST_1,
    AT_LEAST_2,
    MOVABLE,
    SHAPE,
    SMALL,
    creation,
    dtype_parameter,
    given_shape,
    moving,
    path,
    rank_of,
    whole,
)
from assay.ops.shapes import axes, unchanged

# ------------------------------------------------------------------- repetition


def _length(context: Context) -> int:
    along = context.params.get("axis")
    return prod(context.shapes[0]) if along is None else context.shapes[0][along]


def _each_repeated(context: Context) -> Any:
    return tuple(context.draw.below(4) for _ in range(_length(context)))


def _repeat(params: Params, shapes: Shapes) -> Shapes:
    shape, along = shapes[0], params["axis"]
    if along is None:
        shape, along = (prod(shape),), 0
    (along,) = axes(along, len(shape))
    repeats = params["repeats"]
    times = (repeats,) if isinstance(repeats, int) else tuple(repeats)
    if len(times) not in (1, shape[along]) or min(times, default=0) < 0:
        raise Invalid(f"repeats {repeats} of {shape[along]} elements")
    length = shape[along] * times[0] if len(times) == 1 else sum(times)
    return ((*shape[:along], length, *shape[along + 1 :]),)


_REPEATS = parameter(
    "repeats",
    valid=(2, 3),
    boundary=(0, 1, Choice("each", make=_each_repeated)),
    invalid=(
        -1,
        "twice",
        1.5,
        Choice("wrong_count", make=lambda context: (1,) * (_length(context) + 2)),
    ),
)


def _tile(params: Params, shapes: Shapes) -> Shapes:
    repeats = params["repeats"]
    repeats = (repeats,) if isinstance(repeats, int) else tuple(repeats)
    rank = max(len(repeats), len(shapes[0]))
    shape = (1,) * (rank - len(shapes[0])) + shapes[0]
    times = (1,) * (rank - len(repeats)) + repeats
    return (tuple(n * count for n, count in zip(shape, times, strict=True)),)


def _times(context: Context, rank: int) -> Any:
    if rank < 1:
        raise Invalid("needs an axis")
    return tuple(context.draw.between(1, 3) for _ in range(rank))


_TILES = parameter(
    "repeats",
    valid=(Choice("each_axis", make=lambda c: _times(c, rank_of(c))),),
    boundary=(
        2,
        (0,),
        Choice("fewer", make=lambda c: _times(c, rank_of(c) - 1)),
        Choice("more", make=lambda c: _times(c, rank_of(c) + 1)),
        Choice("with_zero", make=lambda c: (*_times(c, rank_of(c)), 0)),
    ),
    invalid=((-1,), "twice", (1.5,)),
)

# --------------------------------------------------------------------- splitting


def _split_length(context: Context) -> int:
    return context.shapes[0][context.params.get("axis", 0)]


def _sections(context: Context) -> int:
    length = _split_length(context)
    divisors = [n for n in range(2, length) if length % n == 0]
    if not divisors:
        raise Invalid("no divisor")
    return context.draw.pick(divisors)


def _cuts(context: Context, count: int) -> Any:
    length = _split_length(context)
    if length < 2:
        raise Invalid("nothing to cut")
    return tuple(sorted(context.draw.between(1, length - 1) for _ in range(count)))


def _split_at(shape: Shape, along: int, where: Any) -> Shapes:
    length = shape[along]
    if isinstance(where, int):
        if where < 1 or length % where:
            raise Invalid(f"{where} sections of {length}")
        lengths = [length // where] * where
    else:
        marks = (0, *where, length)
        if list(marks) != sorted(marks):
            raise Invalid(f"indices {where} of {length}")
        lengths = [after - before for before, after in pairwise(marks)]
    return tuple((*shape[:along], part, *shape[along + 1 :]) for part in lengths)


def _split(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params.get("axis", 0), len(shapes[0]))
    return _split_at(shapes[0], along, params["indices_or_sections"])


def _enough_rows(draw: Draw, shape: Shape) -> Shape:
    """Usually with rows that have a divisor."""
    return shape if shape[0] < 2 or draw.chance(0.4) else (draw.pick((4, 6)), *shape[1:])


#: Unequal sections are no invalid value: documented for torch.
_WHERE = parameter(
    "indices_or_sections",
    valid=(
        Choice("sections", make=_sections),
        Choice("indices", make=lambda context: _cuts(context, context.draw.between(1, 2))),
    ),
    boundary=(
        1,
        Choice("one_each", make=lambda context: max(1, _split_length(context))),
        Choice("repeated", make=lambda context: _cuts(context, 1) * 2),
        Choice("ends", make=lambda context: (0, _split_length(context))),
        (),
    ),
    invalid=(0, -1, "two", 1.5),
)

# ------------------------------------------------------- triangles, creation, views

_DIAGONAL = whole("k", 0, (0, 1, -1), (2, -3, 9, -9))
_ROWS = parameter("N", valid=(3, 4), boundary=(0, 1, 7), invalid=("three", 2.5))


def _tri(params: Params, shapes: Shapes) -> Shapes:
    columns = params["N"] if params["M"] is None else params["M"]
    return ((params["N"], columns),)


#: Every input of ``view`` has elements of four bytes: these are so many in one.
_IN_FOUR_BYTES = {"int32": 1, "float32": 1, "int16": 2, "float16": 2, "uint8": 4}


def _view(params: Params, shapes: Shapes) -> Shapes:
    return ((*shapes[0][:-1], shapes[0][-1] * _IN_FOUR_BYTES[params["dtype"]]),)


def _like(name: str) -> OpSpec:
    return OpSpec(
        name=path(name),
        rule=unchanged,
        tensors=(Tensor(ranks=SMALL, dtypes=ANY),),
        parameters=(dtype_parameter("float32", "int32", "bool", "float16"),),
        differentiable=False,
        # Whatever dtype says: nothing float can follow for certain.
        result="integer",
    )


def _count(name: str) -> OpSpec:
    return OpSpec(
        name=path(name),
        rule=lambda params, shapes: ((),),
        tensors=(Tensor(ranks=(0, 1, 2, 3, 4), dtypes=MOVABLE),),
        differentiable=False,
        result="integer",
    )


SPECS = (
    moving("repeat", _repeat, (axis(default=None, nothing=True), _REPEATS), AT_LEAST_1),
    moving("tile", _tile, (_TILES,), AT_LEAST_1),
    moving("split", _split, (axis(default=0), _WHERE), AT_LEAST_1),
    OpSpec(
        name="keras.ops.vsplit",
        rule=_split,
        tensors=(Tensor(ranks=AT_LEAST_2, dtypes=MOVABLE, fit=_enough_rows),),
        parameters=(_WHERE,),
    ),
    moving("tril", unchanged, (_DIAGONAL,), AT_LEAST_2),
    moving("triu", unchanged, (_DIAGONAL,), AT_LEAST_2),
    creation("ones", given_shape, (SHAPE, dtype_parameter("float32", "int32", "bool"))),
    creation("zeros", given_shape, (SHAPE, dtype_parameter("float32", "int32", "bool"))),
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
    _like("ones_like"),
    _like("zeros_like"),
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
)
