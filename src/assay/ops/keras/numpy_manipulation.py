"""Functions of ``keras.ops`` from ``moveaxis`` to ``zeros_like`` that move or make elements."""

from collections.abc import Callable
from math import prod
from typing import Any

from assay.ops._base import (
    REQUIRED,
    Choice,
    Context,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops.keras.numpy_kinds import (
    AT_LEAST_1,
    MOVABLE,
    SMALL,
    moving,
    path,
    rank_of,
)
from assay.ops.shapes import axes, several_same

UP_TO_4 = (1, 2, 3, 4)


def any_axis(context: Context) -> int:
    """One of the axes of the first tensor."""
    if not rank_of(context):
        raise Invalid("a scalar has no axis")
    return context.draw.below(rank_of(context))


def _negative_axis(context: Context) -> int:
    return any_axis(context) - rank_of(context)


def axis_of(name: str, default: Any = REQUIRED) -> Parameter:
    """One of two axis parameters of a function that pairs axes."""
    return parameter(
        name,
        default,
        valid=(Choice("any", make=any_axis),),
        boundary=(Choice("negative", make=_negative_axis),),
        invalid=(
            Choice("out_of_range", make=rank_of),
            Choice("negative_out_of_range", make=lambda context: -rank_of(context) - 1),
        ),
    )


# ------------------------------------------------------------------- axes moved


def _some_axes(context: Context, count: int) -> tuple[int, ...]:
    if rank_of(context) < count:
        raise Invalid(f"needs {count} axes")
    return tuple(context.draw.order(range(rank_of(context)))[:count])


def _as_many(context: Context) -> Any:
    """Places for the axes in ``source``."""
    source = context.params["source"]
    if isinstance(source, int):
        return any_axis(context)
    return _some_axes(context, len(source))


def _as_many_negative(context: Context) -> Any:
    places = _as_many(context)
    rank = rank_of(context)
    return places - rank if isinstance(places, int) else tuple(item - rank for item in places)


def _too_many(context: Context) -> Any:
    source = context.params["source"]
    return _some_axes(context, 2 if isinstance(source, int) else len(source) + 1)


def _moveaxis(params: Params, shapes: Shapes) -> Shapes:
    rank = len(shapes[0])
    source, destination = axes(params["source"], rank), axes(params["destination"], rank)
    if len(source) != len(destination):
        raise Invalid("source and destination have different lengths")
    order = [place for place in range(rank) if place not in source]
    for place, old in sorted(zip(destination, source, strict=True)):
        order.insert(place, old)
    return (tuple(shapes[0][old] for old in order),)


_SOURCE = parameter(
    "source",
    valid=(Choice("any", make=any_axis),),
    boundary=(
        Choice("negative", make=_negative_axis),
        Choice("tuple", make=lambda context: _some_axes(context, 2)),
        Choice("all", make=lambda context: _some_axes(context, rank_of(context))),
    ),
    invalid=(Choice("out_of_range", make=rank_of), "first"),
)
_DESTINATION = parameter(
    "destination",
    valid=(Choice("as_many", make=_as_many),),
    boundary=(Choice("negative", make=_as_many_negative),),
    invalid=(Choice("out_of_range", make=rank_of), Choice("too_many", make=_too_many), "last"),
)


def _swapaxes(params: Params, shapes: Shapes) -> Shapes:
    result = list(shapes[0])
    (first,), (second,) = (axes(params[name], len(result)) for name in ("axis1", "axis2"))
    result[first], result[second] = result[second], result[first]
    return (tuple(result),)


def _transpose(params: Params, shapes: Shapes) -> Shapes:
    if params["axes"] is None:
        return (shapes[0][::-1],)
    order = axes(params["axes"], len(shapes[0])) if params["axes"] or shapes[0] else ()
    if len(order) != len(shapes[0]):
        raise Invalid("not a permutation")
    return (tuple(shapes[0][place] for place in order),)


def _permutation(context: Context) -> Any:
    return _some_axes(context, rank_of(context))


_AXES = parameter(
    "axes",
    None,
    valid=(None, Choice("permutation", make=_permutation)),
    boundary=(
        Choice("identity", make=lambda context: tuple(range(rank_of(context)))),
        Choice("negative", make=lambda c: tuple(place - rank_of(c) for place in _permutation(c))),
    ),
    invalid=(
        Choice("repeated", make=lambda context: (0,) * max(2, rank_of(context))),
        Choice("out_of_range", make=lambda context: (*range(1, rank_of(context)), 4)),
        Choice("too_many", make=lambda context: tuple(range(rank_of(context) + 1))),
    ),
)

# ---------------------------------------------------------------- new shapes


def _reshape(params: Params, shapes: Shapes) -> Shapes:
    target = params["newshape"]
    known = prod(item for item in target if item != -1)
    if target.count(-1) > 1 or any(item < -1 for item in target):
        raise Invalid(f"newshape {target}")
    if -1 in target:
        # Nothing can be inferred where the other lengths hold no element.
        if not known or prod(shapes[0]) % known:
            raise Invalid(f"newshape {target}")
        target = tuple(prod(shapes[0]) // known if item == -1 else item for item in target)
    if prod(target) != prod(shapes[0]):
        raise Invalid(f"newshape {target}")
    return (tuple(target),)


def _merged(context: Context) -> Any:
    """Two neighbouring axes as one."""
    shape = context.shapes[0]
    if len(shape) < 2:
        raise Invalid("needs two axes")
    place = context.draw.below(len(shape) - 1)
    return (*shape[:place], shape[place] * shape[place + 1], *shape[place + 2 :])


def _inferred(context: Context) -> Any:
    shape = context.draw.order(context.shapes[0])
    if not shape:
        raise Invalid("needs an axis")
    return tuple([*shape[:-1], -1][:: context.draw.pick((1, -1))])


_NEWSHAPE = parameter(
    "newshape",
    valid=(
        Choice("merged", make=_merged),
        Choice("inferred", make=_inferred),
        Choice("reversed", make=lambda context: context.shapes[0][::-1]),
    ),
    boundary=(
        (-1,),
        Choice("with_ones", make=lambda context: (1, *context.shapes[0], 1)),
        Choice("inferred_one", make=lambda context: (-1, *context.shapes[0])),
        Choice("same", make=lambda context: context.shapes[0]),
    ),
    invalid=(
        (-1, -1),
        (-2, 3),
        "flat",
        Choice("too_many", make=lambda context: (prod(context.shapes[0]) + 1,)),
    ),
)


def _ravel(params: Params, shapes: Shapes) -> Shapes:
    return ((prod(shapes[0]),),)


def _squeeze(params: Params, shapes: Shapes) -> Shapes:
    shape = shapes[0]
    ones = tuple(place for place, length in enumerate(shape) if length == 1)
    gone = ones if params["axis"] is None else axes(params["axis"], len(shape))
    if not set(gone) <= set(ones):
        raise Invalid(f"axis {params['axis']} of {shape} is not of length 1")
    return (tuple(length for place, length in enumerate(shape) if place not in gone),)


def _with_ones(draw: Draw, shape: Shape) -> Shape:
    if not shape or 1 in shape or draw.chance(0.3):
        return shape
    place = draw.below(len(shape))
    if draw.chance(0.5):
        return (1, *shape[1:place], 1, *shape[place + 1 :])[: len(shape)]
    return (*shape[:place], 1, *shape[place + 1 :])


def _of_length_1(context: Context, wanted: bool) -> list[int]:
    found = [place for place, n in enumerate(context.shapes[0]) if (n == 1) == wanted]
    if not found:
        raise Invalid("no such axis")
    return found


_SQUEEZED = parameter(
    "axis",
    None,
    valid=(None, Choice("one", make=lambda c: c.draw.pick(_of_length_1(c, True)))),
    boundary=(
        Choice("negative", make=lambda c: c.draw.pick(_of_length_1(c, True)) - rank_of(c)),
        Choice("tuple", make=lambda c: tuple(_of_length_1(c, True))),
        Choice(
            "negative_tuple", make=lambda c: tuple(a - rank_of(c) for a in _of_length_1(c, True))
        ),
    ),
    invalid=(
        Choice("longer_than_one", make=lambda c: c.draw.pick(_of_length_1(c, False))),
        Choice("out_of_range", make=rank_of),
    ),
)


def _stack(params: Params, shapes: Shapes) -> Shapes:
    (place,) = axes(params["axis"], len(shapes[0]) + 1)
    return ((*shapes[0][:place], len(shapes), *shapes[0][place:]),)


_NEW_AXIS = parameter(
    "axis",
    0,
    valid=(0, -1, Choice("any", make=lambda c: c.draw.below(rank_of(c) + 1))),
    boundary=(
        Choice("last", make=rank_of),
        Choice("negative", make=lambda c: -1 - c.draw.below(rank_of(c) + 1)),
    ),
    invalid=(
        Choice("out_of_range", make=lambda context: rank_of(context) + 1),
        Choice("negative_out_of_range", make=lambda context: -rank_of(context) - 2),
        "last",
    ),
)


def _more_rows(draw: Draw, first: Shape) -> Shapes:
    if len(first) < 2:
        return several_same(draw, first)
    return tuple(
        (draw.between(1, 4), *first[1:]) if draw.chance(0.6) else first
        for _ in range(draw.between(1, 3))
    )


def _vstack(params: Params, shapes: Shapes) -> Shapes:
    rows = [(1,) * (2 - len(shape)) + shape for shape in shapes]
    return ((sum(row[0] for row in rows), *rows[0][1:]),)


def _meshgrid(params: Params, shapes: Shapes) -> Shapes:
    lengths = [prod(shape) for shape in shapes]
    if params["indexing"] == "xy" and len(lengths) > 1:
        lengths[0], lengths[1] = lengths[1], lengths[0]
    return (tuple(lengths),) * len(shapes)


def _other_vectors(draw: Draw, first: Shape) -> Shapes:
    return tuple((draw.between(1, 5),) for _ in range(draw.below(4)))


def _squeezable(name: str, fit: Callable[[Draw, Shape], Shape]) -> OpSpec:
    return OpSpec(
        name=path(name),
        rule=_squeeze,
        tensors=(Tensor(ranks=UP_TO_4, dtypes=MOVABLE, fit=fit),),
        parameters=(_SQUEEZED,),
    )


SPECS = (
    moving("moveaxis", _moveaxis, (_SOURCE, _DESTINATION), UP_TO_4),
    moving("swapaxes", _swapaxes, (axis_of("axis1"), axis_of("axis2")), UP_TO_4),
    moving("transpose", _transpose, (_AXES,), (0, *UP_TO_4)),
    moving("reshape", _reshape, (_NEWSHAPE,), (0, *UP_TO_4)),
    moving("ravel", _ravel, ranks=(0, *UP_TO_4)),
    _squeezable("squeeze", _with_ones),
    moving("stack", _stack, (_NEW_AXIS,), SMALL, several_same, grouped=True),
    moving("vstack", _vstack, ranks=AT_LEAST_1, companions=_more_rows, grouped=True),
    moving(
        "meshgrid",
        _meshgrid,
        (parameter("indexing", "xy", ("xy", "ij"), invalid=("yx", 1)),),
        (1,),
        _other_vectors,
    ),
)
