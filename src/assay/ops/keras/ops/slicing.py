"""Parts of a tensor taken out or replaced: slices and scatters."""

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
from assay.ops.keras._common import MOVABLE
from assay.ops.shapes import unchanged

# ------------------------------------------------------------------- slices


def _lengths(context: Context) -> Any:
    return tuple(context.draw.between(min(1, n), n) for n in context.shapes[0])


def _all(context: Context) -> Any:
    return context.shapes[0]


def _some_empty(context: Context) -> Any:
    return (0, *context.shapes[0][1:])


def _sizes(context: Context) -> Any:
    """What is taken from each axis: a parameter, or the shape of the updates."""
    return context.params["shape"] if "shape" in context.params else context.shapes[1]


def _starts(context: Context) -> Any:
    wanted = _sizes(context)
    return tuple(
        context.draw.between(0, n - size) for n, size in zip(context.shapes[0], wanted, strict=True)
    )


def _ends(context: Context) -> Any:
    wanted = _sizes(context)
    return tuple(n - size for n, size in zip(context.shapes[0], wanted, strict=True))


def _beyond(context: Context) -> Any:
    return tuple(context.shapes[0])


def _too_few(context: Context) -> Any:
    return (0,) * (len(context.shapes[0]) - 1)


_STARTS = parameter(
    "start_indices",
    valid=(Choice("inside", make=_starts),),
    boundary=(
        Choice("zero", make=lambda context: (0,) * len(context.shapes[0])),
        Choice("end", make=_ends),
    ),
    invalid=(Choice("beyond", make=_beyond), Choice("too_few", make=_too_few), "first"),
)


def _sliced(params: Params, shapes: Shapes) -> Shapes:
    return (params["shape"],)


def _part(draw: Draw, first: Shape) -> Shapes:
    return (tuple(draw.between(min(1, n), n) for n in first),)


_SLICES = (
    OpSpec(
        name="keras.ops.slice",
        rule=_sliced,
        tensors=(Tensor(ranks=(1, 2, 3), dtypes=MOVABLE),),
        parameters=(
            parameter(
                "shape",
                valid=(Choice("some", make=_lengths),),
                boundary=(Choice("all", make=_all), Choice("none", make=_some_empty)),
                invalid=(Choice("too_few", make=lambda context: _all(context)[:-1]), "all"),
            ),
            _STARTS,
        ),
    ),
    OpSpec(
        name="keras.ops.slice_update",
        rule=unchanged,
        tensors=(
            Tensor(ranks=(1, 2, 3), dtypes=MOVABLE),
            # By name: start_indices comes first in the signature.
            Tensor(ranks=(1, 2, 3), dtypes=MOVABLE, keyword="updates"),
        ),
        companions=_part,
        parameters=(_STARTS,),
    ),
)

# ----------------------------------------------------------------- scatters


def _indices(draw: Draw, first: Shape) -> Shapes:
    """Indices into the leading axes, and what to put there."""
    depth = draw.between(1, len(first))
    count = draw.between(1, 4)
    return ((count, depth), (count, *first[depth:]))


def _inside(params: Params, shapes: Shapes) -> tuple[float, float]:
    depth = shapes[1][1]
    return 0, min(shapes[0][:depth]) - 1


def _needs_cells(params: Params, shapes: Shapes) -> Shapes:
    if not prod(shapes[0][: shapes[1][1]]):
        raise Invalid("no cell to put a value")
    return (shapes[0],)


def _values(draw: Draw, first: Shape) -> Shapes:
    return ((first[0], *(draw.between(1, 4) for _ in range(draw.below(3)))),)


def _pairs(draw: Draw, shape: Shape) -> Shape:
    return (shape[0], draw.between(1, 3))


def _scattered(params: Params, shapes: Shapes) -> Shapes:
    shape = params["shape"]
    depth = shapes[0][1]
    if len(shape) != depth + len(shapes[1]) - 1 or shape[depth:] != shapes[1][1:]:
        raise Invalid("values of another shape")
    if min(shape[:depth]) < 1:
        raise Invalid("no cell to put a value")
    return (shape,)


def _around(context: Context) -> Any:
    depth = context.shapes[0][1]
    return (*(context.draw.between(2, 5) for _ in range(depth)), *context.shapes[1][1:])


_SCATTERS = (
    OpSpec(
        name="keras.ops.scatter_update",
        rule=_needs_cells,
        tensors=(
            Tensor(ranks=(1, 2, 3), dtypes=("float32", "int32")),
            Tensor(
                ranks=(2,),
                dtypes=("int32",),
                domain=Domain(kind="ids", special=False),
                limits=_inside,
            ),
            Tensor(ranks=(1, 2, 3), dtypes=("float32", "int32")),
        ),
        companions=_indices,
        parameters=(
            parameter("reduction", None, (None, "add"), ("max", "min", "mul"), ("sum", 1)),
        ),
        impossible=("batch_0",),
    ),
    OpSpec(
        name="keras.ops.scatter",
        rule=_scattered,
        tensors=(
            Tensor(
                ranks=(2,),
                dtypes=("int32",),
                domain=Domain(kind="ids", special=False),
                limits=lambda params, shapes: (0, min(params["shape"][: shapes[0][1]]) - 1),
                fit=_pairs,
            ),
            Tensor(ranks=(1, 2, 3), dtypes=("float32",)),
        ),
        companions=_values,
        parameters=(
            parameter(
                "shape",
                valid=(Choice("around", make=_around),),
                invalid=(-1, "all", Choice("too_short", make=lambda c: _around(c)[:-1] or (0,))),
            ),
        ),
    ),
)

SPECS = (
    *_SLICES,
    *_SCATTERS,
)
