"""Reductions over axes: sums, means, extremes, and where the extremes are."""

from collections.abc import Mapping

from assay.ops._base import parameter
from assay.ops.keras.ops._kinds import ANY, AT_LEAST_1, FLOAT, NUMERIC, position, reduction
from assay.ops.keras.ops._parameters import dtype_parameter

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
    "nanmax": NUMERIC,
    "nanmin": NUMERIC,
}
_INITIAL = parameter("initial", None, (None, 0, 1), (-3, 100))


SPECS = (
    *(reduction(name, ANY, result="bool") for name in ("all", "any")),
    *(reduction(name, empty=False) for name in ("amax", "amin")),
    *(position(name) for name in ("argmax", "argmin")),
    reduction("count_nonzero", ANY, keepdims=False, result="integer"),
    *(reduction(name, dtypes) for name, dtypes in _WITH_EMPTY.items()),
    *(reduction(name, dtypes, empty=False) for name, dtypes in _NOT_EMPTY.items()),
    reduction("max", ANY, empty=False, parameters=(_INITIAL,)),
    reduction("min", ANY, empty=False, parameters=(_INITIAL,)),
    reduction("prod", ANY, parameters=(dtype_parameter("float32", "float16"),)),
    position("nanargmax"),
    position("nanargmin"),
    reduction("logsumexp", FLOAT, empty=False, ranks=AT_LEAST_1),
)
