"""Axis parameters: last, not last, negative, several, and out of range."""

from typing import Any

from assay.ops._base import REQUIRED, Choice, Context, Invalid, Parameter, parameter


def _rank(context: Context) -> int:
    rank = len(context.shapes[0])
    if rank == 0:
        raise Invalid("a scalar has no axis")
    return rank


def _not_last(context: Context, first: int) -> int:
    rank = _rank(context)
    if rank - 1 <= first:
        raise Invalid("no other axis")
    return first + context.draw.below(rank - 1 - first)


def _two(context: Context, first: int, gap: int = 1) -> tuple[int, int]:
    """Two axes in ascending order, at least so far apart."""
    rank = _rank(context)
    if rank - first <= gap:
        raise Invalid("needs two axes that far apart")
    one = first + context.draw.below(rank - first - gap)
    return one, one + gap + context.draw.below(rank - one - gap)


def axis(
    name: str = "axis",
    default: Any = REQUIRED,
    batch: bool = True,
    several: bool = False,
    nothing: bool = False,
) -> Parameter:
    """An axis of the first tensor.

    ``batch``: axis 0 is allowed; ``several``: a tuple of axes is; ``nothing``:
    None (all axes) is.
    """
    first = 0 if batch else 1
    boundary = [
        Choice("not_last", make=lambda context: _not_last(context, first)),
        Choice("negative_not_last", make=lambda c: _not_last(c, first) - _rank(c)),
    ]
    invalid = [
        Choice("out_of_range", make=_rank),
        Choice("negative_out_of_range", make=lambda context: -_rank(context) - 1),
        "last",
    ]
    if several:
        boundary += [
            Choice("tuple", make=lambda context: _two(context, first)),
            Choice("tuple_apart", make=lambda context: _two(context, first, gap=2)),
            Choice("tuple_descending", make=lambda context: _two(context, first)[::-1]),
            Choice("negative_tuple", make=lambda c: tuple(a - _rank(c) for a in _two(c, first))),
            Choice("tuple_of_one", make=lambda context: (_rank(context) - 1,)),
        ]
        invalid.append(Choice("tuple_out_of_range", make=lambda context: (0, _rank(context))))
    valid = (Choice("last", make=lambda context: _rank(context) - 1), -1)
    return parameter(
        name,
        default,
        valid=(*valid, None) if nothing else valid,
        boundary=tuple(boundary),
        invalid=tuple(invalid),
    )
