"""One measurement: populations are asked of a strategy, measured on a target, and told."""

import time
from collections.abc import Generator, Mapping
from typing import Any

import msgspec
import numpy as np

from assay.campaign.precision.asking import Question, question
from assay.campaign.precision.elsewhere import Elsewhere, is_elsewhere
from assay.campaign.precision.gradients import compared, gradient_worst, shares_of
from assay.campaign.precision.job import Job, Lacking
from assay.campaign.precision.proving import proved
from assay.campaign.precision.request import Request
from assay.campaign.precision.suspects import (
    Measured,
    Suspect,
    doubtful,
    is_large,
    suspect_of,
    suspicious,
    within,
)
from assay.campaign.precision.tally import Record, Tally
from assay.execute import Answer, Death, StartFailure, TargetLost, internal_error
from assay.ir import Array, derive
from assay.ir.precision import Grown, Measurement, Tolerance, Truth, Worst
from assay.judge.allowance import family_of
from assay.judge.precise import UNITS
from assay.libraries import everything
from assay.search import Inputs, Scores, Space, Strategy, create
from assay.sources.precision import Drawn, drawn
from assay.targets import Target
from assay_worker.precision.formats import flushes, rounded

#: Numbers and inputs of a population at most: strategies learn after each.
_NUMBERS, _INPUTS = 1 << 16, 250
#: Results and inputs of so many numbers are enclosed, whatever the error.
_FEW = 4096
#: So many inputs are executed again and again.
_REPEATED = 250
#: Tensors of so many numbers are told whole.
_TOLD = 64


#: Gives requests, gets their answers, and returns what was measured.
Measuring = Generator[dict[str, Any], Answer, Measured]


class Own:
    """CPU seconds of the host and of workers, without what the host does meanwhile."""

    def __init__(self, target: Target) -> None:
        self.seconds = 0.0
        self._elsewhere = Elsewhere() if is_elsewhere(target) else None
        self._since = time.thread_time()

    def waited(self, asked: dict[str, Any]) -> Generator[dict[str, Any], Answer, Any]:
        """The answer to a request; what the host does while it waits is not counted."""
        if self._elsewhere is not None:
            here = self._elsewhere.answered(asked)
            if here is not None:
                return here
            asked = self._elsewhere.told(asked)
        self.seconds += time.thread_time() - self._since
        answer = yield asked
        self._since = time.thread_time()
        if isinstance(answer, StartFailure):
            raise TargetLost(answer.message)
        if isinstance(answer, Death):
            return answer
        if "internal" in answer:
            raise internal_error("precision", answer["internal"])
        self.seconds += answer["cpu_seconds"]
        return answer


def measuring(job: Job, request: Request) -> Measuring:
    """Measure: ``Lacking`` or ``Untold`` if the target cannot be asked."""
    own = Own(job.target)
    seed = derive(request.seed, job.operator.label)
    turn = drawn(everything()[job.operator.op], job.operator.wishes, seed)
    space = _space(turn, job.dtype, job.operator.box or request.box)
    search = create(job.strategy, space, derive(seed, job.dtype, job.mode), request.settings)
    wider = yield from _wider(own, job, request, turn, space)
    tally, done = Tally(request.curves), 0
    for group in range(request.groups):
        if group and job.operator.wishes.varied:
            turn = _redrawn(job, seed, group, turn)
        asked = question(turn, job.target, job.dtype, job.computes, wider)
        tally.begin(asked, turn)
        end = request.inputs * (group + 1) // request.groups
        size = _population(space, end - done)
        while done < end:
            inputs = search.ask(min(size, end - done))
            answer = yield from _errors(own, job, turn, asked, inputs)
            if isinstance(answer, Death):
                return Measured(tally.ended(job, request, own.seconds, answer.cause))
            if answer["status"] == "lacking":
                raise Lacking(f"{job.target.name} {answer['message']}")
            count = len(next(iter(inputs.values())))
            tally.add(inputs, answer, done, count)
            _tell(search, inputs, answer, count)
            done += count
    worst = {}
    for kind, record in tally.records.items():
        worst[kind] = yield from _worst(own, job, record, kind != "special")
    found = tally.measurement(job, request, own.seconds, worst)
    if job.stage == "gradient":
        found = msgspec.structs.replace(found, truth="balls")
    if request.tolerances and found.formats:
        found = yield from _granted(own, job, asked, found)
    if request.repeat and job.stage == "forward":
        found = yield from _repeated(own, job, request, asked, space, found)
    if request.measure != "truth":
        return Measured(found)
    found = _proved(job, tally.records.get("excess"), found)
    suspects = yield from _suspects(own, job, tally, found)
    measurement = msgspec.structs.replace(found, doubts=len(suspects), cpu_seconds=own.seconds)
    return Measured(measurement, suspects, tally.by_size())


