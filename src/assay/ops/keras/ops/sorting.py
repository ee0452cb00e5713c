"""Orders, and searches in them: sorted, different, largest elements."""

from math import prod

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
from assay.ops.keras._common import MOVABLE, flag
from assay.ops.keras.ops._kinds import AT_LEAST_1, SMALL, along_axis, path
from assay.ops.shapes import axes, unchanged

# ----------------------------------------------------------------------- unique


def _unique(params: Params, shapes: Shapes) -> Shapes:
    shape, along = shapes[0], params["axis"]
    if not prod(shape) and along is not None:
        raise Invalid("what an empty tensor holds along an axis is undecided")
    count = min(1, prod(shape)) if params["size"] is None else params["size"]
    if along is None:
        values: Shape = (count,)
        inverse: Shape = shape
    else:
        (place,) = axes(along, len(shape))
        values, inverse = (*shape[:place], count, *shape[place + 1 :]), (shape[place],)
    counted = (count,)
    asked = (
        ("return_index", counted),
        ("return_inverse", inverse),
        ("return_counts", counted),
    )
    return (values, *(found for name, found in asked if params[name]))


# -------------------------------------------------------------- orders and sets


def _queries(draw: Draw, first: Shape) -> Shapes:
    return (draw.pick(((), (4,), (1,), (2, 3), (0,), (2, 3, 3), (2, 1, 4))),)


def _sort(params: Params, shapes: Shapes) -> Shapes:
    if params["axis"] is None:
        return ((prod(shapes[0]),),)
    axes(params["axis"], len(shapes[0]))
    return (shapes[0],)


def _members(draw: Draw, first: Shape) -> Shapes:
    """Another tensor of any shape to look in."""
    return (draw.pick((first, (4,), (2, 3), (1,), ())),)


# ------------------------------------------------------------- largest elements


def _top(params: Params, shapes: Shapes) -> Shapes:
    if not 1 <= params["k"] <= shapes[0][-1]:
        raise Invalid("k of the last axis")
    found = (*shapes[0][:-1], params["k"])
    return found, found


def _unsorted(context: Context) -> bool:
    # The order of several unsorted elements is not defined.
    if context.params["k"] > 1:
        raise Invalid("several")
    return False


def _predictions(draw: Draw, first: Shape) -> Shapes:
    return ((*first, draw.between(2, 6)),)


_TOP_K = OpSpec(
    name="keras.ops.top_k",
    rule=_top,
    tensors=(Tensor(ranks=(1, 2, 3), dtypes=("float32", "int32", "float16")),),
    parameters=(
        parameter(
            "k",
            valid=(1, Choice("some", make=lambda c: c.draw.between(1, max(1, c.shapes[0][-1])))),
            boundary=(Choice("all", make=lambda context: context.shapes[0][-1]),),
            invalid=(-1, "two", 1.5, Choice("too_many", make=lambda c: c.shapes[0][-1] + 1)),
        ),
        parameter("sorted", True, valid=(True,), boundary=(Choice("False", make=_unsorted),)),
    ),
)
_IN_TOP_K = OpSpec(
    name="keras.ops.in_top_k",
    rule=unchanged,
    tensors=(
        Tensor(
            ranks=(1, 2, 3),
            dtypes=("int32",),
            domain=Domain(kind="ids"),
            limits=lambda params, shapes: (0, shapes[1][-1] - 1),
        ),
        Tensor(ranks=(2, 3, 4), dtypes=("float32",)),
    ),
    companions=_predictions,
    parameters=(
        parameter(
            "k",
            valid=(1, 2),
            boundary=(3, Choice("all", make=lambda context: context.shapes[1][-1])),
            invalid=("two", 1.5),
        ),
    ),
    differentiable=False,
    result="bool",
)

SPECS = (
    along_axis("argsort", result="integer"),
    OpSpec(
        name="keras.ops.sort",
        rule=_sort,
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=(*MOVABLE, "float16")),),
        parameters=(axis(default=-1, nothing=True),),
    ),
    OpSpec(
        name="keras.ops.searchsorted",
        rule=lambda params, shapes: (shapes[1],),
        tensors=(
            Tensor(ranks=(1,), dtypes=("float32", "int32"), domain=Domain(kind="ordered")),
            Tensor(ranks=SMALL, dtypes=("float32", "int32")),
        ),
        companions=_queries,
        parameters=(parameter("side", "left", ("left", "right"), invalid=("middle", 1)),),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name="keras.ops.unique",
        rule=_unique,
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=("int32", "float32", "uint8", "bool")),),
        parameters=(
            # The order of unsorted elements is not documented.
            parameter("sorted", True, (True,)),
            flag("return_index", False),
            flag("return_inverse", False),
            flag("return_counts", False),
            axis(default=None, nothing=True),
            parameter("size", None, (None, 4), (1, 30), (-1, "four")),
            parameter("fill_value", None, (None, 0), (-1, 7)),
        ),
        differentiable=False,
        dynamic=True,
        result="integer",
    ),
    OpSpec(
        name=path("isin"),
        rule=unchanged,
        tensors=(Tensor(ranks=SMALL, dtypes=("int32", "float32", "uint8", "bool")),),
        companions=_members,
        parameters=(flag("invert", False),),
        differentiable=False,
        result="bool",
    ),
    _TOP_K,
    _IN_TOP_K,
)
