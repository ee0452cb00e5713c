"""The math functions of ``keras.ops``: segments, order statistics, special functions."""

from assay.ops._base import (
    REAL,
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
from assay.ops.keras._common import flag
from assay.ops.keras.ops_common import FLOATS, square
from assay.ops.shapes import axes, broadcast, unchanged

# ------------------------------------------------------------- element-wise


def _elementwise(name: str, domain: Domain = REAL) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=unchanged,
        tensors=(Tensor(ranks=(0, 1, 2, 3), dtypes=FLOATS, domain=domain),),
    )


def _reduced(params: Params, shapes: Shapes) -> Shapes:
    shape = shapes[0]
    along = params["axis"]
    chosen = tuple(range(len(shape))) if along is None else axes(along, len(shape))
    if any(shape[item] == 0 for item in chosen):
        raise Invalid("the logarithm of an empty sum")
    if params["keepdims"]:
        return (tuple(1 if i in chosen else n for i, n in enumerate(shape)),)
    return (tuple(n for i, n in enumerate(shape) if i not in chosen),)


# ----------------------------------------------------------------- segments


def _ids_of_rows(draw: Draw, first: Shape) -> Shapes:
    return ((first[0],),)


def _segments(params: Params, shapes: Shapes) -> Shapes:
    rest = shapes[0][len(shapes[1]) :]
    return ((params["num_segments"], *rest),)


def _sorted_already(context: Context) -> bool:
    count = 1
    for length in context.shapes[1]:
        count *= length
    if count > 1:
        raise Invalid("random ids are not sorted")
    return True


def _segment(name: str) -> OpSpec:
    # Documented for ids of several axes too, which all backends refuse.
    return OpSpec(
        name=f"keras.ops.segment_{name}",
        rule=_segments,
        tensors=(
            Tensor(ranks=(1, 2, 3), dtypes=("float32", "int32", "float16")),
            Tensor(
                ranks=(1,),
                dtypes=("int32",),
                domain=Domain(kind="ids"),
                limits=lambda params, shapes: (0, params["num_segments"] - 1),
            ),
        ),
        companions=_ids_of_rows,
        parameters=(
            parameter("num_segments", valid=(2, 3), boundary=(1, 6), invalid=(-1, "two", 1.5)),
            parameter(
                "sorted",
                False,
                valid=(False,),
                boundary=(Choice("True", make=_sorted_already),),
            ),
        ),
    )


# --------------------------------------------------------- order statistics


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

# ------------------------------------------------------------------- others


def _points(draw: Draw, first: Shape) -> Shapes:
    return ((*first[:-2], draw.between(1, 5), first[-1]),)


def _distances(params: Params, shapes: Shapes) -> Shapes:
    (rest,) = broadcast(params, (shapes[0][:-2], shapes[1][:-2]))
    return ((*rest, shapes[0][-2], shapes[1][-2]),)


def _in_pairs(draw: Draw, shape: Shape) -> Shape:
    return (*shape[:-1], 2)


SPECS = (
    _elementwise("erf"),
    _elementwise("erfc"),
    _elementwise("erfinv", Domain(low=-0.95, high=0.95)),
    _elementwise("rsqrt", Domain(low=0.1, high=4.0)),
    OpSpec(
        name="keras.ops.logsumexp",
        rule=_reduced,
        tensors=(Tensor(ranks=(1, 2, 3), dtypes=FLOATS),),
        parameters=(axis(default=None, several=True, nothing=True), flag("keepdims", False)),
    ),
    _segment("sum"),
    _segment("max"),
    _segment("min"),
    _segment("prod"),
    _TOP_K,
    _IN_TOP_K,
    OpSpec(
        name="keras.ops.cdist",
        rule=_distances,
        tensors=(Tensor(ranks=(2, 3)),),
        companions=_points,
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
        name="keras.ops.view_as_complex",
        rule=lambda params, shapes: (shapes[0][:-1],),
        tensors=(Tensor(ranks=(1, 2, 3), fit=_in_pairs),),
        differentiable=False,
        result="complex",
        impossible=("repeated",),
    ),
    OpSpec(
        name="keras.ops.view_as_real",
        rule=lambda params, shapes: ((*shapes[0], 2),),
        tensors=(Tensor(ranks=(0, 1, 2, 3), dtypes=("complex64",)),),
        differentiable=False,
    ),
)