def _suspects(
    own: Own, job: Job, tally: Tally, found: Measurement
) -> Generator[dict[str, Any], Answer, tuple[Suspect, ...]]:
    """The worst inputs of each size of results that may show a fault, and one that gives NaN."""
    chosen = []
    for place, record in enumerate(tally.worst()):
        if place:
            at = yield from _worst(own, job, record, True)
            found = _proved(job, record, msgspec.structs.replace(found, excess_at=at))
        if suspicious(found) and not _small(found, record):
            chosen.append(_suspect(job, record, found.excess_at, found, is_large(found)))
    special = tally.records.get("special")
    if special is not None and not family_of(found.op).exact:
        chosen.append(_suspect(job, special, found.special_at, found, True))
    return tuple(chosen)


def _suspect(
    job: Job, record: Record, worst: Worst | None, found: Measurement, large: bool
) -> Suspect:
    assert worst is not None  # there is a record of it
    near = _near(record.inputs, job.dtype)
    return suspect_of(job, record.drawn, near, worst, found.formats[0], large)


def _small(found: Measurement, record: Record) -> bool:
    """Is the error small beside the largest result of the input?"""
    worst = found.excess_at
    assert worst is not None  # as it is suspicious
    family = family_of(found.op)
    units = UNITS if worst.proven is None or family.proven is None else family.proven
    return within(worst, record.largest, found.formats[0], units)


def _proved(job: Job, record: Record | None, found: Measurement) -> Measurement:
    """With proven errors, where results are few or the error is worth it."""
    worst = found.excess_at
    if record is None or worst is None or len(found.formats) != 1 or family_of(found.op).exact:
        return found
    if job.stage == "gradient":
        return found  # as it is held against balls
    numbers = record.elements + sum(array.size for array in record.inputs.values())
    if numbers > _FEW and not doubtful(found):
        return found
    near = _near(record.inputs, job.dtype)
    worst = proved(job, record.drawn, near, worst, record.measured, found.formats[0])
    truth: Truth = "reference" if worst.proven is None else "balls"
    return msgspec.structs.replace(found, excess_at=worst, truth=truth)


def _errors(
    own: Own, job: Job, turn: Drawn, asked: Question, inputs: Inputs
) -> Generator[dict[str, Any], Answer, Any]:
    """The errors of a population, as a worker tells them."""
    if job.stage == "forward":
        return (yield from own.waited(asked.measure(inputs)))
    shares = shares_of(job, turn)
    answer = yield from own.waited(asked.gradients(inputs, shares))
    if isinstance(answer, Death) or answer["status"] != "ok":
        return answer
    return compared(job, turn, _near(inputs, job.dtype), answer, shares)


def _repeated(
    own: Own, job: Job, request: Request, asked: Question, space: Space, found: Measurement
) -> Generator[dict[str, Any], Answer, Measurement]:
    """With the growth of the error over executions, on standard normal inputs."""
    seed = derive(request.seed, job.operator.label, "repeat")
    inputs = create("random", space, seed, request.settings).ask(_REPEATED)
    answer = yield from own.waited(asked.repeated(inputs, request.repeat))
    if isinstance(answer, Death) or answer["status"] != "ok":
        stopped = answer.cause if isinstance(answer, Death) else _why(answer)
        return msgspec.structs.replace(found, growth_stopped=stopped)
    growth = tuple(Grown(place, **told) for place, told in enumerate(answer["growth"], 1))
    return msgspec.structs.replace(found, growth=growth, cpu_seconds=own.seconds)


