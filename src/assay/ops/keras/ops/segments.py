"""Reductions over the rows of each segment."""

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


SPECS = (
    _segment("sum"),
    _segment("max"),
    _segment("min"),
    _segment("prod"),
)
