"""Elements by their positions, and positions by what is there."""

from math import prod
from typing import Any

from assay.ops._base import (
    Choice,
    Context,
    Domain,
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
from assay.ops.keras._common import MOVABLE
from assay.ops.keras.ops._kinds import AT_LEAST_1, SMALL, moving
from assay.ops.keras.ops._parameters import rank_of
from assay.ops.shapes import axes, broadcast, broadcastable

_IDS = Domain(0, 1, kind="ids")


def _positions(params: Params, shapes: Shapes) -> tuple[float, float]:
    """Every position along the axis, also counted from the end; of an invalid axis, the first."""
    along, shape = params["axis"], shapes[0]
    if along is None:
        length = prod(shape)
    else:
        valid = isinstance(along, int) and -len(shape) <= along < len(shape)
        length = shape[along] if valid else 1
    return -length, length - 1


def _indices(rank: tuple[int, ...]) -> Tensor:
    return Tensor(ranks=rank, dtypes=("int32",), domain=_IDS, limits=_positions)


# ------------------------------------------------------------------------- take


def _wanted(draw: Draw, first: Shape) -> Shapes:
    return (draw.pick(((), (1,), (3,), (5,), (2, 3), (3, 1, 2), (0,))),)


def _flattened(params: Params, shape: Shape) -> Shape:
    """Without an axis the source is one long vector."""
    return (prod(shape),) if params["axis"] is None else shape


def _take(params: Params, shapes: Shapes) -> Shapes:
    shape, wanted = _flattened(params, shapes[0]), shapes[1]
    (along,) = axes(params["axis"] or 0, len(shape))
    if shape[along] == 0 and prod(wanted) > 0:
        raise Invalid("nothing to take")
    return ((*shape[:along], *wanted, *shape[along + 1 :]),)


def _aligned(draw: Draw, first: Shape) -> Shapes:
    """Usually as the source but for one axis; else one axis, for the flattened source."""
    if draw.chance(0.2):
        return ((draw.between(1, 6),),)
    place = draw.below(len(first))
    length = first[place] if draw.chance(0.4) else draw.between(1, 5)
    return ((*first[:place], length, *first[place + 1 :]),)


def _take_along_axis(params: Params, shapes: Shapes) -> Shapes:
    shape, wanted = _flattened(params, shapes[0]), shapes[1]
    (along,) = axes(params["axis"] or 0, len(shape))
    if len(wanted) != len(shape):
        raise Invalid("ranks differ")
    if any(
        a != b for place, (a, b) in enumerate(zip(shape, wanted, strict=True)) if place != along
    ):
        raise Invalid("lengths differ outside of the axis")
    if shape[along] == 0 and prod(wanted) > 0:
        raise Invalid("nothing to take")
    return (wanted,)


def _differing(context: Context, shift: bool) -> Any:
    """The axis along which the two shapes differ; any if they do not."""
    source, wanted = context.shapes
    if len(source) != len(wanted):
        raise Invalid("ranks differ")
    places = [
        place for place, pair in enumerate(zip(source, wanted, strict=True)) if len(set(pair)) > 1
    ]
    place = places[0] if places else context.draw.below(len(source))
    return place - len(source) if shift else place


_ALONG = parameter(
    "axis",
    None,
    valid=(None, Choice("differing", make=lambda context: _differing(context, False))),
    boundary=(Choice("negative", make=lambda context: _differing(context, True)),),
    invalid=(
        Choice("out_of_range", make=rank_of),
        Choice("negative_out_of_range", make=lambda context: -rank_of(context) - 1),
    ),
)

# ------------------------------------------------------------- where and select


def _branches(draw: Draw, first: Shape) -> Shapes:
    """Two values to choose from; without them the positions of what is true are meant."""
    if first and draw.chance(0.15):
        return ()
    return (*broadcastable(draw, first), *broadcastable(draw, first))


def _nonzero(params: Params, shapes: Shapes) -> Shapes:
    return ((prod(shapes[0]),),) * len(shapes[0])


def _where(params: Params, shapes: Shapes) -> Shapes:
    return broadcast(params, shapes) if len(shapes) == 3 else _nonzero(params, shapes)


def _two_choices(draw: Draw, first: Shape) -> Shapes:
    """A second condition, and a choice for each."""
    return tuple(broadcastable(draw, first)[0] for _ in range(3))


_TRUTH = Tensor(ranks=SMALL, dtypes=("bool",))
_VALUE = Tensor(ranks=SMALL)

# --------------------------------------------------- positions in another shape


def _unravel(params: Params, shapes: Shapes) -> Shapes:
    return (shapes[0],) * len(params["shape"])


def _flat_positions(params: Params, shapes: Shapes) -> tuple[float, float]:
    shape = params["shape"]
    valid = isinstance(shape, tuple) and min(shape) > 0
    return 0, prod(shape) - 1 if valid else 0


# --------------------------------------------------------------------- get_item


def _index(context: Context, place: int, negative: bool = False) -> int:
    shape = context.shapes[0]
    if place >= len(shape) or not shape[place]:
        raise Invalid("no element")
    found = context.draw.below(shape[place])
    return found - shape[place] if negative else found


_KEY = parameter(
    "key",
    valid=(
        Choice("index", make=lambda c: _index(c, 0)),
        Choice("indices", make=lambda c: (_index(c, 0), _index(c, 1))),
    ),
    boundary=(
        Choice("negative", make=lambda c: _index(c, 0, True)),
        Choice("negative_indices", make=lambda c: (_index(c, 0), _index(c, 1, True))),
        Choice("new_axis", make=lambda c: (None, _index(c, 0))),
        Choice("tuple_of_one", make=lambda c: (_index(c, 0),)),
        (None,),
    ),
    # Jax clamps indices out of range by design, so those are not refused everywhere.
    invalid=(Choice("too_many", make=lambda c: (0,) * (rank_of(c) + 1)), "first"),
)


def _get_item(params: Params, shapes: Shapes) -> Shapes:
    key = params["key"] if isinstance(params["key"], tuple) else (params["key"],)
    taken = sum(item is not None for item in key)
    return ((*(1 for item in key if item is None), *shapes[0][taken:]),)


SPECS = (
    OpSpec(
        name="keras.ops.take",
        rule=_take,
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=MOVABLE), _indices((0, 1, 2, 3))),
        companions=_wanted,
        parameters=(axis(default=None, nothing=True),),
    ),
    OpSpec(
        name="keras.ops.take_along_axis",
        rule=_take_along_axis,
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=MOVABLE), _indices(AT_LEAST_1)),
        companions=_aligned,
        parameters=(_ALONG,),
    ),
    OpSpec(
        name="keras.ops.where",
        rule=_where,
        tensors=(_TRUTH, _VALUE),
        companions=_branches,
        dynamic=True,
    ),
    OpSpec(
        name="keras.ops.select",
        rule=broadcast,
        tensors=(_TRUTH, _TRUTH, _VALUE),
        companions=_two_choices,
        grouped=2,
        parameters=(parameter("default", 0, (0, 1.5), (float("nan"), float("inf"), -1)),),
    ),
    OpSpec(
        name="keras.ops.nonzero",
        rule=_nonzero,
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=MOVABLE),),
        differentiable=False,
        dynamic=True,
        result="integer",
    ),
    OpSpec(
        name="keras.ops.unravel_index",
        rule=_unravel,
        tensors=(Tensor(ranks=(0, 1, 2), dtypes=("int32",), domain=_IDS, limits=_flat_positions),),
        parameters=(
            parameter(
                "shape",
                valid=((3, 4), (2, 3, 5)),
                boundary=((5,), (1, 6), (4, 1), (2, 2, 2, 2)),
                invalid=((-1, 2), "3x4"),
            ),
        ),
        differentiable=False,
        result="integer",
    ),
    moving("get_item", _get_item, (_KEY,), AT_LEAST_1),
)
