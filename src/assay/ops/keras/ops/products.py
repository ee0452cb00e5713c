"""Products of vectors and matrices."""

from math import prod

from assay.ops._base import (
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
from assay.ops.axes import axis
from assay.ops.keras.ops._kinds import AT_LEAST_1, NUMERIC, SMALL, UP_TO_4, path
from assay.ops.shapes import axes, broadcast

FACTOR = Tensor(ranks=AT_LEAST_1, dtypes=("float32", "int32", "float16"), mixed=True)

# ------------------------------------------------------ dot, inner, kron, cross


def _dot_partner(draw: Draw, first: Shape) -> Shapes:
    if not first:
        return (draw.pick(((), (3,), (2, 3))),)
    last = first[-1]
    return (draw.pick(((last,), (last, 4), (2, last, 3), (last, 1), ())),)


def _dot(params: Params, shapes: Shapes) -> Shapes:
    first, second = shapes
    if not first or not second:
        return ((*first, *second),)
    if len(second) == 1:
        return (first[:-1],)
    return ((*first[:-1], *second[:-2], second[-1]),)


def _inner_partner(draw: Draw, first: Shape) -> Shapes:
    last = first[-1]
    return (draw.pick((first, (last,), (4, last), (2, 3, last))),)


def _inner(params: Params, shapes: Shapes) -> Shapes:
    return ((*shapes[0][:-1], *shapes[1][:-1]),)


def _kron_partner(draw: Draw, first: Shape) -> Shapes:
    return (tuple(draw.between(1, 3) for _ in first),)


def _kron(params: Params, shapes: Shapes) -> Shapes:
    return (tuple(a * b for a, b in zip(*shapes, strict=True)),)


def _vectors(draw: Draw, shape: Shape) -> Shape:
    if len(set(shape)) == 1 and shape[0] == 3:
        return shape
    return (*shape[:-1], 3 if draw.chance(0.85) else 2)


def _cross_partner(draw: Draw, first: Shape) -> Shapes:
    return (draw.pick((first, first, first[-1:], (*first[:-1], 3))),)


def _cross(params: Params, shapes: Shapes) -> Shapes:
    both = params["axis"]
    names = ("axisa", "axisb")
    lengths, rest = [], []
    for name, shape in zip(names, shapes, strict=True):
        (along,) = axes(params[name] if both is None else both, len(shape))
        lengths.append(shape[along])
        rest.append((*shape[:along], *shape[along + 1 :]))
    if any(length not in (2, 3) for length in lengths):
        raise Invalid(f"vectors of {lengths}")
    (outer,) = broadcast(params, tuple(rest))
    if lengths == [2, 2]:
        return (outer,)
    (place,) = axes(params["axisc"] if both is None else both, len(outer) + 1)
    return ((*outer[:place], 3, *outer[place:]),)


def _no_such_axis(context: Context) -> int:
    if context.params.get("axis") is not None:
        raise Invalid("overridden by axis")
    return 9


def _vector_axis(name: str) -> Parameter:
    nowhere = Choice("out_of_range", make=_no_such_axis)
    return parameter(name, -1, valid=(-1,), boundary=(0,), invalid=(nowhere,))


# -------------------------------------------------------------------- correlate


def _signal(draw: Draw, first: Shape) -> Shapes:
    return (first if draw.chance(0.2) else (draw.between(1, 11),),)


def _correlate(params: Params, shapes: Shapes) -> Shapes:
    one, other = shapes[0][0], shapes[1][0]
    if not one or not other:
        raise Invalid("no signal")
    longest, shortest = max(one, other), min(one, other)
    lengths = {"valid": longest - shortest + 1, "same": longest, "full": one + other - 1}
    if params["mode"] not in lengths:
        raise Invalid(f"mode {params['mode']!r}")
    return ((lengths[params["mode"]],),)


# ----------------------------------------------------------------------- matmul


def _factor(draw: Draw, first: Shape) -> Shapes:
    """A vector, a matrix, or a stack of matrices whose batch broadcasts with the first's."""
    inner = first[-1]
    columns = draw.between(1, 5)
    kind = draw.below(4)
    if kind == 0:
        return ((inner,),)
    if kind == 1:
        return ((inner, columns),)
    batch = first[:-2] or (2,)
    kept = batch[draw.below(len(batch)) :]
    lengths = tuple(1 if draw.chance(0.3) else length for length in kept)
    return ((*lengths, inner, columns),)


def _matmul(params: Params, shapes: Shapes) -> Shapes:
    first, second = shapes
    left = first if len(first) > 1 else (1, *first)
    right = second if len(second) > 1 else (*second, 1)
    if left[-1] != right[-2]:
        raise Invalid(f"{first} times {second}")
    (batch,) = broadcast({}, (left[:-2], right[:-2])) if len(left) + len(right) > 4 else ((),)
    rows = left[-2:-1] if len(first) > 1 else ()
    columns = right[-1:] if len(second) > 1 else ()
    return ((*batch, *rows, *columns),)


# ------------------------------------------------------------------------- vdot


def _same_size(draw: Draw, first: Shape) -> Shapes:
    return (draw.pick((first, first[::-1], (prod(first),))),)


NUMBERS = ("float32", "int32", "float16", "int8")

SPECS = (
    OpSpec(
        name=path("dot"),
        rule=_dot,
        tensors=(Tensor(ranks=SMALL, dtypes=FACTOR.dtypes, mixed=True),),
        companions=_dot_partner,
        relations={"scalar": lambda params, shapes: () in shapes},
    ),
    OpSpec(name=path("inner"), rule=_inner, tensors=(FACTOR,), companions=_inner_partner),
    OpSpec(
        name=path("kron"),
        rule=_kron,
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=NUMERIC, mixed=True),),
        companions=_kron_partner,
    ),
    OpSpec(
        name=path("cross"),
        rule=_cross,
        tensors=(
            Tensor(ranks=AT_LEAST_1, dtypes=FACTOR.dtypes, fit=_vectors),
            Tensor(ranks=AT_LEAST_1, dtypes=FACTOR.dtypes),
        ),
        companions=_cross_partner,
        parameters=(
            *(_vector_axis(name) for name in ("axisa", "axisb", "axisc")),
            axis(default=None, nothing=True),
        ),
    ),
    OpSpec(
        name=path("correlate"),
        rule=_correlate,
        tensors=(Tensor(ranks=(1,), dtypes=FACTOR.dtypes, mixed=True),),
        companions=_signal,
        parameters=(
            parameter("mode", "valid", valid=("valid", "same", "full"), invalid=("circular",)),
        ),
        relations={"second_longer": lambda params, shapes: shapes[1] > shapes[0]},
        impossible=("batch_0",),
    ),
    OpSpec(
        name="keras.ops.matmul",
        rule=_matmul,
        tensors=(Tensor(ranks=UP_TO_4, dtypes=NUMBERS, mixed=True),),
        companions=_factor,
    ),
    OpSpec(
        name="keras.ops.outer",
        rule=lambda params, shapes: ((*shapes[0], *shapes[1]),),
        tensors=(Tensor(ranks=(1,), dtypes=NUMERIC, mixed=True),),
        companions=lambda draw, first: (draw.pick((first, (4,), (1,))),),
    ),
    OpSpec(
        name="keras.ops.vdot",
        rule=lambda params, shapes: ((),),
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=NUMBERS),),
        companions=_same_size,
    ),
)
