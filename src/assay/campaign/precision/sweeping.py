"""One exhaustive measurement: every number of a format, or pairs of chosen ones, in blocks.

What is known after each block is handed on to be kept, so that a run that was stopped goes on
with the block that it was at.
"""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from assay.campaign.precision.asking import Question, question
from assay.campaign.precision.elsewhere import is_elsewhere
from assay.campaign.precision.job import Job, Lacking
from assay.campaign.precision.measuring import Measuring, Own
from assay.campaign.precision.proving import proved
from assay.campaign.precision.suspects import (
    Measured,
    is_large,
    size_class,
    suspect_of,
    suspicious,
)
from assay.execute import Death
from assay.ir import Array
from assay.ir.precision import Measurement, Special, Whole, Worst
from assay.judge.allowance import family_of
from assay.judge.precise import UNITS
from assay.libraries import everything
from assay.sources.precision import Drawn, drawn
from assay_worker.precision import exhaustive, pairs
from assay_worker.precision.formats import unit
from assay_worker.precision.summaries import added, nothing

#: Numbers of a block: seconds at most, for the slowest functions.
BLOCK = 2**23
#: A place: size, units, inputs, answer, truth.
_Place = list[Any]


class Part(msgspec.Struct, frozen=True):
    """How far a measurement is: so many numbers or pairs from the first on, and what they gave."""

    done: int = 0
    seconds: float = 0.0
    format: str = ""
    summary: dict[str, Any] = msgspec.field(default_factory=nothing)


def numbers_of(job: Job) -> tuple[str, ...]:
    """The names of the numbers that the function takes."""
    return tuple(item.name for item in _call(job).tensors)


def size_of(job: Job) -> int:
    """How many numbers, or pairs, there are to try."""
    single = len(numbers_of(job)) == 1
    return int(exhaustive.count(job.dtype) if single else pairs.count(job.dtype))


def _call(job: Job) -> Drawn:
    # Nothing of it is drawn but what the seed of the shape says: any seed will do.
    return drawn(everything()[job.operator.op], job.operator.wishes, 0)


def sweeping(job: Job, part: Part, keep: Callable[[Part], None]) -> Measuring:
    """Measure: as ``measuring`` does. ``part`` is what is known, ``keep`` hears of each block."""
    own, turn, before = Own(job.target), _call(job), part.seconds
    if is_elsewhere(job.target):
        raise Lacking(f"{job.target.name} has an interpreter of its own: no truth beside it")
    names = tuple(item.name for item in turn.tensors)
    asked = question(turn, job.target, job.dtype, job.computes)
    total = size_of(job)
    while part.done < total:
        stop = min(part.done + BLOCK, total)
        answer = yield from own.waited(asked.sweep(names, part.done, stop))
        if isinstance(answer, Death):
            at = f"at numbers {part.done:,} to {stop:,} of {total:,}"
            raise Lacking(f"{job.target.name}: the process ended {at}: {answer.cause}")
        if answer["status"] == "lacking":
            raise Lacking(f"{job.target.name} {answer['message']}")
        if answer["status"] != "ok":
            raise Lacking(f"{job.target.name}: {_said(answer['failure'])}")
        known = {name: answer[name] for name in nothing()}
        part = Part(
            stop,
            before + own.seconds,
            answer["format"],
            added(part.summary, known),
        )
        keep(part)
    part = msgspec.structs.replace(part, seconds=before)
    worst = _Worst(own, job, turn, names, asked, part)
    return (yield from worst.measured(total))


def _said(failure: dict[str, Any]) -> str:
    first = str(failure["message"]).strip().splitlines()[:1]
    return ": ".join([failure["exception"], *first])


