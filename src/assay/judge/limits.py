"""What functions give as their inputs grow: their value at infinity, where that is disputed."""

from collections.abc import Sequence

import numpy as np

from assay.ir import REFERENCE, Array, Case, Verdict
from assay.ir.transform import with_values
from assay.judge._base import Observed, Run

#: What stands for infinity, one after the other; float16 holds their squares, almost.
_GROWING = (2.0**5, 2.0**8, 2.0**11)
#: An answer has arrived if it is so near, as a share of itself; and grows if by this factor.
_ARRIVED, _GROWTH = 2.0**-7, 1.5
#: What stands for NaN, one after the other; and what is the same, but for rounding.
_FOR_NAN, _SAME = (-24.0, 0.375, 24.0), 1e-5


def tending(
    observed: Observed, verdict: Verdict, targets: Sequence[str], run: Run
) -> tuple[str, ...]:
    """Who gives something else at infinity than what it tends to, which the reference gives there?

    A formula that makes infinity minus infinity, or zero times it, of a limit that exists. Where
    all agree that it is a number, all of them have to tend elsewhere; where some give NaN, only
    those are asked. What is no NaN may be a bound, which is reached before infinity.
    """
    where, position = verdict.evidence.where, verdict.evidence.position
    truth = observed.traces[REFERENCE].arrays.get(where) if REFERENCE in observed.traces else None
    if verdict.kind != "nan" or truth is None or len(position) != truth.ndim:
        return ()
    if truth.dtype.kind == "c":  # a plane has no one way to infinity
        return ()
    given = {name: observed.traces[name].arrays.get(where) for name in targets}
    limit, cases = float(truth[position]), [_instead(observed.case, size) for size in _GROWING]
    asked = [case for case in cases if case is not None]
    known = [item for item in given.values() if item is not None and item.shape == truth.shape]
    if np.isnan(limit) or not asked or len(known) < len(given):
        return ()
    values = {name: float(item[position]) for name, item in zip(given, known, strict=True)}
    missing = tuple(name for name, value in values.items() if np.isnan(value))
    numbers = all(map(np.isfinite, values.values())) and bool(np.isinf(limit))
    accused = missing or (tuple(values) if numbers else ())
    tend = all(_tends(_answers(asked, name, where, position, run), limit) for name in accused)
    return tuple(sorted(accused)) if tend else ()


def spoilt_by_nothing(
    observed: Observed, verdict: Verdict, targets: Sequence[str], run: Run
) -> tuple[str, ...]:
    """Who gives NaN for a number that goes in and comes out, and hangs on no NaN?

    Whatever numbers stand for NaN, all give there what the reference gives with NaN elsewhere.
    """
    where, position = verdict.evidence.where, verdict.evidence.position
    truth = observed.traces[REFERENCE].arrays.get(where) if REFERENCE in observed.traces else None
    floats = {n: a for n, a in observed.case.input_arrays().items() if a.dtype.kind == "f"}
    spoilt = {name: array for name, array in floats.items() if np.isnan(array).any()}
    if verdict.kind != "nan" or truth is None or len(position) != truth.ndim or not spoilt:
        return ()
    if truth.dtype.kind == "c":
        return ()
    right = float(truth[position])
    if not any((array == truth[position]).any() for array in floats.values()):
        return ()
    cases = [
        with_values(
            observed.case,
            {n: np.where(np.isnan(a), a.dtype.type(number), a) for n, a in spoilt.items()},
        )
        for number in _FOR_NAN
    ]
    given = {name: observed.traces[name].arrays[where][position] for name in targets}
    missing = tuple(sorted(name for name, value in given.items() if np.isnan(value)))
    answers = [_answers(cases, name, where, position, run) for name in targets]
    same = all(
        len(item) == len(cases) and np.allclose(item, right, _SAME, _SAME) for item in answers
    )
    return missing if np.isfinite(right) and same else ()


def _instead(case: Case, size: float) -> Case | None:
    """The case with a large number for infinity; None if there is none."""
    floats = {name: item for name, item in case.input_arrays().items() if item.dtype.kind == "f"}
    known = [item for item in floats.values() if item.size]
    size *= _scale(known) if known else 1.0
    arrays: dict[str, Array] = {
        name: np.where(np.isinf(array), np.sign(array) * size, array).astype(array.dtype)
        for name, array in floats.items()
        if np.isinf(array).any()
    }
    return with_values(case, arrays) if arrays else None


def _scale(arrays: Sequence[Array]) -> float:
    """The largest number beside infinities, as far as the format holds squares of what grows."""
    largest = max(float(np.abs(item[np.isfinite(item)]).max(initial=1.0)) for item in arrays)
    highest = min(float(np.finfo(item.dtype).max) for item in arrays)
    return max(1.0, min(largest, float(np.sqrt(highest)) / _GROWING[-1]))


def _answers(
    cases: Sequence[Case], target: str, where: str, position: tuple[int, ...], run: Run
) -> list[float]:
    traces = run(cases, target)
    return [float(trace.arrays[where][position]) for trace in traces if where in trace.arrays]


def _tends(answers: Sequence[float], limit: float) -> bool:
    """Do three answers come nearer and nearer to a number, or grow to infinity?"""
    if len(answers) < len(_GROWING) or not np.isfinite(answers).all():
        return False
    found = np.array(answers)
    if np.isinf(limit):
        sizes = found * np.sign(limit)
        return bool(sizes[0] > 0 and (sizes[1:] > _GROWTH * sizes[:-1]).all())
    away = np.abs(found - limit)
    arrived = away[-1] <= _ARRIVED * max(1.0, abs(limit))
    return bool(arrived and (away[1:] <= away[:-1]).all())
