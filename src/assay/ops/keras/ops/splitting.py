"""One tensor in parts along an axis."""

from itertools import pairwise
from typing import Any

from assay.ops._base import (
    REQUIRED,
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
from assay.ops.keras._common import MOVABLE
from assay.ops.keras.ops._kinds import AT_LEAST_1, AT_LEAST_2, moving
from assay.ops.keras.ops._parameters import whole
from assay.ops.shapes import axes

# -------------------------------------------------- array_split, hsplit, dsplit


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


# ---------------------------------------------------------------- split, vsplit


def _split_length(context: Context) -> int:
    return context.shapes[0][context.params.get("axis", 0)]


def _sections(context: Context) -> int:
    length = _split_length(context)
    divisors = [n for n in range(2, length) if length % n == 0]
    if not divisors:
        raise Invalid("no divisor")
    return context.draw.pick(divisors)


def _cuts(context: Context, count: int) -> Any:
    length = _split_length(context)
    if length < 2:
        raise Invalid("nothing to cut")
    return tuple(sorted(context.draw.between(1, length - 1) for _ in range(count)))


def _split_at(shape: Shape, along: int, where: Any) -> Shapes:
    length = shape[along]
    if isinstance(where, int):
        if where < 1 or length % where:
            raise Invalid(f"{where} sections of {length}")
        lengths = [length // where] * where
    else:
        marks = (0, *where, length)
        if list(marks) != sorted(marks):
            raise Invalid(f"indices {where} of {length}")
        lengths = [after - before for before, after in pairwise(marks)]
    return tuple((*shape[:along], part, *shape[along + 1 :]) for part in lengths)


def _split(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params.get("axis", 0), len(shapes[0]))
    return _split_at(shapes[0], along, params["indices_or_sections"])


def _enough_rows(draw: Draw, shape: Shape) -> Shape:
    """Usually with rows that have a divisor."""
    return shape if shape[0] < 2 or draw.chance(0.4) else (draw.pick((4, 6)), *shape[1:])


#: Unequal sections are no invalid value: documented for torch.
_WHERE = parameter(
    "indices_or_sections",
    valid=(
        Choice("sections", make=_sections),
        Choice("indices", make=lambda context: _cuts(context, context.draw.between(1, 2))),
    ),
    boundary=(
        1,
        Choice("one_each", make=lambda context: max(1, _split_length(context))),
        Choice("repeated", make=lambda context: _cuts(context, 1) * 2),
        Choice("ends", make=lambda context: (0, _split_length(context))),
        (),
    ),
    invalid=(0, -1, "two", 1.5),
)

# ---------------------------------------------------------------------- unstack


def _unstacked(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    count = shapes[0][along]
    if count < 1 or params["num"] not in (None, count):
        raise Invalid("nothing to unstack")
    return ((*shapes[0][:along], *shapes[0][along + 1 :]),) * count


def _count(context: Context) -> Any:
    along = context.params.get("axis", 0)
    return context.shapes[0][along]


_UNSTACK = OpSpec(
    name="keras.ops.unstack",
    rule=_unstacked,
    tensors=(Tensor(ranks=(1, 2, 3), dtypes=MOVABLE),),
    parameters=(
        axis(default=0),
        parameter(
            "num",
            None,
            valid=(None, Choice("length", make=_count)),
            invalid=(-1, "all", Choice("other", make=lambda context: _count(context) + 1)),
        ),
    ),
)

SPECS = (
    moving(
        "array_split",
        _uneven,
        (
            whole("indices_or_sections", REQUIRED, (2, 3), (1, 5, 9), (0, -1, "two")),
            axis(default=0),
        ),
        AT_LEAST_1,
    ),
    _splitting("hsplit", 1, AT_LEAST_1),
    _splitting("dsplit", 2, (3, 4)),
    moving("split", _split, (axis(default=0), _WHERE), AT_LEAST_1),
    OpSpec(
        name="keras.ops.vsplit",
        rule=_split,
        tensors=(Tensor(ranks=AT_LEAST_2, dtypes=MOVABLE, fit=_enough_rows),),
        parameters=(_WHERE,),
    ),
    _UNSTACK,
)
