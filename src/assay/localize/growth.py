"""Where a deviation grows: CRADLE's rate of change per layer.

δ is the mean absolute difference of a layer's output on two targets, δ_pre the
largest of the layers it reads, and R = (δ − δ_pre) / (δ_pre + 1e-7). Layers whose R
is above the third quartile are highlighted; the first of them is the suspect.
"""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from assay.gaps import CHANGE_EPSILON, gap
from assay.ir import Array
from assay.ir.check import LayerDeviation, LayerSpec

EPSILON = CHANGE_EPSILON


def deviation(first: Array, second: Array) -> float:
    """Mean absolute difference; infinite where the shapes or the special values differ."""
    found = gap(first, second)
    if found is None or found.special is not None:
        return float("inf")
    if not found.furthest:
        return 0.0
    with np.errstate(over="ignore"):
        return float(found.deviation.mean())


def growth(
    layers: Sequence[LayerSpec], first: Mapping[str, Array], second: Mapping[str, Array]
) -> tuple[LayerDeviation, ...]:
    """The deviation of every layer that both targets show, in topological order."""
    by_tensor: dict[str, float] = {}
    found = []
    for layer in layers:
        shown = [name for name in layer.outputs if name in first and name in second]
        before = max((by_tensor.get(name, 0.0) for name in layer.inputs), default=0.0)
        # A layer that is hidden on one side hands on what it got.
        own = max((deviation(first[n], second[n]) for n in shown), default=before)
        by_tensor.update(dict.fromkeys(layer.outputs, own))
        if shown:
            found.append(LayerDeviation(layer.name, layer.op, own, before, _rate(own, before)))
    return highlighted(found)


def _rate(own: float, before: float) -> float:
    if np.isinf(before):
        return 0.0
    return (own - before) / (before + EPSILON)


def highlighted(found: Sequence[LayerDeviation]) -> tuple[LayerDeviation, ...]:
    """The same, with those above the third quartile of all rates marked."""
    if not found:
        return ()
    rates = np.array([item.rate for item in found])
    finite = rates[np.isfinite(rates)]
    quartile = float(np.percentile(finite, 75)) if finite.size else float("-inf")
    return tuple(msgspec.structs.replace(item, highlighted=item.rate > quartile) for item in found)


def first_highlighted(found: Sequence[LayerDeviation]) -> LayerDeviation | None:
    """The suspect by rate of change alone."""
    return next((item for item in found if item.highlighted), None)
