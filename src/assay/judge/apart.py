"""Slopes of the results that hang on an element, where others are not finite.

A derivative is a matter of the results that move with the element. That others are NaN or
infinite takes nothing from it.
"""

import numpy as np

from assay.ir import REFERENCE, Array, Case, derive
from assay.ir.transform import forward_only, tamed_case, with_arrays
from assay.judge._base import Observed, Run
from assay.judge.derivative import upstream_of
from assay.judge.slopes import FINE, Slopes, slopes_of

_INPUT = "gradient:input:"
#: By how much an element moves for its results to show.
_FAR = 0.125
#: By how much to show whether any result could ever hang on it; and with how many other numbers.
_FURTHEST, _DRAWS = 64.0, 4


def slopes_apart(
    observed: Observed, where: str, position: tuple[int, ...], run: Run
) -> Slopes | None:
    """The slopes by the reference; None if some result that hangs on the element is not finite.

    What hangs on it shows with ordinary numbers in the place of NaN and infinities: they hide it.
    """
    case, truth = observed.case, observed.traces.get(REFERENCE)
    name = where.removeprefix(_INPUT)
    array = case.input_arrays().get(name) if name != where else None
    if truth is None or array is None or len(position) != array.ndim or array.dtype.kind != "f":
        return None
    if not np.isfinite(array[position]):
        return None
    wide = {n: a.astype("float64") for n, a in case.input_arrays().items() if a.dtype.kind == "f"}
    plain = forward_only(with_arrays(case, wide))
    tame = tamed_case(plain)
    moved = _moving(plain, name, position, run), _moving(tame or plain, name, position, run)
    hanging = {key: moved[0][key] | moved[1].get(key, False) for key in moved[0]}
    if not any(mask.any() for mask in hanging.values()) or not _finite(observed, hanging):
        return None
    upstream, scale = upstream_of(case, truth), max(1.0, abs(float(array[position])))
    sizes = [step * scale for step in FINE]
    moves = (0.0, *(-size for size in sizes), *sizes)
    cases = [_moved(plain, name, position, move) for move in moves]
    losses = []
    for trace in run(cases, REFERENCE):
        outputs = trace.outputs()
        if any(key not in outputs or outputs[key].shape != hanging[key].shape for key in upstream):
            return None
        parts = [
            np.sum(outputs[key][hanging[key]] * weights[hanging[key]])
            for key, weights in upstream.items()
        ]
        losses.append(np.asarray(np.sum(parts)))
    return slopes_of(losses, sizes) if len(losses) == len(cases) else None


def hangs_on_nothing(observed: Observed, where: str, position: tuple[int, ...], run: Run) -> bool:
    """Does no result hang on a finite element, whatever the other numbers are? By the reference.

    Then its slope is zero, though others are NaN or infinite; unless no result is a number at all.
    """
    case, name = observed.case, where.removeprefix(_INPUT)
    arrays = {n: a for n, a in case.input_arrays().items() if a.dtype.kind == "f"}
    array = arrays.get(name) if name != where else None
    truth = observed.traces.get(REFERENCE)
    if truth is None or array is None or len(position) != array.ndim:
        return False
    results = [item for item in truth.outputs().values() if item.dtype.kind in "fc"]
    if not np.isfinite(array[position]) or all(np.isnan(item).all() for item in results):
        return False
    for draw in range(_DRAWS):
        dice = np.random.Generator(np.random.PCG64(derive(draw, where)))
        drawn = {n: np.asarray(dice.uniform(-2.0, 2.0, a.shape)) for n, a in arrays.items()}
        other = forward_only(with_arrays(case, drawn))
        cases = [_moved(other, name, position, move) for move in (0.0, _FURTHEST, -_FURTHEST)]
        given = [trace.outputs() for trace in run(cases, REFERENCE)]
        if len(given) < len(cases) or not given[0]:
            return False
        for key, base in given[0].items():
            others = [item[key] for item in given[1:] if key in item]
            if len(others) < len(cases) - 1:
                return False
            if not np.isfinite(base).all():
                return False  # it may hide what hangs on the element
            if not all(np.array_equal(base, other) for other in others):
                return False
    return True


def _moved(case: Case, name: str, position: tuple[int, ...], move: float) -> Case:
    array = case.input_arrays()[name].copy()
    array[position] += move
    return with_arrays(case, {name: array})


def _moving(case: Case, name: str, position: tuple[int, ...], run: Run) -> dict[str, Array]:
    """Which results move with the element, by tensor."""
    cases = [_moved(case, name, position, move) for move in (0.0, _FAR, -_FAR)]
    found: dict[str, Array] = {}
    traces = run(cases, REFERENCE)
    for trace in traces[1:]:
        for key, array in trace.outputs().items():
            base = traces[0].outputs().get(key)
            if base is not None and base.shape == array.shape:
                same = (base == array) | (np.isnan(base) & np.isnan(array))
                found[key] = found.get(key, np.zeros(array.shape, bool)) | ~same
    return found


def _finite(observed: Observed, hanging: dict[str, Array]) -> bool:
    """Does everybody give numbers there?"""
    return all(
        np.isfinite(array[hanging[key]]).all()
        for trace in observed.traces.values()
        for key, array in trace.outputs().items()
        if key in hanging and array.shape == hanging[key].shape and array.dtype.kind in "fc"
    )
