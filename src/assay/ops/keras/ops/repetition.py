"""Elements, or whole tensors, several times."""

from math import prod
from typing import Any

from assay.ops._base import Choice, Context, Invalid, Params, Shapes, parameter
from assay.ops.axes import axis
from assay.ops.keras.ops._kinds import AT_LEAST_1, moving
from assay.ops.keras.ops._parameters import rank_of
from assay.ops.shapes import axes


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

SPECS = (
    moving("repeat", _repeat, (axis(default=None, nothing=True), _REPEATS), AT_LEAST_1),
    moving("tile", _tile, (_TILES,), AT_LEAST_1),
)
