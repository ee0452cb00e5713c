"""Fewer axes, shorter upstream gradients, and other dtypes."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.ir import Case, Dot, Explicit, Node, Recipe
from assay.ir.transform.edit import with_arrays, with_upstream


def squeezed_case(case: Case, axis: int) -> Case | None:
    """Without an axis of length 1 that inputs of the highest rank have; None if none has."""
    rank = max((len(item.shape) for item in case.graph.inputs), default=0)
    squeezed = {
        name: np.squeeze(array, axis)
        for name, array in case.input_arrays().items()
        if array.ndim == rank and array.shape[axis] == 1
    }
    return with_arrays(case, squeezed) if squeezed else None


def renumbered(node: Node, removed: int) -> dict[str, Any]:
    """The node's parameters after an axis is gone: those that count axes behind it count less."""
    return {key: _renumbered(key, value, removed) for key, value in node.params.items()}


def _renumbered(name: str, value: Any, removed: int) -> Any:
    if isinstance(value, list):
        return [_renumbered(name, item, removed) for item in value]
    moves = "ax" in name and type(value) is int
    return value - 1 if moves and value > removed else value


def with_shorter_upstream(case: Case, shapes: Mapping[str, tuple[int, ...]]) -> Case | None:
    """The case with upstream gradients cut to the shapes of its outputs; None if one is too small.

    An output whose shape is not known keeps its own.
    """
    if not isinstance(case.loss, Dot):
        return case
    upstream: list[Recipe] = []
    for name, recipe in zip(case.graph.outputs, case.loss.upstream, strict=True):
        shape = shapes.get(name)
        if shape is None or not isinstance(recipe, Explicit):
            upstream.append(recipe)
            continue
        if len(shape) != recipe.array.ndim or any(map(int.__gt__, shape, recipe.array.shape)):
            return None
        kept = recipe.array[tuple(slice(length) for length in shape)]
        upstream.append(Explicit(np.ascontiguousarray(kept)))
    return with_upstream(case, upstream)


def recast_case(case: Case, dtype: str, other: str) -> Case:
    """The case with all inputs of one dtype in another."""
    chosen = {
        name: array for name, array in case.input_arrays().items() if array.dtype.name == dtype
    }
    with np.errstate(all="ignore"):
        return with_arrays(case, {name: array.astype(other) for name, array in chosen.items()})
