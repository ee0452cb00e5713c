"""Sums of products in ``keras.ops``: dot, inner, cross, einsum and the like."""

from typing import Any

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
from assay.ops.keras.numpy_kinds import AT_LEAST_1, NUMERIC, SMALL, path
from assay.ops.shapes import axes, broadcast

_PRODUCT = Tensor(ranks=AT_LEAST_1, dtypes=("float32", "int32", "float16"), mixed=True)

# ------------------------------------------------------- dot, inner, kron, cross


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


# ---------------------------------------------------------------- correlations


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


def _corrcoef(params: Params, shapes: Shapes) -> Shapes:
    if 0 in shapes[0] or shapes[0][1] < 3:
        raise Invalid("two observations always correlate")
    return ((shapes[0][0], shapes[0][0]),)


SPECS = (
    OpSpec(
        name=path("dot"),
        rule=_dot,
        tensors=(Tensor(ranks=SMALL, dtypes=_PRODUCT.dtypes, mixed=True),),
        companions=_dot_partner,
        relations={"scalar": lambda params, shapes: () in shapes},
    ),
    OpSpec(name=path("inner"), rule=_inner, tensors=(_PRODUCT,), companions=_inner_partner),
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
            Tensor(ranks=AT_LEAST_1, dtypes=_PRODUCT.dtypes, fit=_vectors),
            Tensor(ranks=AT_LEAST_1, dtypes=_PRODUCT.dtypes),
        ),
        companions=_cross_partner,
        parameters=(
            *(_vector_axis(name) for name in ("axisa", "axisb", "axisc")),
            axis(default=None, nothing=True),
        ),
    ),
    OpSpec(
        name=path("einsum"),
        rule=_einsum,
        tensors=(_PRODUCT,),
        companions=_operand,
        parameters=(
            parameter(
                "subscripts",
                valid=(Choice("fitting", make=_fitting),),
                invalid=("ij,jk,kl->il", "ij->ik", "i?->i", "ijklm->i"),
            ),
        ),
    ),
    OpSpec(
        name=path("correlate"),
        rule=_correlate,
        tensors=(Tensor(ranks=(1,), dtypes=_PRODUCT.dtypes, mixed=True),),
        companions=_signal,
        parameters=(
            parameter("mode", "valid", valid=("valid", "same", "full"), invalid=("circular",)),
        ),
        relations={"second_longer": lambda params, shapes: shapes[1] > shapes[0]},
        impossible=("batch_0",),
    ),
    OpSpec(
        name=path("corrcoef"),
        rule=_corrcoef,
        tensors=(Tensor(ranks=(2,), dtypes=NUMERIC),),
        impossible=("batch_0", "dim_1"),
    ),
)
