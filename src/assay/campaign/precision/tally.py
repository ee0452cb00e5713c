"""What a measurement has found so far: the largest errors, and where they are."""

from typing import Any

import msgspec
import numpy as np

from assay.campaign.precision.asking import Question
from assay.campaign.precision.curves import Curve
from assay.campaign.precision.job import Job
from assay.campaign.precision.request import Request
from assay.campaign.precision.suspects import size_class
from assay.ir import Array
from assay.ir.precision import Measurement, Worst
from assay.search import Inputs
from assay.sources.precision import Drawn
from assay_worker.precision.formats import unit

#: Errors of which the input is kept, and the array of a worker's answer that says how large.
_KEPT = {"units": "units", "excess": "excess", "special": "special"}
#: Errors of so many units that the input does not explain are kept beside the largest, one for
#: results of each size: an op that is inexact at some numbers may be wrong at others. So many of
#: them are looked at.
_WORTH, _FURTHER = 3.0, 6
_QUANTILES = (0.0, 0.25, 0.5, 0.75, 0.99, 1.0)


class Record(msgspec.Struct, frozen=True):
    """The largest error of a kind: the input as it came, and how to ask about it again."""

    size: float
    index: int
    place: int
    elements: int
    answer: float
    truth: float
    ulp: float
    unit: float
    largest: float
    inputs: dict[str, Array]
    question: Question
    drawn: Drawn
    measured: list[bool]


