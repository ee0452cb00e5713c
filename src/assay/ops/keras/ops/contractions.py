"""Sums of products over axes that are named: tensordot and einsum."""

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
from assay.ops.keras.ops._kinds import AT_LEAST_1, path
from assay.ops.keras.ops._parameters import rank_of
from assay.ops.keras.ops.products import FACTOR, NUMBERS
from assay.ops.shapes import axes

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

# --------------------------------------------------------------------- einsum

_PATTERNS = (
    "i->", "ij->ji", "ij->i", "ij->j", "ii->i", "ii", "ij->", "ijk->kij", "...j->...", "ijk->ik",
    "i,i->", "i,j->ij", "ij,j->i", "ij,ij->ij", "ij,ij->", "ij,jk->ik", "ij,jk", "ij,kj->ik",
    "ijk,ikl->ijl", "ijk,kl->ijl", "...ij,jk->...ik", "ijk,ijk->jk", "ijk,lk->lij",
)  # fmt: skip


def _operand(draw: Draw, first: Shape) -> Shapes:
    if draw.chance(0.4):
        return ()
    last = first[-1]
    options: list[Shape] = [first, (last,), (last, 2), (4, last)]
    if len(first) == 3:
        options.append((first[0], last, 2))
    return (draw.pick(options),)


def _lengths(subscripts: str, shapes: Shapes) -> dict[str, Any]:
    """What each letter, and the ellipsis, stands for; ``Invalid`` if the shapes do not fit."""
    terms = subscripts.partition("->")[0].replace("...", ".").split(",")
    if len(terms) != len(shapes):
        raise Invalid(f"{subscripts} of {len(shapes)} operands")
    found: dict[str, Any] = {".": ()}
    for term, shape in zip(terms, shapes, strict=True):
        letters = term.replace(".", "")
        outer = len(shape) - len(letters)
        if outer < 0 or (outer and "." not in term):
            raise Invalid(f"{subscripts} on {shapes}")
        if "." in term:
            found["."] = shape[:outer]
        for letter, length in zip(letters, shape[outer:], strict=True):
            if found.setdefault(letter, length) != length:
                raise Invalid(f"{subscripts} on {shapes}")
    return found


def _einsum(params: Params, shapes: Shapes) -> Shapes:
    subscripts = params["subscripts"]
    lengths = _lengths(subscripts, shapes)
    terms, arrow, output = subscripts.partition("->")
    if not arrow:
        output = "".join(sorted(c for c in set(terms) if c.isalpha() and terms.count(c) == 1))
    result: list[int] = []
    for letter in output.replace("...", "."):
        result += lengths["."] if letter == "." else [lengths[letter]]
    return (tuple(result),)


def _fitting(context: Context) -> str:
    def fits(pattern: str) -> bool:
        try:
            return bool(_lengths(pattern, context.shapes))
        except Invalid:
            return False

    found = [pattern for pattern in _PATTERNS if fits(pattern)]
    if not found:
        raise Invalid("no pattern for these shapes")
    return context.draw.pick(found)


SPECS = (
    OpSpec(
        name="keras.ops.tensordot",
        rule=_tensordot,
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=NUMBERS),),
        companions=_overlapping,
        parameters=(_CONTRACTED,),
    ),
    OpSpec(
        name=path("einsum"),
        rule=_einsum,
        tensors=(FACTOR,),
        companions=_operand,
        parameters=(
            parameter(
                "subscripts",
                valid=(Choice("fitting", make=_fitting),),
                invalid=("ij,jk,kl->il", "ij->ik", "i?->i", "ijklm->i"),
            ),
        ),
    ),
)
