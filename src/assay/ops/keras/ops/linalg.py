"""Linear algebra: factors, solutions, determinants, norms, distances."""

from typing import Any

from assay.ops._base import (
    REAL,
    Choice,
    Context,
    Domain,
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
from assay.ops.keras._common import flag
from assay.ops.keras.ops._parameters import square
from assay.ops.shapes import axes, broadcast, unchanged

_INVERTIBLE = Domain(kind="invertible", classes=("identity", "scaled_up", "scaled_down"))
_ANY_SQUARE = Domain(kind="invertible")
_SYMMETRIC = Domain(kind="symmetric")
_POSITIVE = Domain(kind="positive_definite")
#: Finite numbers without extremes: what decompositions do with others is not documented.
_FINITE = Domain(classes=("zero", "negative_zero", "one", "tied", "large_mean", "wide"))


def _square(domain: Domain) -> Tensor:
    return Tensor(ranks=(2, 3, 4), domain=domain, fit=square)


def _of_square(
    name: str, domain: Domain, rule: Any, *parameters: Parameter, differentiable: bool = True
) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=rule,
        tensors=(_square(domain),),
        parameters=parameters,
        differentiable=differentiable,
    )


def _determinant(params: Params, shapes: Shapes) -> Shapes:
    return (shapes[0][:-2],)


def _factors(params: Params, shapes: Shapes) -> Shapes:
    return shapes[0], shapes[0][:-1]


def _spectrum(params: Params, shapes: Shapes) -> Shapes:
    return shapes[0][:-1], shapes[0]


def _decomposition(name: str, domain: Domain) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=_spectrum,
        tensors=(_square(domain),),
        differentiable=False,
        result="invariants",
    )


# ------------------------------------------------------------ decompositions


def _matrix(draw: Draw, shape: Shape) -> Shape:
    return (*shape[:-2], max(1, shape[-2]), max(1, shape[-1]))


_MATRIX = Tensor(ranks=(2, 3, 4), domain=_FINITE, fit=_matrix)


def _qr(params: Params, shapes: Shapes) -> Shapes:
    *rest, rows, columns = shapes[0]
    size = rows if params["mode"] == "complete" else min(rows, columns)
    return (*rest, rows, size), (*rest, size, columns)


def _svd(params: Params, shapes: Shapes) -> Shapes:
    *rest, rows, columns = shapes[0]
    size = min(rows, columns)
    if not params["compute_uv"]:
        return ((*rest, size),)
    full = params["full_matrices"]
    left, right = (rows, columns) if full else (size, size)
    return (*rest, rows, left), (*rest, size), (*rest, right, columns)


# ------------------------------------------------------------------- systems


def _right_side(draw: Draw, first: Shape) -> Shapes:
    """One vector for each matrix, or several as columns."""
    size = first[-1]
    if draw.chance(0.4) and len(first) == 2:
        return ((size,),)
    return ((*first[:-2], size, draw.between(1, 4)),)


def _solution(params: Params, shapes: Shapes) -> Shapes:
    return (shapes[1],)


def _observations(draw: Draw, first: Shape) -> Shapes:
    return ((first[0],) if draw.chance(0.4) else (first[0], draw.between(1, 3)),)


def _least_squares(params: Params, shapes: Shapes) -> Shapes:
    return ((shapes[0][1], *shapes[1][1:]),)


_TRIANGLES = (Domain(kind="upper"), Domain(kind="lower"))


def _factor(params: Params, shapes: Shapes) -> Domain:
    return Domain(kind="upper" if params["upper"] else "lower")


def _triangle(params: Params, shapes: Shapes) -> Domain:
    # What is on the other side of the diagonal is not read, so zeros there lose nothing.
    return Domain(kind="lower" if params["lower"] else "upper")


# --------------------------------------------------------------------- norms


def _norm(params: Params, shapes: Shapes) -> Shapes:
    shape, along, order = shapes[0], params["axis"], params["ord"]
    chosen = tuple(range(len(shape))) if along is None else axes(along, len(shape))
    if along is None and order is not None and len(shape) > 2:
        raise Invalid("ord needs a vector or a matrix")
    count = len(shape) if along is None else len(chosen)
    if count > 2 and order is not None:
        raise Invalid("a norm of three axes")
    if count == 1 and isinstance(order, str):
        raise Invalid("vectors have no such norm")
    if count == 2 and order is not None and order not in _MATRIX_NORMS:
        raise Invalid("matrices have no such norm")
    if any(shape[item] == 0 for item in chosen):
        raise Invalid("a norm of nothing")
    if params["keepdims"]:
        return (tuple(1 if i in chosen else n for i, n in enumerate(shape)),)
    return (tuple(n for i, n in enumerate(shape) if i not in chosen),)


_INFINITY = float("inf")
_MATRIX_NORMS = ("fro", "nuc", 1, 2, -1, -2, _INFINITY, -_INFINITY)


def _one(context: Context) -> Any:
    rank = len(context.shapes[0])
    return context.draw.between(-rank, rank - 1)


def _two(context: Context) -> Any:
    rank = len(context.shapes[0])
    if rank < 2:
        raise Invalid("a vector")
    first, second = context.draw.order(range(rank))[:2]
    return (first, second) if context.draw.chance(0.7) else (first - rank, second - rank)


