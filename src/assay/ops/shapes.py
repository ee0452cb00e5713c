"""The palette of a campaign, shape classes, and shape rules that families share."""

from collections.abc import Callable
from itertools import pairwise
from math import prod
from typing import Any

from assay.ir import derive
from assay.ops._base import Invalid, Params, Shape, Shapes
from assay.ops._draw import Draw

#: Every class a shape can have, those of low ranks first, and those that count as special.
SHAPE_CLASSES = ("batch_0", "batch_1", "odd", "even", "dim_1", "non_square", "repeated")
SPECIAL_SHAPES = frozenset({"batch_0", "batch_1", "dim_1"})
#: How often which of them is drawn: one shape in five or so.
_SPECIAL = ("batch_0", "batch_1", "dim_1", *("",) * 11)
_SHAPES_PER_RANK = 5
_MOST_ELEMENTS = 700


class Palette:
    """The few shapes of a campaign.

    Few, because a compiling library pays 1–2 s for each new (op, shape).
    Every rank has non-square shapes with odd and even lengths and one shape
    whose lengths are all 3.
    """

    def __init__(self, seed: int) -> None:
        self._shapes: dict[int, tuple[Shape, ...]] = {0: ((),)}
        for rank in range(1, 7):
            draw = Draw(derive(seed, "palette", rank))
            self._shapes[rank] = (*_random_shapes(draw, rank), (3,) * rank)

    def shape(self, draw: Draw, rank: int) -> Shape:
        """One of the shapes of a rank, sometimes with no batch, batch 1 or a length of 1."""
        shape = draw.pick(self._shapes[rank])
        special = draw.in_turn("shape", _SPECIAL)
        if not rank or not special:
            return shape
        position = draw.between(1, rank - 1) if special == "dim_1" and rank > 1 else 0
        length = 0 if special == "batch_0" else 1
        return (*shape[:position], length, *shape[position + 1 :])


def _random_shapes(draw: Draw, rank: int) -> list[Shape]:
    largest = 7 if rank <= 4 else 5
    shapes: list[Shape] = []
    while len(shapes) < _SHAPES_PER_RANK - 1:
        inner = tuple(draw.between(2, largest) for _ in range(rank - 1))
        shape = (draw.between(2, 3), *inner) if rank > 1 else (draw.between(5, 9),)
        interesting = rank < 3 or (len(set(inner)) > 1 and len({n % 2 for n in inner}) == 2)
        if interesting and prod(shape) <= _MOST_ELEMENTS and shape not in shapes:
            shapes.append(shape)
    return shapes


def shape_classes(shape: Shape) -> tuple[str, ...]:
    """The classes of DESIGN that a shape belongs to."""
    if not shape:
        return ()
    inner = shape[1:] or shape
    found = [f"batch_{shape[0]}"] if shape[0] < 2 else []
    if 1 in shape[1:]:
        found.append("dim_1")
    if any(length % 2 and length > 1 for length in inner):
        found.append("odd")
    if any(length % 2 == 0 and length for length in inner):
        found.append("even")
    if len(inner) > 1 and len(set(inner)) > 1:
        found.append("non_square")
    if any(a == b and a > 1 for a, b in pairwise(inner)):
        found.append("repeated")
    return tuple(found)


# ------------------------------------------------------------- further inputs


def same_shape(draw: Draw, first: Shape) -> Shapes:
    """One further tensor of the same shape."""
    return (first,)


def several_same(draw: Draw, first: Shape) -> Shapes:
    """One to three further tensors of the same shape."""
    return (first,) * draw.between(1, 3)


def broadcastable(draw: Draw, first: Shape) -> Shapes:
    """One further tensor: usually equal in shape, else one that broadcasts."""
    if draw.chance(0.6):
        return (first,)
    kept = first[draw.below(len(first) + 1) :]
    return (tuple(1 if draw.chance(0.4) else length for length in kept),)


def differing_along_one_axis(draw: Draw, first: Shape) -> Shapes:
    """One to three further tensors that may differ along one axis."""
    axis = draw.below(len(first))

    def other() -> Shape:
        return (*first[:axis], draw.between(1, 4), *first[axis + 1 :])

    return tuple(other() if draw.chance(0.6) else first for _ in range(draw.between(1, 3)))


# ---------------------------------------------------------------- shape rules


def unchanged(params: Params, shapes: Shapes) -> Shapes:
    """The output has the shape of the first input."""
    return (shapes[0],)


def broadcast(params: Params, shapes: Shapes) -> Shapes:
    """NumPy broadcasting over all inputs."""
    rank = max(len(shape) for shape in shapes)
    result = []
    for position in range(-rank, 0):
        lengths = {shape[position] for shape in shapes if -position <= len(shape)} - {1}
        if len(lengths) > 1:
            raise Invalid(f"shapes {shapes} do not broadcast")
        result.append(lengths.pop() if lengths else 1)
    return (tuple(result),)


def unchanged_along(name: str = "axis") -> Callable[[Params, Shapes], Shapes]:
    """The output has the input's shape; the axis parameter must exist in it."""

    def rule(params: Params, shapes: Shapes) -> Shapes:
        if params[name] is not None:
            axes(params[name], len(shapes[0]))
        return (shapes[0],)

    return rule


def axes(value: Any, rank: int) -> tuple[int, ...]:
    """The axes that an axis parameter names, counted from the front; ``Invalid`` if it cannot."""
    items = value if isinstance(value, (list, tuple)) else (value,)
    if not items or any(not isinstance(item, int) for item in items):
        raise Invalid(f"axis {value!r}")
    if any(not -rank <= item < rank for item in items):
        raise Invalid(f"axis {value!r} of rank {rank}")
    found = tuple(item % rank for item in items)
    if len(set(found)) < len(found):
        raise Invalid(f"axis {value!r} names one axis twice")
    return found