def _granted(
    own: Own, job: Job, asked: Question, found: Measurement
) -> Generator[dict[str, Any], Answer, Measurement]:
    """With the tolerance of the library's own tests."""
    dtype = found.formats[0]
    answer = yield from own.waited(asked.tolerance(job.target.library, dtype))
    if isinstance(answer, Death) or answer["status"] != "ok":
        why = f"{job.target.name}: its tolerances could not be read"
        return msgspec.structs.replace(found, tolerance=Tolerance(why=why))
    facts = {name: answer[name] for name in ("rtol", "atol", "source", "why") if name in answer}
    granted = Tolerance(**facts)
    if not granted.why:
        shares = [
            abs(worst.answer - worst.truth) / (granted.atol + granted.rtol * abs(worst.truth))
            for worst in (found.at, found.excess_at)
            if worst is not None and np.isfinite(worst.answer) and np.isfinite(worst.truth)
        ]
        granted = msgspec.structs.replace(granted, used=max(shares, default=None))
    return msgspec.structs.replace(found, tolerance=granted)


def _why(answer: dict[str, Any]) -> str:
    if "failure" in answer:
        return str(answer["failure"]["message"]).strip().partition("\n")[0]
    return str(answer["message"])


def _wider(
    own: Own, job: Job, request: Request, turn: Drawn, space: Space
) -> Generator[dict[str, Any], Answer, str]:
    """The format of what answers are held against as published: the widest that the target has.

    "" if they are held against the truth.
    """
    if request.measure == "truth":
        return ""
    some = space.split(np.full((1, space.size), 0.5))
    for wider in ("float64", "float32"):
        asked = question(turn, job.target, job.dtype, job.computes, wider)
        answer = yield from own.waited(asked.measure(some))
        if isinstance(answer, Death) or answer["status"] != "lacking":
            return wider
    raise Lacking(f"{job.target.name} {answer['message']}")


def _space(first: Drawn, dtype: str, box: float | None) -> Space:
    tensors = first.tensors
    if box is not None:
        tensors = tuple(
            msgspec.structs.replace(item, low=max(item.low, -box), high=min(item.high, box))
            for item in tensors
        )
    return Space(tensors, dtype)


def _population(space: Space, group: int) -> int:
    """Inputs at a time: shapes stay the same within a group, which libraries compile for."""
    most = max(1, min(_INPUTS, _NUMBERS // max(1, space.size)))
    return -(-group // -(-group // most))


def _redrawn(job: Job, seed: int, group: int, before: Drawn) -> Drawn:
    """The call with other parameters, if it has the same tensors then."""
    found = drawn(everything()[job.operator.op], job.operator.wishes, seed, group)
    return found if found.shapes == before.shapes else before


def _tell(
    search: Strategy, inputs: Mapping[str, Array], answer: dict[str, Any], count: int
) -> None:
    """The scores; inputs on which the library failed scored nothing."""
    if answer["status"] != "ok":
        nothing = np.zeros(count)
        search.tell(inputs, Scores(nothing, nothing, nothing))
        return
    found = {}
    for name in ("linf", "mean", "excess"):
        found[name] = np.zeros(count)
        found[name][answer["ran"]] = answer[name]
    search.tell(inputs, Scores(found["linf"], answer["elements"] * found["mean"], found["excess"]))


def _worst(
    own: Own, job: Job, record: Record, explained: bool
) -> Generator[dict[str, Any], Answer, Worst]:
    """Where an error is, with what rounding of its input explains, if that is asked for."""
    near = _near(record.inputs, job.dtype)
    if job.stage == "gradient":
        return gradient_worst(job, record, near, _told(near, None))
    condition = ball = None
    alone, terms = False, 1
    if explained:
        answer = yield from own.waited(
            record.question.condition(near, record.place, record.measured)
        )
        if not isinstance(answer, Death) and answer["status"] == "ok":
            condition, ball = answer["condition"], answer["ball"]
            alone, terms = answer["alone"], answer["terms"]
    return Worst(
        index=record.index,
        place=record.place,
        answer=record.answer,
        truth=record.truth,
        ulp=record.ulp,
        inputs=_told(near, record.place if alone else None),
        condition=condition,
        ball=None if ball is None else ball / record.unit,
        terms=terms,
    )


def _near(inputs: Mapping[str, Array], dtype: str) -> dict[str, Array]:
    """The numbers as the target gets them."""
    return {name: rounded(array, dtype, flushes(dtype)) for name, array in inputs.items()}


def _told(inputs: Mapping[str, Array], place: int | None) -> dict[str, Any]:
    """The numbers at the only place that counts; else whole tensors, if they are small."""
    if place is not None:
        return {name: float(array.reshape(-1)[place]) for name, array in inputs.items()}
    return {name: array.tolist() for name, array in inputs.items() if array.size <= _TOLD}