class _Worst:
    """The worst places, with the last word of ball arithmetic on them."""

    def __init__(
        self,
        own: Own,
        job: Job,
        turn: Drawn,
        names: tuple[str, ...],
        asked: Question,
        part: Part,
    ) -> None:
        self._own, self._job, self._turn, self._names = own, job, turn, names
        self._asked, self._part = asked, part

    def measured(self, total: int) -> Measuring:
        """The measurement, and what is worth a closer look."""
        largest, truth = self._largest()
        if largest is not None:
            largest = yield from self._conditioned(largest)
        found = self._measurement(total, largest, truth)
        for place in self._part.summary["excesses"]:
            if found.excess_at is not None and place[1] <= UNITS:
                break  # nothing that is left is worth it
            worst = yield from self._conditioned(self._worst(place))
            worst = self._proved(worst)
            if worst.ball is None:
                continue
            size = worst.ulp if worst.proven is None else worst.proven
            excess = size / (1.0 + worst.ball)
            known = found.excess_ulp if found.excess_at is not None else -1.0
            tried = msgspec.structs.replace(found, excess_at=worst, excess_ulp=excess)
            if suspicious(tried):
                suspect = suspect_of(
                    self._job,
                    self._turn,
                    self._near(worst),
                    worst,
                    self._part.format,
                    is_large(tried),
                )
                tried = msgspec.structs.replace(tried, doubts=1)
                return Measured(tried, (suspect,), self._by_size())
            if excess > known:
                found = tried
        return Measured(found, (), self._by_size())

    def _by_size(self) -> dict[float, float]:
        """The largest error of results of each size that the inputs do not explain."""
        found: dict[float, float] = {}
        for size, *_, truth in self._part.summary["excesses"]:
            group = float(size_class(float(truth)))
            found[group] = max(found.get(group, 0.0), float(size))
        return found

    def _largest(self) -> tuple[Worst | None, bool]:
        """The place of the largest error, and whether it is proven to be at least that large.

        What the reference got wrong does not count: places are proven, the worst first, until one
        is worse than the reference says of all that are left.
        """
        best: Worst | None = None
        for place in self._part.summary["largest"]:
            if best is not None and _size(best) >= place[0]:
                break
            worst = self._proved(self._worst(place))
            if best is None or _size(worst) > _size(best):
                best = worst
        return best, best is not None and best.proven is not None

    def _worst(self, place: _Place) -> Worst:
        _, units, inputs, answer, truth = place
        numbers = dict(zip(self._names, map(float, inputs), strict=True))
        return Worst(0, 0, float(answer), float(truth), float(units), numbers)

    def _near(self, worst: Worst) -> dict[str, Array]:
        shapes = {item.name: item.shape for item in self._turn.case.graph.inputs}
        return {name: np.full(shapes[name], worst.inputs[name]) for name in self._names}

    def _proved(self, worst: Worst) -> Worst:
        if family_of(self._job.operator.op).exact:
            return worst
        near = self._near(worst)
        return proved(self._job, self._turn, near, worst, [True], self._part.format)

    def _conditioned(self, worst: Worst) -> Any:
        """With what rounding of the inputs explains."""
        near = self._near(worst)
        answer = yield from self._own.waited(self._asked.condition(near, 0, [True]))
        if isinstance(answer, Death) or answer["status"] != "ok" or answer["ball"] is None:
            return worst
        step = float(unit(worst.truth, self._part.format))
        return msgspec.structs.replace(
            worst, condition=worst.condition or answer["condition"], ball=answer["ball"] / step
        )

    def _measurement(self, total: int, largest: Worst | None, proven: bool) -> Measurement:
        found, job = self._part.summary, self._job
        whole = Whole(
            of="numbers" if len(self._names) == 1 else "pairs",
            total=total,
            measured=found["measured"],
            within_half=found["half"],
            within_one=found["one"],
            within_two=found["two"],
            lost=found["lost"],
            lost_at=_special(found["lost_at"]),
            defined=found["defined"],
            defined_at=_special(found["defined_at"]),
            turns=found["turns"],
            turn_at=found["turn_at"],
            at_hex=() if largest is None else tuple(map(float.hex, largest.inputs.values())),
        )
        size = found["units"] if largest is None else _size(largest)
        return Measurement(
            op=job.operator.op,
            label=job.operator.label,
            target=job.target.name,
            dtype=job.dtype,
            mode=job.mode,
            strategy=job.strategy,
            inputs=found["numbers"],
            max_ulp=size,
            max_abs=found["absolute"],
            max_rel=found["relative"],
            at=largest,
            condition=None if largest is None else largest.condition,
            formats=(self._part.format,),
            shape=self._turn.tensors[0].shape,
            params=dict(self._turn.case.graph.nodes[0].params),
            special=found["lost"],
            flushed=found["flushed"],
            unknown=found["unknown"],
            truth="balls" if proven else "reference",
            whole=whole,
            cpu_seconds=self._part.seconds + self._own.seconds,
        )


def _size(worst: Worst) -> float:
    return worst.ulp if worst.proven is None else worst.proven


def _special(place: list[Any] | None) -> Special | None:
    if place is None:
        return None
    inputs, answer, truth = place
    return Special(tuple(map(float, inputs)), float(answer), float(truth))
