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
    """So many copies of the arrays with every float element nudged by about one ULP.

    What a model reads: zeros may be masks, and arrays whose floats are all whole may be ids,
    counts or bins, so both stay. Where nothing else is there to move, whole numbers move away
    from zero, which leaves them the same ids: a cast cuts off.
    """
    floats = {name: array for name, array in arrays.items() if array.dtype.kind == "f"}
    moving = {name: array for name, array in floats.items() if not _whole(array)}
    step = _nudged if moving else _outwards
    return tuple(
        {
            name: step(array, derive(place, name)) if name in (moving or floats) else array
            for name, array in arrays.items()
        }
        for place in range(copies)
    )


def _whole(array: Array) -> bool:
    """Are all floats whole that could be something else? Large ones have no fractions."""
    known = array[np.isfinite(array)]
    exact = bool((known == np.trunc(known)).all())
    return exact and float(np.abs(known).max(initial=0.0) * np.finfo(array.dtype).eps) < 1.0


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


def _copy(arrays: Mapping[str, Array], place: int, coarse: float) -> dict[str, Array]:
    return {
        name: _nudged(array, derive(place, name), coarse) if array.dtype.kind == "f" else array
        for name, array in arrays.items()
    }


def _nudged(array: Array, seed: int, coarse: float | None = None) -> Array:
    """Every element up or down by one ULP, ``coarse`` if that is more; without it, zeros stay."""
    values = array.astype("float64")
    finite = np.isfinite(values)
    largest = float(np.abs(values[finite]).max()) if finite.any() else 1.0
    size = np.abs(values)
    if coarse is not None:
        size = np.where(values == 0.0, min(largest, 1.0) or 1.0, size)
    # Subnormal numbers are as far apart as the smallest normal ones.
    size = np.where(size > 0.0, np.maximum(size, float(np.finfo(array.dtype).tiny)), 0.0)
    direction = np.where(_drawn(array, seed), -1.0, 1.0)
    return _by(array, direction * max(coarse or 0.0, float(np.finfo(array.dtype).eps)) * size)


def _outwards(array: Array, seed: int) -> Array:
    """Half of the elements away from zero by one ULP, the others not at all."""
    share = np.where(_drawn(array, seed), 0.0, float(np.finfo(array.dtype).eps))
    return _by(array, share * array.astype("float64"))


def _drawn(array: Array, seed: int) -> Array:
    generator = np.random.Generator(np.random.PCG64(seed))
    return np.asarray(generator.random(array.shape) < 0.5)


def _by(array: Array, steps: Array) -> Array:
    """The array, changed by so much; NaN and infinities stay."""
    with np.errstate(over="ignore", invalid="ignore"):
        moved = np.asarray((array.astype("float64") + steps).astype(array.dtype))
    # A nudge must not turn a number into an infinity.
    return np.where(np.isfinite(moved), moved, array)
