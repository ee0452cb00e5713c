"""Functions of ``keras.ops`` from a to l that join, split, flip and index."""

from itertools import pairwise
from math import prod
from typing import Any

from assay.ops._base import (
    REQUIRED,
    Choice,
    Context,
    Invalid,
    OpSpec,
    Params,
    Shape,
    ShapeRule,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops.axes import axis
from assay.ops.keras.numpy_kinds import (
    AT_LEAST_1,
    AT_LEAST_2,
    MOVABLE,
    SMALL,
    given_shape,
    moving,
    path,
    rank_of,
    whole,
)
from assay.ops.shapes import axes, differing_along_one_axis, unchanged, unchanged_along

# --------------------------------------------------------------------- joining


def joined(shapes: Shapes, along: int) -> Shape:
    """The shape of a concatenation; ``Invalid`` if other axes differ."""
    if len({(len(shape), *shape[:along], *shape[along + 1 :]) for shape in shapes}) > 1:
        raise Invalid(f"shapes {shapes} differ outside of axis {along}")
    total = sum(shape[along] for shape in shapes)
    return (*shapes[0][:along], total, *shapes[0][along + 1 :])


def _concatenate(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    return (joined(shapes, along),)


def _append(params: Params, shapes: Shapes) -> Shapes:
    if params["axis"] is None:
        return ((sum(prod(shape) for shape in shapes),),)
    return _concatenate(params, shapes)


def _appended(draw: Draw, first: Shape) -> Shapes:
    if not first or draw.chance(0.15):
        return ((2, 3),)
    return differing_along_one_axis(draw, first)[:1]


def _hstack(params: Params, shapes: Shapes) -> Shapes:
    return (joined(shapes, 0 if len(shapes[0]) == 1 else 1),)


def _dstack(params: Params, shapes: Shapes) -> Shapes:
    def deep(shape: Shape) -> Shape:
        return (1, *shape, 1) if len(shape) == 1 else (*shape, 1) if len(shape) == 2 else shape

    return (joined(tuple(deep(shape) for shape in shapes), 2),)


def _joining(name: str, rule: ShapeRule, ranks: tuple[int, ...], *parameters: Any) -> OpSpec:
    return OpSpec(
        name=path(name),
        rule=rule,
        parameters=parameters,
        tensors=(Tensor(ranks=ranks, dtypes=MOVABLE, mixed=True),),
        companions=differing_along_one_axis,
        grouped=True,
    )


# ------------------------------------------------------------------- splitting


def _uneven(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    sections = params["indices_or_sections"]
    if sections < 1:
        raise Invalid(f"{sections} sections")
    size, left = divmod(shapes[0][along], sections)
    return _with_lengths(shapes[0], along, [size + (i < left) for i in range(sections)])


def _with_lengths(shape: Shape, along: int, lengths: list[int]) -> Shapes:
    return tuple((*shape[:along], length, *shape[along + 1 :]) for length in lengths)


def split_lengths(length: int, sections: Any) -> list[int]:
    """Lengths of the parts: equal ones, or those between sorted indices."""
    if isinstance(sections, int):
        if sections < 1 or length % sections:
            raise Invalid(f"{length} in {sections} equal parts")
        return [length // sections] * sections
    edges = [0, *(min(index, length) for index in sections), length]
    return [max(0, end - start) for start, end in pairwise(edges)]


def _splitting(name: str, along: int, ranks: tuple[int, ...]) -> OpSpec:
    """``along`` is 0 for vectors."""

    def place(shape: Shape) -> int:
        return min(along, len(shape) - 1)

    def rule(params: Params, shapes: Shapes) -> Shapes:
        where = place(shapes[0])
        lengths = split_lengths(shapes[0][where], params["indices_or_sections"])
        return _with_lengths(shapes[0], where, lengths)

    def divisor(context: Context) -> int:
        length = context.shapes[0][place(context.shapes[0])]
        found = [count for count in (2, 3, 4, 5, 7) if length and length % count == 0]
        if not found:
            raise Invalid("no equal parts")
        return context.draw.pick(found)

    def uneven(context: Context) -> int:
        return context.shapes[0][place(context.shapes[0])] + 1

    def inside(context: Context) -> tuple[int, int]:
        length = context.shapes[0][place(context.shapes[0])]
        if length < 3:
            raise Invalid("too short to cut twice")
        return (1, context.draw.between(2, length - 1))

    sections = parameter(
        "indices_or_sections",
        valid=(Choice("equal", make=divisor), Choice("indices", make=inside)),
        boundary=(1, (1,), (1, 1), (0, 1)),
        invalid=(Choice("uneven", make=uneven), 0, "two"),
    )
    return moving(name, rule, (sections,), ranks)


# ------------------------------------------------------------------- diagonals


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


# ------------------------------------------------------------ other rearranging


def _target(context: Context, *outer: int) -> Shape:
    draw = context.draw
    inner = (draw.between(2, 4) if n == 1 else n for n in context.shapes[0])
    return (*outer, *inner)


def _one_number(context: Context) -> int:
    """Stands for a shape of one axis."""
    if rank_of(context) > 1:
        raise Invalid("more than one axis")
    return (*context.shapes[0], 3)[0]


_TARGET = parameter(
    "shape",
    valid=(
        Choice("more_axes", make=lambda context: _target(context, 2)),
        Choice("longer_ones", make=_target),
    ),
    boundary=(
        Choice("the_same", make=lambda context: context.shapes[0]),
        Choice("none_of_it", make=lambda context: _target(context, 0)),
        Choice("two_more_axes", make=lambda context: _target(context, 1, 3)),
        Choice("one_number", make=_one_number),
    ),
    invalid=(Choice("incompatible", make=lambda c: (*_target(c, 2)[:-1], 11)), "wide"),
)


def _broadcast_to(params: Params, shapes: Shapes) -> Shapes:
    (wanted,) = given_shape(params, shapes)
    for length, target in zip(reversed(shapes[0]), reversed(wanted), strict=False):
        if length not in (1, target):
            raise Invalid(f"{shapes[0]} to {wanted}")
    return (wanted,)


def _new_axes(params: Params, shapes: Shapes) -> Shapes:
    value = params["axis"]
    count = len(value) if isinstance(value, tuple) else 1
    rank = len(shapes[0]) + count
    places = axes(value, rank)
    old = iter(shapes[0])
    return (tuple(1 if place in places else next(old) for place in range(rank)),)


_NEW_AXIS = parameter(
    "axis",
    valid=(0, -1, Choice("end", make=rank_of)),
    boundary=(
        Choice("first_negative", make=lambda context: -rank_of(context) - 1),
        Choice("inside", make=lambda context: context.draw.between(0, rank_of(context))),
        (0, 1),
        (0, -1),
    ),
    invalid=(
        Choice("out_of_range", make=lambda context: rank_of(context) + 1),
        Choice("negative_out_of_range", make=lambda context: -rank_of(context) - 2),
        (0, 0),
        "last",
    ),
)


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


_AXIS = axis(default=0)

SPECS = (
    moving("append", _append, (axis(default=None, nothing=True),), SMALL, _appended),
    _joining("concatenate", _concatenate, AT_LEAST_1, _AXIS),
    _joining("hstack", _hstack, AT_LEAST_1),
    _joining("dstack", _dstack, AT_LEAST_1),
    moving(
        "array_split",
        _uneven,
        (
            whole("indices_or_sections", REQUIRED, (2, 3), (1, 5, 9), (0, -1, "two")),
            _AXIS,
        ),
        AT_LEAST_1,
    ),
    _splitting("hsplit", 1, AT_LEAST_1),
    _splitting("dsplit", 2, (3, 4)),
    moving("diag", _diag, (_offset("k", 9, -9),), (1, 2)),
    moving("diagflat", _diagflat, (_offset("k", 9, -9),), SMALL),
    moving(
        "diagonal",
        _diagonal,
        (_offset("offset"), _plane_axis("axis1", 0), _plane_axis("axis2", 1)),
        AT_LEAST_2,
    ),
    moving("broadcast_to", _broadcast_to, (_TARGET,)),
    moving("expand_dims", _new_axes, (_NEW_AXIS,)),
    moving("flip", unchanged_along(), (axis(default=None, several=True, nothing=True),)),
    moving("fliplr", unchanged, ranks=AT_LEAST_2),
    moving("flipud", unchanged, ranks=AT_LEAST_1),
    moving("get_item", _get_item, (_KEY,), AT_LEAST_1),
)
