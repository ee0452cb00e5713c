"""Reductions of ``keras.ops`` from ``max`` to ``var``, and running totals without NaN."""

from collections.abc import Mapping
from typing import Any

from assay.ops._base import OpSpec, Parameter, Params, Shapes, Tensor, parameter
from assay.ops.axes import axis
from assay.ops.keras.numpy_kinds import (
    ANY,
    KEEPDIMS,
    NUMERIC,
    SMALL,
    dtype_parameter,
    path,
    position,
    reduction,
    reduction_rule,
    scan,
)

#: Reductions of nothing that have a value are those of sums, products and means.
_WITH_EMPTY: Mapping[str, tuple[str, ...]] = {
    "sum": ANY,
    "mean": ANY,
    "var": NUMERIC,
    "std": NUMERIC,
    "nansum": ANY,
    "nanprod": NUMERIC,
    "nanmean": NUMERIC,
    "nanvar": NUMERIC,
    "nanstd": NUMERIC,
}
_NOT_EMPTY: Mapping[str, tuple[str, ...]] = {
    "ptp": NUMERIC,
    "median": NUMERIC,
    "nanmax": NUMERIC,
    "nanmin": NUMERIC,
    "nanmedian": NUMERIC,
}
_INITIAL = parameter("initial", None, (None, 0, 1), (-3, 100))
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


SPECS = (
    *(reduction(name, dtypes) for name, dtypes in _WITH_EMPTY.items()),
    *(reduction(name, dtypes, empty=False) for name, dtypes in _NOT_EMPTY.items()),
    reduction("max", ANY, empty=False, parameters=(_INITIAL,)),
    reduction("min", ANY, empty=False, parameters=(_INITIAL,)),
    reduction("prod", ANY, parameters=(dtype_parameter("float32", "float16"),)),
    position("nanargmax"),
    position("nanargmin"),
    scan("nancumsum"),
    scan("nancumprod"),
    *(_quantile(name, _levels(1)) for name in ("quantile", "nanquantile")),
    *(_quantile(name, _levels(100)) for name in ("percentile", "nanpercentile")),
)
