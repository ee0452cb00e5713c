"""What formulas of whole arrays need: axes, reductions, and functions of each ball.

Object arrays of balls add and multiply as arrays of numbers do. Comparisons do not: whether one
ball is below another may be unknown, so extremes are taken by ``arb.max`` and ``arb.min``.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from flint import arb

from assay.ir import Array

#: One axis, several, or None for all.
Axis = int | tuple[int, ...] | list[int] | None


def axes_of(axis: Axis, rank: int) -> tuple[int, ...]:
    """Sorted, non-negative, distinct axes; ``ValueError`` for others."""
    if axis is None:
        return tuple(range(rank))
    chosen = (axis,) if isinstance(axis, int) else tuple(axis)
    if any(not -rank <= item < rank for item in chosen):
        raise ValueError(f"expected axes of an array of rank {rank}; received {axis!r}")
    found = sorted({item % rank for item in chosen})
    if len(found) != len(chosen):
        raise ValueError(f"expected distinct axes; received {axis!r}")
    return tuple(found)


def each(function: Callable[..., Any], *arrays: Any) -> Array:
    """The function of each element, or of each pair; an object array."""
    shape = np.broadcast_shapes(*(np.shape(array) for array in arrays))
    spread = [np.broadcast_to(np.asarray(array, dtype=object), shape) for array in arrays]
    found = np.empty(shape, dtype=object)
    for place in np.ndindex(shape):
        found[place] = function(*(array[place] for array in spread))
    return found


def reduced(
    function: Callable[[Sequence[Any]], Any], x: Array, axis: Axis = None, keepdims: bool = False
) -> Array:
    """The function of the elements along axes, in the order that they have."""
    over = axes_of(axis, x.ndim)
    rest = tuple(place for place in range(x.ndim) if place not in over)
    kept = tuple(x.shape[place] for place in rest)
    moved = np.transpose(x, rest + over).reshape(
        (*kept, -1) if x.size else (*kept, _count(x, over))
    )
    found = np.empty(kept, dtype=object)
    for place in np.ndindex(kept):
        found[place] = function(list(moved[place]))
    if keepdims:
        return found.reshape([1 if place in over else n for place, n in enumerate(x.shape)])
    return found


def _count(x: Array, over: tuple[int, ...]) -> int:
    return int(np.prod([x.shape[place] for place in over], dtype=int))


def total(items: Sequence[Any]) -> arb:
    """The sum; of nothing, 0."""
    return functools.reduce(lambda one, other: one + other, items, arb(0))


def product(items: Sequence[Any]) -> arb:
    """The product; of nothing, 1."""
    return functools.reduce(lambda one, other: one * other, items, arb(1))


def mean(items: Sequence[Any]) -> arb:
    """The mean."""
    return total(items) / len(items)


def variance(items: Sequence[Any]) -> arb:
    """The mean of the squared distances from the mean."""
    centre = mean(items)
    return mean([(item - centre) * (item - centre) for item in items])


def root(ball: arb) -> arb:
    """The square root of what is not negative, though its ball may reach below zero."""
    return ball.nonnegative_part().sqrt()


def largest(items: Sequence[Any]) -> arb:
    """The largest; ``ValueError`` of nothing."""
    if not items:
        raise ValueError("expected at least one element to reduce; received none")
    best: arb = functools.reduce(_larger, items)
    return best


def _larger(one: Any, other: Any) -> Any:
    # A ball knows no others than balls; what stands in for one knows both.
    return one.max(other) if isinstance(other, arb) else other.max(one)


def smallest(items: Sequence[Any]) -> arb:
    """The smallest; ``ValueError`` of nothing."""
    return -largest([-item for item in items])


def logsumexp(items: Sequence[Any]) -> arb:
    """The logarithm of the sum of exponentials."""
    top = largest(items)
    return top + total([(item - top).exp() for item in items]).log()


def as_balls(value: Any) -> Array:
    """A number, a list of numbers or an array of balls as an object array of balls."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value
    return each(lambda item: item if isinstance(item, arb) else arb(item), value)


def along(values: Any, x: Array, axis: Axis) -> Array:
    """Weights over some axes of ``x``, lined up with it."""
    over = axes_of(axis, x.ndim)
    shape = [size if place in over else 1 for place, size in enumerate(x.shape)]
    return as_balls(values).reshape(shape)
