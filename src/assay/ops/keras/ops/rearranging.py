"""Elements in another order: axes moved, flipped, rotated, rolled."""

from math import prod
from typing import Any

from assay.ops._base import Choice, Context, Invalid, OpSpec, Params, Shapes, Tensor, parameter
from assay.ops.axes import axis
from assay.ops.keras._common import MOVABLE
from assay.ops.keras.ops._kinds import AT_LEAST_1, AT_LEAST_2, UP_TO_4, moving
from assay.ops.keras.ops._parameters import any_axis, axis_of, negative_axis, rank_of
from assay.ops.shapes import axes, unchanged, unchanged_along

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
        Choice("negative", make=negative_axis),
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


# ----------------------------------------------------------- turned and shifted


def _rot90(params: Params, shapes: Shapes) -> Shapes:
    first, second = axes(params["axes"], len(shapes[0]))
    result = list(shapes[0])
    if params["k"] % 2:
        result[first], result[second] = result[second], result[first]
    return (tuple(result),)


def _roll(params: Params, shapes: Shapes) -> Shapes:
    shift, along = params["shift"], params["axis"]
    if along is None:
        if isinstance(shift, tuple):
            raise Invalid("several shifts need several axes")
        return (shapes[0],)
    count = len(axes(along, len(shapes[0])))
    if isinstance(shift, tuple) and len(shift) != count:
        raise Invalid(f"{len(shift)} shifts for {count} axes")
    return (shapes[0],)


def _plane(context: Context) -> Any:
    rank = len(context.shapes[0])
    return tuple(context.draw.order(range(rank))[:2])


def _negative_plane(context: Context) -> Any:
    return tuple(item - len(context.shapes[0]) for item in _plane(context))


def _beyond(context: Context) -> Any:
    return (0, len(context.shapes[0]))


_TURNS = parameter("k", 1, (1, 2, 3), (0, -1, 5), ("once", 1.5))
_PLANE = parameter(
    "axes",
    (0, 1),
    valid=((0, 1), Choice("plane", make=_plane)),
    boundary=((1, 0), Choice("negative_plane", make=_negative_plane)),
    invalid=((0, 0), (0,), Choice("out_of_range", make=_beyond)),
)
_SHIFT = parameter("shift", valid=(1, 2, -1), boundary=(0, 9, (1, -2)), invalid=("far", 1.5))

# -------------------------------------------------------------------- rearrange

#: Patterns by rank; ``f`` is a factor of a length.
_PATTERNS = (
    "a b -> b a",
    "a b -> (a b)",
    "a (b f) -> a b f",
    "a b c -> c a b",
    "a b c -> a (c b)",
    "(f a) b c -> a (b f) c",
    "b h w c -> b c h w",
    "b h w c -> (b h) w c",
    "b h w c -> h (b w) c",
    "b h w c -> b (c h w)",
    "b (h f) w c -> b h w (c f)",
)


def _terms(side: str) -> list[list[str]]:
    result: list[list[str]] = []
    group: list[str] | None = None
    for token in side.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            group = []
        elif token == ")":
            result.append(group or [])
            group = None
        elif group is not None:
            group.append(token)
        else:
            result.append([token])
    return result


def _rearranged(params: Params, shapes: Shapes) -> Shapes:
    left, right = (_terms(side) for side in params["pattern"].split("->"))
    factor = params["f"]
    split = any("f" in term for term in left)
    if len(left) != len(shapes[0]) or split != (factor is not None):
        raise Invalid("a pattern for another tensor")
    lengths = {"f": factor}
    for term, length in zip(left, shapes[0], strict=True):
        if "f" in term and length % factor:
            raise Invalid("the factor does not divide")
        lengths[next(name for name in term if name != "f")] = (
            length // factor if "f" in term else length
        )
    return (tuple(prod(lengths[name] for name in term) for term in right),)


def _pattern(context: Context) -> Any:
    rank = len(context.shapes[0])
    fitting = [item for item in _PATTERNS if len(_terms(item.split("->")[0])) == rank]
    return context.draw.pick(fitting)


def _factor(context: Context) -> Any:
    if "f" not in context.params["pattern"]:
        raise Invalid("nothing to factor")
    return context.draw.pick((2, 2, 3, 1))


_REARRANGE = OpSpec(
    name="keras.ops.rearrange",
    rule=_rearranged,
    tensors=(Tensor(ranks=(2, 3, 4), dtypes=MOVABLE),),
    parameters=(
        parameter(
            "pattern",
            valid=(Choice("by_rank", make=_pattern),),
            invalid=("a b", "a a -> a", "a b c d e f g -> a"),
        ),
        parameter("f", None, (Choice("factor", make=_factor),)),
    ),
)

SPECS = (
    moving("moveaxis", _moveaxis, (_SOURCE, _DESTINATION), UP_TO_4),
    moving("swapaxes", _swapaxes, (axis_of("axis1"), axis_of("axis2")), UP_TO_4),
    moving("transpose", _transpose, (_AXES,), (0, *UP_TO_4)),
    moving("flip", unchanged_along(), (axis(default=None, several=True, nothing=True),)),
    moving("fliplr", unchanged, ranks=AT_LEAST_2),
    moving("flipud", unchanged, ranks=AT_LEAST_1),
    OpSpec(
        name="keras.ops.rot90",
        rule=_rot90,
        parameters=(_TURNS, _PLANE),
        tensors=(Tensor(ranks=(2, 3, 4), dtypes=MOVABLE),),
    ),
    OpSpec(
        name="keras.ops.roll",
        rule=_roll,
        parameters=(_SHIFT, axis(default=None, several=True, nothing=True)),
        tensors=(Tensor(ranks=(1, 2, 3), dtypes=MOVABLE),),
    ),
    _REARRANGE,
)
