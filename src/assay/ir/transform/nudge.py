"""Every number of a case moved by about one unit in the last place."""

from collections.abc import Mapping

import numpy as np

from assay.ir import Array, Case, Dot, Explicit, derive
from assay.ir.transform.edit import with_upstream, with_values
from assay.ir.transform.formats import spacing


def nudged_cases(case: Case, copies: int) -> tuple[Case, ...]:
    """So many copies of the case with every float input element nudged up or down.

    Upstream gradients that are given as numbers are nudged too. Exact zeros move by one ULP of
    the largest element, so that kinks at zero show.
    Nothing if no input has floats. Deterministic.
    """
    arrays = case.input_arrays()
    if not any(array.dtype.kind == "f" for array in arrays.values()):
        return ()
    coarse = spacing(case)
    return tuple(
        _with_nudged_upstream(with_values(case, _copy(arrays, place, coarse)), place, coarse)
        for place in range(copies)
    )


def nudged_arrays(arrays: Mapping[str, Array], copies: int) -> tuple[dict[str, Array], ...]:
    """So many copies of the arrays with every float element nudged by about one ULP."""
    return tuple(_copy(arrays, place) for place in range(copies))


def _with_nudged_upstream(case: Case, place: int, coarse: float) -> Case:
    if not isinstance(case.loss, Dot):
        return case
    upstream = [
        Explicit(_nudged(recipe.array, derive(place, "upstream", index), coarse))
        if isinstance(recipe, Explicit) and recipe.array.dtype.kind == "f"
        else recipe
        for index, recipe in enumerate(case.loss.upstream)
    ]
    return with_upstream(case, upstream)


def _copy(arrays: Mapping[str, Array], place: int, coarse: float = 0.0) -> dict[str, Array]:
    return {
        name: _nudged(array, derive(place, name), coarse) if array.dtype.kind == "f" else array
        for name, array in arrays.items()
    }


def _nudged(array: Array, seed: int, coarse: float) -> Array:
    values = array.astype("float64")
    finite = np.isfinite(values)
    epsilon = max(coarse, float(np.finfo(array.dtype).eps))
    largest = float(np.abs(values[finite]).max()) if finite.any() else 1.0
    generator = np.random.Generator(np.random.PCG64(seed))
    direction = np.where(generator.random(array.shape) < 0.5, -1.0, 1.0)
    size = np.where(values == 0.0, min(largest, 1.0) or 1.0, np.abs(values))
    # Subnormal numbers are as far apart as the smallest normal ones.
    size = np.maximum(size, float(np.finfo(array.dtype).tiny))
    with np.errstate(over="ignore", invalid="ignore"):
        moved = np.where(finite, values + direction * epsilon * size, values)
        moved = np.asarray(moved.astype(array.dtype))
    # A nudge must not turn a number into an infinity.
    return np.where(np.isfinite(moved) | ~finite, moved, array)
