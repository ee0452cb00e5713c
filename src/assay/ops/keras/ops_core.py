"""The core functions of ``keras.ops``: casts, slices, scatters."""

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
from assay.ops.axes import axis
from assay.ops.keras._common import MOVABLE
from assay.ops.shapes import axes, unchanged

# -------------------------------------------------------------------- casts


def _without_overflow(params: Params, shapes: Shapes) -> Domain:
    """What the dtype cannot hold has no defined value."""
    return Domain(low=0.0, high=9.0, special=False)


_DTYPES = ("float16", "float32", "int32", "uint8", "bool", "int8")
_WIDE = Domain(low=-40.0, high=40.0)
_CASTS = (
    OpSpec(
        name="keras.ops.cast",
        rule=unchanged,
        tensors=(
            Tensor(
                ranks=(0, 1, 2, 3),
                dtypes=("float32", "int32", "uint8", "bool", "float16"),
                domain_for=_without_overflow,
            ),
        ),
        parameters=(parameter("dtype", valid=_DTYPES, invalid=("float33", 7)),),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name="keras.ops.saturate_cast",
        rule=unchanged,
        tensors=(Tensor(ranks=(0, 1, 2, 3), dtypes=("float32", "int32", "float16"), domain=_WIDE),),
        parameters=(
            parameter(
                "dtype",
                valid=("uint8", "int8", "int16", "float16"),
                boundary=("uint16", "int32", "uint32", "float32"),
                invalid=("float33", 7),
            ),
        ),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name="keras.ops.convert_to_tensor",
        rule=unchanged,
        tensors=(
            Tensor(
                ranks=(0, 1, 2, 3),
                dtypes=("float32", "int32", "uint8", "bool", "float16"),
                domain_for=_without_overflow,
            ),
        ),
        parameters=(parameter("dtype", None, (None, *_DTYPES), invalid=("float33",)),),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name="keras.ops.stop_gradient",
        rule=unchanged,
        tensors=(Tensor(ranks=(0, 1, 2, 3), dtypes=("float32", "int32")),),
        # Its derivative is none on purpose: not that of the function.
        differentiable=False,
    ),
)

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

# ---------------------------------------------------------------- rearrange

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

SPECS = (*_CASTS, *_SLICES, _UNSTACK, *_SCATTERS, _REARRANGE)
