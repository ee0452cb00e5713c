"""Functions of ``keras.ops`` that multiply vectors and matrices, or add along diagonals."""

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
from assay.ops.keras._common import flag
from assay.ops.keras.numpy_kinds import AT_LEAST_1, AT_LEAST_2, NUMERIC, rank_of, whole
from assay.ops.keras.numpy_manipulation import UP_TO_4, axis_of
from assay.ops.shapes import axes, broadcast

# ------------------------------------------------------------------------ matmul


def _factor(draw: Draw, first: Shape) -> Shapes:
    """A vector, a matrix, or a stack of matrices whose batch broadcasts with the first's."""
    inner = first[-1]
    columns = draw.between(1, 5)
    kind = draw.below(4)
    if kind == 0:
        return ((inner,),)
    if kind == 1:
        return ((inner, columns),)
    batch = first[:-2] or (2,)
    kept = batch[draw.below(len(batch)) :]
    lengths = tuple(1 if draw.chance(0.3) else length for length in kept)
    return ((*lengths, inner, columns),)


def _matmul(params: Params, shapes: Shapes) -> Shapes:
    first, second = shapes
    left = first if len(first) > 1 else (1, *first)
    right = second if len(second) > 1 else (*second, 1)
    if left[-1] != right[-2]:
        raise Invalid(f"{first} times {second}")
    (batch,) = broadcast({}, (left[:-2], right[:-2])) if len(left) + len(right) > 4 else ((),)
    rows = left[-2:-1] if len(first) > 1 else ()
    columns = right[-1:] if len(second) > 1 else ()
    return ((*batch, *rows, *columns),)


# --------------------------------------------------------------------- tensordot


def _overlapping(draw: Draw, first: Shape) -> Shapes:
    """A tensor that begins with the last lengths of the first, or has its lengths in disorder."""
    if draw.chance(0.3):
        return (tuple(draw.order(first)),)
    shared = first[len(first) - draw.below(len(first) + 1) :]
    return ((*shared, *(draw.between(1, 4) for _ in range(draw.below(3)))),)


def _last_and_first(context: Context, count: int) -> int:
    first, second = context.shapes
    if min(len(first), len(second)) < count or first[len(first) - count :] != second[:count]:
        raise Invalid("lengths do not match")
    return count


def _matching(context: Context, count: int, shift: int = 0) -> Any:
    """Axes of the two tensors with equal lengths; ``shift`` -1 counts from the end."""
    first, second = context.shapes
    ours: list[int] = []
    theirs: list[int] = []
    for place in context.draw.order(range(len(first))):
        free = [a for a, n in enumerate(second) if n == first[place] and a not in theirs]
        if free and len(ours) < count:
            ours.append(place)
            theirs.append(context.draw.pick(free))
    if len(ours) < count:
        raise Invalid("no lengths match")
    return (
        tuple(place + shift * len(first) for place in ours),
        tuple(place + shift * len(second) for place in theirs),
    )


def _tensordot(params: Params, shapes: Shapes) -> Shapes:
    first, second = shapes
    given = params["axes"]
    if isinstance(given, int):
        if not 0 <= given <= min(len(first), len(second)):
            raise Invalid(f"axes {given}")
        ours: Any = tuple(range(len(first) - given, len(first)))
        theirs: Any = tuple(range(given))
    else:
        ours, theirs = (axes(item, len(shape)) for item, shape in zip(given, shapes, strict=True))
    if [first[place] for place in ours] != [second[place] for place in theirs]:
        raise Invalid("lengths do not match")
    rest = [n for place, n in enumerate(first) if place not in ours]
    rest += [n for place, n in enumerate(second) if place not in theirs]
    return (tuple(rest),)


_CONTRACTED = parameter(
    "axes",
    2,
    valid=(
        Choice("one", make=lambda context: _last_and_first(context, 1)),
        Choice("two", make=lambda context: _last_and_first(context, 2)),
        Choice("lists", make=lambda context: _matching(context, 1)),
    ),
    boundary=(
        0,
        Choice("two_lists", make=lambda context: _matching(context, 2)),
        Choice("negative_lists", make=lambda context: _matching(context, 1, -1)),
    ),
    invalid=(
        -1,
        "last",
        Choice("too_many", make=lambda context: rank_of(context) + 1),
        Choice("out_of_range", make=lambda context: ((rank_of(context),), (0,))),
        ((0,), ()),
    ),
)

# ------------------------------------------------------ diagonals, powers, areas


def _trace(params: Params, shapes: Shapes) -> Shapes:
    gone = axes((params["axis1"], params["axis2"]), len(shapes[0]))
    return (tuple(n for place, n in enumerate(shapes[0]) if place not in gone),)


def _vander(params: Params, shapes: Shapes) -> Shapes:
    (length,) = shapes[0]
    return ((length, length if params["N"] is None else params["N"]),)


def _samples(draw: Draw, first: Shape) -> Shapes:
    return (first if draw.chance(0.6) else first[-1:],)


def _trapezoid(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    if not shapes[0][along]:
        raise Invalid("no sample")
    if len(shapes) > 1 and shapes[1] not in (shapes[0], (shapes[0][along],)):
        raise Invalid("sample points do not fit")
    return (tuple(n for place, n in enumerate(shapes[0]) if place != along),)


def _same_size(draw: Draw, first: Shape) -> Shapes:
    return (draw.pick((first, first[::-1], (prod(first),))),)


_NUMBERS = ("float32", "int32", "float16", "int8")

SPECS = (
    OpSpec(
        name="keras.ops.matmul",
        rule=_matmul,
        tensors=(Tensor(ranks=UP_TO_4, dtypes=_NUMBERS, mixed=True),),
        companions=_factor,
    ),
    OpSpec(
        name="keras.ops.tensordot",
        rule=_tensordot,
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=_NUMBERS),),
        companions=_overlapping,
        parameters=(_CONTRACTED,),
    ),
    OpSpec(
        name="keras.ops.outer",
        rule=lambda params, shapes: ((*shapes[0], *shapes[1]),),
        tensors=(Tensor(ranks=(1,), dtypes=NUMERIC, mixed=True),),
        companions=lambda draw, first: (draw.pick((first, (4,), (1,))),),
    ),
    OpSpec(
        name="keras.ops.vdot",
        rule=lambda params, shapes: ((),),
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=_NUMBERS),),
        companions=_same_size,
    ),
    OpSpec(
        name="keras.ops.slogdet",
        rule=lambda params, shapes: ((), ()),
        tensors=(Tensor(ranks=(2,), fit=lambda draw, shape: (draw.pick(shape),) * 2),),
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
    OpSpec(
        name="keras.ops.vander",
        rule=_vander,
        tensors=(Tensor(ranks=(1,), dtypes=("float32", "int32")),),
        parameters=(
            parameter("N", None, (None, 3, 4), (0, 1, 9), (-1, "three", 2.5)),
            flag("increasing", False),
        ),
    ),
    OpSpec(
        name="keras.ops.trapezoid",
        rule=_trapezoid,
        tensors=(
            Tensor(ranks=AT_LEAST_1, dtypes=("float32", "int32", "float16")),
            Tensor(ranks=AT_LEAST_1, keyword="x", optional=True),
        ),
        companions=_samples,
        parameters=(
            parameter("dx", 1.0, (0.5, 2.0), (0.0, -1.0), ("wide",)),
            axis(default=-1),
        ),
    ),
)