class Tally:
    """Adds up the answers to populations."""

    def __init__(self, curve: bool = False) -> None:
        self._curve = Curve() if curve else None
        self.records: dict[str, Record] = {}
        self._further: dict[float, Record] = {}
        self._question: Question
        self._drawn: Drawn
        self._linf: list[Array] = []
        self._groups: list[list[float]] = []
        self._largest = {"relative": 0.0, "linf": 0.0, "mean": 0.0}
        self._counts = {"special": 0, "flushed": 0, "raised": 0, "unknown": 0}
        self._inputs = 0
        self._formats: set[str] = set()
        self._failure = ""
        self._backward: float | None = None

    def begin(self, question: Question, drawn: Drawn) -> None:
        """A new group of inputs, of this call."""
        self._question, self._drawn = question, drawn
        self._groups.append([0.0, 0.0])

    def add(self, inputs: Inputs, answer: dict[str, Any], start: int, count: int) -> None:
        """The answer to a population whose first input has this number."""
        self._inputs += count
        if answer.get("backward") is not None:
            known = answer["backward"][np.isfinite(answer["backward"])]
            self._backward = max(self._backward or 0.0, float(known.max(initial=0.0)))
        if answer["status"] == "unknown":
            self._counts["unknown"] += count
            return
        if answer["status"] != "ok":
            self._counts["raised"] += count
            self._failed(answer["failure"])
            return
        ran = np.flatnonzero(answer["ran"])
        self._counts["raised"] += answer["raised"]
        self._counts["unknown"] += count - len(ran) - answer["raised"]
        if answer["failure"] is not None:
            self._failed(answer["failure"])
        for name in ("special", "flushed"):
            self._counts[name] += int(answer[name].sum())
        self._formats |= set(answer["formats"])
        self._linf.append(answer["linf"])
        group = self._groups[-1]
        group[0] = max(group[0], float(answer["linf"].max(initial=0.0)))
        group[1] = max(group[1], float(answer["mean"].max(initial=0.0)))
        for name in self._largest:
            self._largest[name] = max(self._largest[name], float(answer[name].max(initial=0.0)))
        if self._curve is not None:
            self._curve.add(inputs, answer, ran)
        for kind, score in _KEPT.items():
            self._keep(kind, answer[score], inputs, answer, ran, start)

    def _failed(self, failure: dict[str, Any]) -> None:
        first = str(failure["message"]).strip().splitlines()[:1]
        self._failure = self._failure or ": ".join([failure["exception"], *first])

    def by_size(self) -> dict[float, float]:
        """The largest errors of results of each size that inputs do not explain."""
        return {size: record.size for size, record in self._further.items()}

    def worst(self) -> list[Record]:
        """The largest errors that inputs do not explain: the largest, and those at other sizes."""
        first = self.records.get("excess")
        rest = sorted(self._further.values(), key=lambda record: -record.size)
        others = [record for record in rest if first is None or record.index != first.index]
        return [] if first is None else [first, *others[:_FURTHER]]

    def _keep(
        self,
        kind: str,
        sizes: Array,
        inputs: Inputs,
        answer: dict[str, Any],
        ran: Array,
        start: int,
    ) -> None:
        if not sizes.size or not answer["elements"]:
            return
        best = self.records.get(kind)
        row = int(np.argmax(sizes))
        if sizes[row] > (best.size if best is not None else 0.0):
            self.records[kind] = self._record(kind, row, sizes, inputs, answer, ran, start)
        if kind != "excess":
            return
        truths = np.asarray(answer["truths"][kind])
        places = size_class(truths)
        worth = np.flatnonzero(sizes > _WORTH)
        for row in worth[np.argsort(-sizes[worth], kind="stable")]:
            known = self._further.get(float(places[row]))
            if known is None or sizes[row] > known.size:
                found = self._record(kind, int(row), sizes, inputs, answer, ran, start)
                self._further[float(places[row])] = found

    def _record(
        self,
        kind: str,
        row: int,
        sizes: Array,
        inputs: Inputs,
        answer: dict[str, Any],
        ran: Array,
        start: int,
    ) -> Record:
        place = int(answer["places"][kind][row])
        given, truth = (float(answer[name][kind][row]) for name in ("answers", "truths"))
        step = float(unit(truth, answer["formats"][0])) if truth == truth else float("nan")
        own = int(ran[row])
        with np.errstate(all="ignore"):
            apart = abs(given - truth) / step
        return Record(
            size=float(sizes[row]),
            index=start + own,
            place=place,
            elements=int(answer["elements"]),
            answer=given,
            truth=truth,
            ulp=float(apart),
            unit=step,
            largest=float(answer["largest"][row]),
            inputs={name: array[own].copy() for name, array in inputs.items()},
            question=self._question,
            drawn=self._drawn,
            measured=list(answer["measured"]),
        )

    def ended(self, job: Job, request: Request, seconds: float, cause: str) -> Measurement:
        """What is known when the process died of an input."""
        self._failure = f"the process ended: {cause}"
        return self.measurement(job, request, seconds, {})

    def measurement(
        self, job: Job, request: Request, seconds: float, worst: dict[str, Worst]
    ) -> Measurement:
        """The measurement of a job."""
        units, excess = self.records.get("units"), self.records.get("excess")
        at = worst.get("units")
        every = np.concatenate(self._linf) if self._linf else np.zeros(0)
        return Measurement(
            op=job.operator.op,
            label=job.operator.label,
            target=job.target.name,
            dtype=job.dtype,
            mode=job.mode,
            strategy=job.strategy,
            stage=job.stage,
            measure=request.measure,
            inputs=self._inputs,
            max_ulp=units.size if units else 0.0,
            max_abs=self._largest["linf"],
            max_rel=self._largest["relative"],
            max_mean=self._largest["mean"],
            at=at,
            condition=None if at is None else at.condition,
            excess_ulp=excess.size if excess else 0.0,
            excess_at=worst.get("excess"),
            formats=tuple(sorted(self._formats)),
            shape=self._drawn.tensors[0].shape,
            params=dict(self._drawn.case.graph.nodes[0].params),
            groups=tuple(group[0] for group in self._groups),
            group_means=tuple(group[1] for group in self._groups),
            quantiles=tuple(map(float, np.quantile(every, _QUANTILES))) if every.size else (),
            special=self._counts["special"],
            special_at=worst.get("special"),
            flushed=self._counts["flushed"],
            raised=self._counts["raised"],
            unknown=self._counts["unknown"],
            failure=self._failure,
            cpu_seconds=seconds,
            backward=self._backward,
            curve=() if self._curve is None else self._curve.points(),
        )
