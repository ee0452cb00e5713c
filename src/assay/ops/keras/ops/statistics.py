"""Averages, quantiles, correlations, and counts in bins."""

from typing import Any

from assay.ops._base import (
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
from assay.ops.axes import axis
from assay.ops.keras.ops._kinds import (
    AT_LEAST_1,
    NUMERIC,
    SMALL,
    path,
    reduced,
    reduction,
    reduction_rule,
)
from assay.ops.keras.ops._parameters import KEEPDIMS
from assay.ops.shapes import axes, same_shape, unchanged

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


_METHOD = parameter(
    "method",
    "linear",
    valid=("linear", "lower", "higher", "midpoint", "nearest"),
    invalid=("cubic", 1),
)


def _quantiles(params: Params, shapes: Shapes) -> Shapes:
    (rest,) = reduction_rule(empty=False)(params, shapes)
    count = params["q"]
    return ((len(count), *rest) if isinstance(count, tuple) else rest,)


def _quantile(name: str, q: Parameter) -> OpSpec:
    return OpSpec(
        name=path(name),
        rule=_quantiles,
        tensors=(Tensor(ranks=SMALL, dtypes=NUMERIC),),
        parameters=(axis(default=None, several=True, nothing=True), q, _METHOD, KEEPDIMS),
    )


def _levels(largest: int) -> Parameter:
    """Where to cut, in parts of ``largest``; quarters and eighths are exact in binary."""

    def of(*parts: float) -> Any:
        scaled = tuple(part * largest for part in parts)
        return scaled[0] if len(scaled) == 1 else scaled

    return parameter(
        "q",
        valid=(of(0.5), of(0.25), of(0.3), of(0.25, 0.75)),
        boundary=(of(0.0), of(1.0), of(0.0, 1.0, 0.125), (of(0.5),), of(0.75, 0.75)),
        invalid=(of(1.5), of(-0.25), "half", of(0.5, 1.25)),
    )


def _corrcoef(params: Params, shapes: Shapes) -> Shapes:
    if 0 in shapes[0] or shapes[0][1] < 3:
        raise Invalid("two observations always correlate")
    return ((shapes[0][0], shapes[0][0]),)


#: What ``bincount`` counts.
_IDS = Domain(low=0, high=5, kind="ids", special=False)


def _bincount(params: Params, shapes: Shapes) -> Shapes:
    """For ones: two bins, if anything is counted."""
    return ((max(params["minlength"], 2 if shapes[0][0] else 0),),)


def _histogram(params: Params, shapes: Shapes) -> Shapes:
    if 0 in shapes[0]:
        raise Invalid("nothing to count")
    return ((params["bins"],), (params["bins"] + 1,))


SPECS = (
    *(reduction(name, empty=False) for name in ("median", "nanmedian")),
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
    *(_quantile(name, _levels(1)) for name in ("quantile", "nanquantile")),
    *(_quantile(name, _levels(100)) for name in ("percentile", "nanpercentile")),
    OpSpec(
        name=path("corrcoef"),
        rule=_corrcoef,
        tensors=(Tensor(ranks=(2,), dtypes=NUMERIC),),
        impossible=("batch_0", "dim_1"),
    ),
    OpSpec(
        name=path("bincount"),
        rule=_bincount,
        tensors=(
            Tensor(ranks=(1,), dtypes=("int32", "uint8", "int8"), domain=_IDS),
            Tensor(ranks=(1,), keyword="weights", optional=True),
        ),
        companions=same_shape,
        dynamic=True,
        parameters=(
            parameter("minlength", 0, valid=(0, 8), boundary=(1, 6), invalid=(-1, "many")),
        ),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name=path("digitize"),
        rule=unchanged,
        tensors=(Tensor(ranks=SMALL, dtypes=NUMERIC),),
        parameters=(
            parameter(
                "bins",
                valid=((-1.0, 0.0, 1.5), (0.0, 0.25, 0.5, 1.0)),
                boundary=((0.0,), (-1, 0, 1), (1.0, 1.0, 2.0)),
                invalid=("bins", ((0.0, 1.0), (2.0, 3.0))),
            ),
        ),
        differentiable=False,
        result="integer",
    ),
    OpSpec(
        name=path("histogram"),
        rule=_histogram,
        tensors=(Tensor(ranks=(1,), dtypes=NUMERIC),),
        parameters=(
            parameter("bins", 10, valid=(3, 4, 7), boundary=(1,), invalid=(0, -2, "few", 2.5)),
            parameter(
                "range",
                None,
                valid=((-2.0, 2.5), None),
                boundary=((0.0, 1.0), (-1, 2), (10.0, 20.0)),
                invalid=((1.0, -1.0), (0.0, 1.0, 2.0), "wide"),
            ),
        ),
        impossible=("batch_0",),
        differentiable=False,
        result="integer",
    ),
)
