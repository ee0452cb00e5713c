"""Gradients of equal elements: who gets one is open, what they sum up to is not."""

import msgspec
import numpy as np

from assay.ir import REFERENCE, Admissible, Array, Verdict
from assay.judge._base import Observed, Run
from assay.judge.allowance import family_of
from assay.judge.forward import answers_of
from assay.judge.judgement import Judgement
from assay.judge.slopes import Slopes, slopes, slopes_together

#: An element of a gradient that jumps by this share of itself under a nudge is at a kink.
JUMP = 0.05
#: What the reference's slopes leave of a sum that cancels out, as a share of its terms.
_NOISE = 1e-3
#: How many elements the reference is asked about that it claims nothing of.
_ASKED = 64


class _Sums(msgspec.Struct, frozen=True):
    """What the gradients of equal elements sum up to, and the slope as they move together."""

    slopes: Slopes
    equal: Array
    given: dict[str, float]
    wrong: tuple[str, ...]


def _sums(observed: Observed, verdict: Verdict, run: Run) -> _Sums | None:
    """Whoever among equals gets it, theirs sum up to that slope, where both of its sides agree."""
    where = verdict.evidence.where
    found = slopes_together(observed, where, verdict.evidence.position, run)
    if found is None or not found[0].smooth():
        return None
    (slope, *_), equal = found[0].values, found[1]
    sums = {
        name: float(array[equal].sum(dtype="float64"))
        for name, array in answers_of(observed, verdict).items()
        if array.shape == equal.shape
    }
    sizes = [np.abs(array[equal]).sum() for array in answers_of(observed, verdict).values()]
    close = JUMP * max(abs(slope), *sizes)
    wrong = tuple(sorted(name for name, total in sums.items() if not abs(total - slope) <= close))
    return _Sums(found[0], equal, sums, wrong)


def share_alike(observed: Observed, verdict: Verdict, run: Run) -> bool:
    """Do equal elements share a gradient otherwise here than there, and all sum up alike?

    And is there none: do the slopes of each, as it moves alone, sum up to something else than that
    of all together?
    """
    found = _sums(observed, verdict, run)
    if found is None or found.wrong or len(found.given) < 2:
        return False
    if any(
        f"absent:{verdict.evidence.where}" in trace.arrays for trace in observed.traces.values()
    ):
        return False  # who gives no gradient at all shares none
    alone = _alone(observed, verdict.evidence.where, found.equal, run)
    slope = found.slopes.values[0]
    if alone is None:
        return True
    noise = _NOISE * float(np.abs(alone).sum())
    apart = abs(float(alone.sum()) - slope)
    return apart > max(noise, JUMP * max(abs(float(alone.sum())), abs(slope)))


def _alone(observed: Observed, where: str, equal: Array, run: Run) -> Array | None:
    """The slope of each of the equal elements as it moves alone; None if one of them has none.

    Where it has no time for all, the reference claims some of them only: the others are asked.
    """
    arrays = observed.traces[REFERENCE].arrays
    mask = arrays.get("undecided:" + where)
    claimed = arrays[where].astype("float64")
    open_ones = np.argwhere(equal & mask) if mask is not None else np.empty((0, equal.ndim))
    if len(open_ones) > _ASKED:
        return None
    for row in open_ones:
        position = tuple(int(place) for place in row)
        found = slopes(observed, where, position, REFERENCE, run, everywhere=False)
        if found is None or not found.smooth():
            return None
        claimed[position] = found.values[0]
    return np.asarray(claimed[equal])


def no_subgradient(observed: Observed, verdict: Verdict, run: Run) -> Judgement | None:
    """Does a gradient miss the slope along which tied elements move together?"""
    found = _sums(observed, verdict, run)
    if found is None or not found.wrong or len(found.wrong) == len(found.given):
        return None
    total = found.given[found.wrong[0]]
    reason = (
        f"the gradients of equal elements sum up to {total:.6g}, where the function has "
        f"the slope {found.slopes.values[0]:.6g} as they move together"
    )
    shown = beside_slopes(verdict, REFERENCE, total, found.slopes)
    return Judgement("bug", "outside", reason, admissible=shown, blamed=found.wrong)


def beside_slopes(verdict: Verdict, source: str, answer: float | None, found: Slopes) -> Admissible:
    """What is told of an answer beside the slopes that the function has."""
    return Admissible(
        source=source,
        family=family_of(verdict.op).name,
        answer=answer,
        branches=found.values,
        where=verdict.evidence.where,
        position=verdict.evidence.position,
    )
