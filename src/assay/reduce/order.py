"""Which of two cases is the simpler one: a total order on what a reader has to read.

``size`` gives, most important first: how many kinds of special values there are (NaN,
infinities, no elements at all), since those have faults of their own; nodes; inputs;
axes of all inputs; their elements; how unusual their dtypes are; parameters that are
given; how large and how nested their values are; what is asked (training, loss,
gradient, weights); and the elements themselves, where 0 is simpler than 1, that than
small whole numbers, those than NaN and infinity, and those than numbers of many digits.
Cases compare as these tuples do, so two cases of equal size are equally simple,
and a reduction that only ever accepts a smaller size ends.
"""

import math
from typing import Any

import numpy as np

from assay.ir import STAGES, Array, Case, Constant, Dot, Uniform

Size = tuple[int, int, int, int, int, int, int, float, int, int]

#: From the dtype one would write without thinking to the one that needs a reason.
_DTYPES = ("float32", "int32", "bool", "float64", "int64", "uint8", "float16")
_NOT_A_NUMBER, _INFINITY, _MANY_DIGITS = 14, 15, 20


def size(case: Case) -> Size:
    """What there is to read in a case; a smaller tuple is a simpler case."""
    inputs = case.graph.inputs
    nodes = case.graph.nodes
    given = [value for node in nodes for value in (*node.params.values(), *_constants(node))]
    return (
        len(special(case)),
        len(nodes),
        len(inputs),
        sum(len(item.shape) for item in inputs),
        sum(math.prod(item.shape) for item in inputs),
        sum(_unusual(item.dtype) for item in inputs),
        len(given),
        sum(weight(value) for value in given),
        _asked(case),
        sum(cost(array) for array in case.input_arrays().values()),
    )


def special(case: Case) -> frozenset[str]:
    """The kinds of special values among the inputs: a reduction may leave them, never bring them.

    Another fault is often simpler there: an empty batch, or an infinity, raises by itself.
    """
    found = {"empty" for item in case.graph.inputs if 0 in item.shape}
    for array in case.input_arrays().values():
        if array.dtype.kind in "fc" and not np.isfinite(array).all():
            parts = (array.real, array.imag) if array.dtype.kind == "c" else (array,)
            for part in parts:
                kinds = {"nan": np.isnan(part), "+": part == np.inf, "-": part == -np.inf}
                found |= {kind for kind, where in kinds.items() if where.any()}
    return frozenset(found)


def _constants(node: Any) -> list[Any]:
    """Keyword arguments of the call that are no tensors."""
    return [value for value in node.arguments.values() if not _holds_tensor(value)]


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, list):
        return any(_holds_tensor(item) for item in value)
    return isinstance(value, dict) and "$tensor" in value


def _unusual(dtype: str) -> int:
    return _DTYPES.index(dtype) if dtype in _DTYPES else len(_DTYPES)


def weight(value: Any) -> float:
    """How much a parameter's value weighs: large numbers, long lists and nested objects more."""
    if value is None or isinstance(value, bool):
        return 1.0
    if isinstance(value, (int, float)):
        if not math.isfinite(value):
            return 50.0
        whole = float(value).is_integer()
        return 2.0 + min(abs(float(value)), 40.0) + (0.5 if value < 0 else 0.0) + (not whole)
    if isinstance(value, str):
        return 1.0 + min(len(value), 60) / 100
    if isinstance(value, (list, tuple)):
        return 3.0 + sum(1.0 + weight(item) for item in value)
    if isinstance(value, dict):
        return 20.0 + sum(1.0 + weight(item) for item in value.values())
    return 100.0


def _asked(case: Case) -> int:
    upstream = 0
    if isinstance(case.loss, Dot):
        upstream = sum(1 if isinstance(item, Constant) else 3 for item in case.loss.upstream)
    elif case.loss is not None:
        upstream = 5
    plain = isinstance(case.weights, Uniform) and case.weights.low == case.weights.high
    drawn_weights = 2 * (not plain) + bool(case.explicit_weights)
    return 10 * STAGES.index(case.stage) + upstream + 4 * case.training + drawn_weights


def cost(array: Array) -> int:
    """What it costs to read the elements of an array; an array of zeros costs nothing."""
    return sum(_element_cost(item) for item in array.reshape(-1))


def _element_cost(element: Any) -> int:
    if element.dtype.kind == "b":
        return int(element)
    if element.dtype.kind == "c":
        return _element_cost(element.real) + _element_cost(element.imag)
    value = float(element)
    if math.isnan(value):
        return _NOT_A_NUMBER
    if math.isinf(value):
        return _INFINITY + (value < 0)
    negative = math.copysign(1.0, value) < 0
    if value.is_integer() and abs(value) < 10:
        return int(abs(value)) + (3 if negative else 0)
    return _MANY_DIGITS + len(str(np.abs(element))) + negative
