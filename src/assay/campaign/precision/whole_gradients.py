"""Gradients of results that hang on several numbers, and what rounding of these explains."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from assay.campaign.precision.asking import in_format
from assay.campaign.precision.cotangents import is_whole, upstream_of, without
from assay.campaign.precision.job import Job
from assay.campaign.precision.tally import Record
from assay.ir import Array, Case, Dot
from assay.libraries import SHARED, translated
from assay.sources.precision import Drawn
from assay_worker.precision.formats import FORMATS, rounded, unit

#: Only of inputs with larger errors than this many units it is asked what rounding explains.
_WORTH = 1.0


class Rows(NamedTuple):
    """By searched tensor: gradients of each input, and how far rounding moves them."""

    truths: list[Array]
    beside: list[Array]


class Explained(NamedTuple):
    """Of one element of a gradient: its condition number, what rounding does, how many numbers."""

    condition: float | None
    ball: float | None
    terms: int


def upstreams(job: Job, drawn: Drawn) -> list[Array]:
    """The upstream gradients of each result; ``Lacking`` without a formula."""
    tensors = {item.name: np.full(item.shape, 0.5) for item in drawn.tensors}
    (first, *_) = _readings(job, drawn)
    return [
        recipe.materialise(shape, "float32").astype("float64")
        for recipe, shape in zip(upstream_of(drawn), first.shapes(tensors), strict=True)
    ]


def rows(
    job: Job,
    drawn: Drawn,
    near: Mapping[str, Array],
    answers: Mapping[str, Array],
    format: str,
    shares: list[Array],
) -> Rows:
    """The gradients that answers are held against: inputs are rows of tensors by name.

    Of parameters that were rounded or were not, the ones that suit the answer count.
    """
    names = sorted(near)
    count = len(near[names[0]])
    truths = [np.full((count, near[name][0].size), np.nan) for name in names]
    beside = [np.zeros((count, near[name][0].size)) for name in names]
    half = 2.0 ** -FORMATS[job.dtype].bits, 2.0 ** -FORMATS[job.computes].bits
    for row in range(count):
        one = {name: near[name][row] for name in names}
        found = [item.at(one, shares, format) for item in _readings(job, drawn)]
        given = np.concatenate([_row(answers, name, row, one[name].size) for name in names])
        best = found[0].slopes
        for other in found[1:]:
            with np.errstate(all="ignore"):
                nearer = np.abs(given - other.slopes) < np.abs(given - best)
            best = np.where(nearer, other.slopes, best)
        with np.errstate(all="ignore"):
            large = np.abs(given - best) > _WORTH * unit(np.nan_to_num(best), job.computes)
        moved = found[0].beside(*half) if large.any() else np.zeros(len(best))
        ends = np.cumsum([one[name].size for name in names])[:-1]
        for place, (truth, gone) in enumerate(
            zip(np.split(best, ends), np.split(moved, ends), strict=True)
        ):
            truths[place][row], beside[place][row] = truth, gone
    return Rows(truths, beside)


def _row(answers: Mapping[str, Array], name: str, row: int, size: int) -> Array:
    return answers[name][row] if name in answers else np.full(size, np.nan)


def explained(job: Job, record: Record, near: Mapping[str, Array], place: int) -> Explained:
    """What rounding of all numbers and of upstream gradients does to one element."""
    names = sorted(near)
    shares = upstreams(job, record.drawn)
    (first, *_) = _readings(job, record.drawn)
    known = first.at(near, shares, "float64")
    slope = float(known.slopes[place])
    if not np.isfinite(slope):
        return Explained(None, None, 1)
    second = known.second(place)
    relative = ball = 0.0
    terms = 0
    with np.errstate(all="ignore"):
        for name, moves in zip(names, second.numbers, strict=True):
            flat = near[name].reshape(-1)
            halves = 0.5 * unit(flat, job.dtype) * (flat != 0.0)
            relative += float(np.sum(np.where(flat != 0.0, moves * np.abs(flat), 0.0)))
            ball += float(np.sum(np.where(halves != 0.0, moves * halves, 0.0)))
            terms += int(np.count_nonzero(moves))
        for share, moves in zip(shares, second.upstream, strict=True):
            part = 2.0 ** -FORMATS[job.computes].bits * np.abs(share.reshape(-1))
            ball += float(np.sum(np.where(part != 0.0, moves * part, 0.0)))
            terms += int(np.count_nonzero(moves))
    if not (np.isfinite(relative) and np.isfinite(ball)):
        return Explained(None, None, max(1, terms))
    condition = relative / abs(slope) if slope else float("inf") if relative else 0.0
    return Explained(condition, ball / record.unit, max(1, terms))


def has_gradient(case: Case, name: str, position: tuple[int, ...], computes: str) -> bool:
    """Is there a gradient by one number of an input? Not at kinks of sums.

    Of functions of numbers by themselves the search has told.
    """
    # It takes python-flint, which no other command needs.
    from assay.judge.balls.gradients import Gradients

    if not is_whole(case) or not isinstance(case.loss, Dot) or name not in case.inputs:
        return True
    plain = in_format(translated(case, SHARED), computes)
    gradients = Gradients(plain, [name], computes)
    near = {name: rounded(plain.input_arrays()[name], computes)}
    shares = [
        recipe.materialise(shape, "float32").astype("float64")
        for recipe, shape in zip(case.loss.upstream, gradients.shapes(near), strict=True)
    ]
    slopes = gradients.at(near, shares, "float64").slopes
    return bool(np.isfinite(slopes.reshape(near[name].shape)[position]))


def _readings(job: Job, drawn: Drawn) -> tuple[Any, ...]:
    """The gradients of the call with parameters as given, and as an operator may hold them."""
    return _made(_Call(job, drawn))


class _Call:
    """A call, as a key: one and the same while it is measured."""

    def __init__(self, job: Job, drawn: Drawn) -> None:
        self.job, self.drawn = job, drawn

    def __hash__(self) -> int:
        return hash((id(self.drawn.case), self.job.computes))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Call)
            and self.drawn.case is other.drawn.case
            and self.job.computes == other.job.computes
        )


@lru_cache(maxsize=16)
def _made(call: _Call) -> tuple[Any, ...]:
    # It takes python-flint, which no other command needs.
    from assay.judge.balls import NoFormula, NoTruth
    from assay.judge.balls.answers import in_exact_numbers, with_rounded_parameters
    from assay.judge.balls.gradients import Gradients

    job, drawn = call.job, call.drawn
    names = sorted(item.name for item in drawn.tensors)
    try:
        plain = in_exact_numbers(in_format(translated(drawn.case, SHARED), job.computes))
        cases = [plain, with_rounded_parameters(plain, job.computes)]
        if cases[0].graph.nodes[0].params == cases[1].graph.nodes[0].params:
            del cases[1]
        made = tuple(Gradients(case, names, job.computes) for case in cases)
        tensors = {item.name: np.full(item.shape, 0.5) for item in drawn.tensors}
        for gradients in made:
            gradients.at(
                tensors, [np.ones(shape) for shape in gradients.shapes(tensors)], "float32"
            )
    except (NoFormula, NoTruth) as error:
        raise without(error) from None
    return made


__all__ = ["Explained", "Rows", "explained", "has_gradient", "rows", "upstreams"]
