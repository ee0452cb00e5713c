"""Reductions, running totals and orders of ``keras.ops`` from a to l."""

from assay.ops._base import Domain, Invalid, OpSpec, Params, Shape, Shapes, Tensor, parameter
from assay.ops._draw import Draw
from assay.ops.axes import axis
from assay.ops.keras.numpy_kinds import (
    ANY,
    AT_LEAST_1,
    NUMERIC,
    along_axis,
    path,
    position,
    reduced,
    reduction,
    scan,
)
from assay.ops.shapes import axes

_WEIGHTS = Domain(low=0.1, high=2.0)


def _weights(draw: Draw, first: Shape) -> Shapes:
    """Weights for each element, or for each place along one axis."""
    return (first,) if draw.chance(0.4) else ((draw.pick(first),),)


def _average(params: Params, shapes: Shapes) -> Shapes:
    first, along = shapes[0], params["axis"]
    chosen = range(len(first)) if along is None else axes(along, len(first))
    if any(first[place] == 0 for place in chosen):
        raise Invalid("nothing to average")
    fitting = {first} if along is None else {first, (first[chosen[0]],)}
    if len(shapes) > 1 and shapes[1] not in fitting:
        raise Invalid(f"weights {shapes[1]} for axis {along} of {first}")
    return (reduced(first, along),)


def _difference(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    if params["n"] < 0:
        raise Invalid("fewer than no differences")
    length = max(0, shapes[0][along] - params["n"])
    return ((*shapes[0][:along], length, *shapes[0][along + 1 :]),)


SPECS = (
    *(reduction(name, ANY, result="bool") for name in ("all", "any")),
    *(reduction(name, empty=False) for name in ("amax", "amin")),
    *(position(name) for name in ("argmax", "argmin")),
    reduction("count_nonzero", ANY, keepdims=False, result="integer"),
    scan("cumsum"),
    scan("cumprod"),
    along_axis("argsort", result="integer"),
    OpSpec(
        name=path("average"),
        rule=_average,
        tensors=(
            Tensor(ranks=AT_LEAST_1, dtypes=NUMERIC),
            Tensor(ranks=AT_LEAST_1, domain=_WEIGHTS, keyword="weights", optional=True),
        ),
        companions=_weights,
        parameters=(axis(default=None, nothing=True),),
    ),
    OpSpec(
        name=path("diff"),
        rule=_difference,
        tensors=(Tensor(ranks=AT_LEAST_1, dtypes=NUMERIC),),
        parameters=(
            parameter("n", 1, valid=(1, 2), boundary=(0, 9), invalid=(-1, "twice")),
            axis(default=-1),
        ),
    ),
)