_AXIS = parameter(
    "axis",
    valid=(None, Choice("one", make=_one), Choice("two", make=_two)),
    boundary=(0, Choice("last_two", make=lambda c: _two(c) and (-2, -1))),
    invalid=(
        Choice("out_of_range", make=lambda context: len(context.shapes[0])),
        (0, 0),
        (0, 1, 2),
        "last",
    ),
)
_ORD = parameter(
    "ord",
    None,
    valid=(None, 1, 2, _INFINITY, "fro"),
    boundary=(-_INFINITY, -1, -2, 0, 3, 0.5, "nuc"),
    invalid=("frobenius", "max"),
)
_CUTOFF = parameter("rcond", None, (None, 1e-3), (1e-6, 0.5), ("small",))

# ------------------------------------------------------------------- others


def _points(draw: Draw, first: Shape) -> Shapes:
    return ((*first[:-2], draw.between(1, 5), first[-1]),)


def _distances(params: Params, shapes: Shapes) -> Shapes:
    (rest,) = broadcast(params, (shapes[0][:-2], shapes[1][:-2]))
    return ((*rest, shapes[0][-2], shapes[1][-2]),)


SPECS = (
    _of_square("cholesky", _POSITIVE, unchanged, flag("upper", False), differentiable=False),
    # Documented for the matrix itself; every backend takes its triangular factor.
    OpSpec(
        name="keras.ops.cholesky_inverse",
        rule=unchanged,
        tensors=(
            Tensor(
                ranks=(2, 3, 4),
                fit=square,
                domain=_INVERTIBLE,
                domain_for=_factor,
                alternatives=_TRIANGLES,
            ),
        ),
        parameters=(flag("upper", False),),
        differentiable=False,
    ),
    _of_square("det", _ANY_SQUARE, _determinant),
    _of_square("inv", _INVERTIBLE, unchanged),
    _of_square("lu_factor", _INVERTIBLE, _factors, differentiable=False),
    _decomposition("eig", _ANY_SQUARE),
    _decomposition("eigh", _SYMMETRIC),
    OpSpec(
        name="keras.ops.qr",
        rule=_qr,
        tensors=(_MATRIX,),
        parameters=(
            parameter("mode", "reduced", ("reduced", "complete"), invalid=("full", "raw", 1)),
        ),
        differentiable=False,
        result="invariants",
    ),
    OpSpec(
        name="keras.ops.svd",
        rule=_svd,
        tensors=(_MATRIX,),
        parameters=(flag("full_matrices", True), flag("compute_uv", True)),
        differentiable=False,
        result="invariants",
    ),
    OpSpec(
        name="keras.ops.solve",
        rule=_solution,
        tensors=(_square(_INVERTIBLE), Tensor(ranks=(1, 2, 3, 4), domain=_FINITE)),
        companions=_right_side,
    ),
    OpSpec(
        name="keras.ops.solve_triangular",
        rule=_solution,
        tensors=(
            Tensor(
                ranks=(2, 3, 4),
                fit=square,
                domain=_INVERTIBLE,
                domain_for=_triangle,
                alternatives=_TRIANGLES,
            ),
            Tensor(ranks=(1, 2, 3, 4), domain=_FINITE),
        ),
        companions=_right_side,
        parameters=(flag("lower", False),),
    ),
    OpSpec(
        name="keras.ops.lstsq",
        rule=_least_squares,
        tensors=(
            Tensor(ranks=(2,), fit=_matrix, domain=Domain(classes=("zero", "one", "wide"))),
            Tensor(ranks=(1, 2), domain=_FINITE),
        ),
        companions=_observations,
        parameters=(_CUTOFF,),
        differentiable=False,
        impossible=("batch_0",),
    ),
    OpSpec(
        name="keras.ops.pinv",
        rule=lambda params, shapes: ((*shapes[0][:-2], shapes[0][-1], shapes[0][-2]),),
        tensors=(_MATRIX,),
        parameters=(_CUTOFF,),
        differentiable=False,
    ),
    OpSpec(
        name="keras.ops.matrix_rank",
        rule=_determinant,
        tensors=(_MATRIX,),
        parameters=(parameter("tol", None, (None, 0.1), (1e-3, 2.0), ("small",)),),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name="keras.ops.norm",
        rule=_norm,
        tensors=(Tensor(ranks=(1, 2, 3), domain=REAL),),
        parameters=(_AXIS, _ORD, flag("keepdims", False)),
        relations={
            "vector": lambda params, shapes: isinstance(params["axis"], int),
            "matrix": lambda params, shapes: isinstance(params["axis"], tuple),
        },
    ),
    OpSpec(
        name="keras.ops.slogdet",
        rule=lambda params, shapes: ((), ()),
        tensors=(Tensor(ranks=(2,), fit=lambda draw, shape: (draw.pick(shape),) * 2),),
    ),
    OpSpec(
        name="keras.ops.logdet",
        rule=lambda params, shapes: (shapes[0][:-2],),
        tensors=(
            Tensor(
                ranks=(2,),
                fit=square,
                domain=Domain(
                    kind="positive_definite", classes=("identity", "scaled_up", "scaled_down")
                ),
            ),
        ),
        # Off the diagonal, the derivative depends on how symmetry is used.
        differentiable=False,
        impossible=("batch_0",),
    ),
    OpSpec(
        name="keras.ops.cdist",
        rule=_distances,
        tensors=(Tensor(ranks=(2, 3)),),
        companions=_points,
    ),
)
