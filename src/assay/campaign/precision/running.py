"""All measurements of a request: targets work at the same time, each on one row after the other."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from assay.campaign.events import Event, Notice, PrecisionFinished, Progressed, TargetChanged
from assay.campaign.precision.asking import Untold
from assay.campaign.precision.findings import findings
from assay.campaign.precision.job import EXHAUSTIVE, Job, Lacking
from assay.campaign.precision.measuring import Measuring, measuring
from assay.campaign.precision.proving import ProofFault
from assay.campaign.precision.request import Request
from assay.campaign.precision.suspects import Measured, Suspect, judged_by_proof, learned_from
from assay.campaign.precision.sweeping import Part, size_of, sweeping
from assay.campaign.running.start import cannot_start
from assay.errors import AssayError, TargetError
from assay.execute import Hello, InternalWorkerError, Limits, StartFailure, Supervisor, TargetLost
from assay.ir import Finding, content_hash, from_plain, to_plain
from assay.ir.precision import LeftOut, Measurement, PrecisionResult
from assay.store import Campaign, Store, open_store

#: The technique in a campaign's configuration.
TECHNIQUE = "precision"
LIMITS = Limits(run_seconds=120.0, memory_bytes=4 << 30)

#: What ops of a pattern that are left out have in common; if every number is tried.
_SKIPPED = {
    False: "ops give no floats that can be searched",
    True: "ops are no functions of one number or two, or give no floats",
}

#: Hears events while something is waited for.
Tell = Callable[[Event], None]


def run_precision(
    request: Request,
    tell: Tell = lambda event: None,
    stop: threading.Event | None = None,
) -> Iterator[Event]:
    """Measure everything; each row is in the store when it is done, and the last event has all.

    ``tell`` hears of progress, on the same thread, between two events. Once ``stop`` is set, no
    further population is asked for, and what is not done is left to ``--resume``.
    """
    stop = stop or threading.Event()
    began = time.monotonic()
    jobs = [
        Job(operator, target, dtype, mode, strategy, stage)
        for operator in request.operators
        for target in request.targets
        for dtype in request.dtypes
        for mode in request.modes
        for stage in request.stages
        for strategy in request.strategies
    ]
    if request.skipped:
        yield Notice(f"{request.skipped} {_SKIPPED[request.exhaustive]}: left out")
    found: list[Finding] = []
    with open_store(request.store) as store:
        with Supervisor(request.targets, LIMITS, standbys=False) as pool:
            for target in request.targets:
                yield TargetChanged(target.name, "starting")
            hellos = _started(pool, request)
            versions = {name: hello.versions for name, hello in hellos.items()}
            campaign, known, parts = _campaign(store, request, jobs, versions, hellos)
            desk = _Desk(pool, request, jobs, known, parts, store, campaign)
            desk.work(tell, stop)
        # Those of a run that ended are in the store already.
        suspects = () if campaign.finished else desk.suspects()
        if suspects and not desk.open:
            tell(Progressed("explaining large errors", 0, len(suspects)))
            told = findings(
                suspects,
                request.targets,
                store,
                campaign.id,
                request.seed,
                desk.turn,
                desk.statistics(),
                tell,
                stop,
            )
            for event in told:
                found.append(event.finding)
                yield event
        if campaign.finished:
            found += store.findings(campaign.id)
        interrupted = desk.open > 0 or stop.is_set()
        seconds = time.monotonic() - began
        if not interrupted:
            store.finish_campaign(campaign.id, desk.statistics(), seconds)
    results = tuple(item for item in desk.results if item is not None)
    if not results and not interrupted:
        raise AssayError(f"nothing could be measured. {desk.left_out[0].why}.")
    yield PrecisionFinished(
        PrecisionResult(
            results=results,
            left_out=tuple(desk.left_out),
            seed=request.seed,
            seconds=seconds,
            versions=versions,
            campaign=campaign.id,
            store=request.store,
            interrupted=interrupted,
        ),
        tuple(found),
    )


def _started(pool: Supervisor, request: Request) -> dict[str, Hello]:
    """What every target said when it started; ``TargetError`` if one did not."""
    told = pool.start()
    for target in request.targets:
        answer = told[target.name]
        if isinstance(answer, StartFailure):
            raise TargetError(f"{target.name}: {cannot_start(target, answer)}")
    return {name: answer for name, answer in told.items() if isinstance(answer, Hello)}


def _config(request: Request, jobs: Sequence[Job]) -> dict[str, Any]:
    """What was asked for: two runs of one configuration measure the same."""
    settings = to_plain(request.settings)
    return {
        "techniques": [TECHNIQUE],
        "seed": request.seed,
        "targets": [target.name for target in request.targets],
        "rows": [
            [job.operator.label, job.target.name, job.dtype, job.mode, job.stage, job.strategy]
            for job in jobs
        ],
        "operators": [to_plain(item) for item in request.operators],
        "inputs": request.inputs,
        "measure": request.measure,
        "settings": settings,
        "box": request.box,
        "repeat": request.repeat,
        "curves": request.curves,
        "tolerances": request.tolerances,
    }


def _campaign(
    store: Store,
    request: Request,
    jobs: Sequence[Job],
    versions: Mapping[str, Mapping[str, str]],
    hellos: Mapping[str, Hello],
) -> tuple[Campaign, dict[int, Measurement], dict[int, Part]]:
    """The campaign, a new one or the one that is resumed; rows that are done, or begun."""
    config = _config(request, jobs)
    machines = {name: hello.machine for name, hello in hellos.items()}
    fresh = store.start_campaign
    if not request.resume:
        return fresh(request.seed, config, versions, machines), {}, {}
    found = store.find_campaign(content_hash(config))
    if found is None:
        return fresh(request.seed, config, versions, machines), {}, {}
    if {name: dict(told) for name, told in found.versions.items()} != {
        name: dict(told) for name, told in versions.items()
    }:
        raise AssayError("versions changed since that run began: run it anew, without --resume.")
    rows = found.statistics.get("rows", {})
    done = {int(row): from_plain(item, Measurement) for row, item in rows.items()}
    if not found.finished:
        # What is worth a closer look was not looked at yet: it is measured again, and so are the
        # rows that it is held against.
        again = {(item.op, item.dtype) for item in done.values() if item.doubts}
        done = {row: item for row, item in done.items() if (item.op, item.dtype) not in again}
    parts = found.statistics.get("parts", {})
    return found, done, {int(row): from_plain(item, Part) for row, item in parts.items()}


class _Desk:
    """Who works on which row, and what came of the others."""

    def __init__(
        self,
        pool: Supervisor,
        request: Request,
        jobs: Sequence[Job],
        known: Mapping[int, Measurement],
        parts: Mapping[int, Part],
        store: Store,
        campaign: Campaign,
    ) -> None:
        self.results: list[Measurement | None] = [known.get(row) for row in range(len(jobs))]
        self.left_out: list[LeftOut] = []
        self._pool, self._request, self._jobs = pool, request, jobs
        self._store, self._campaign = store, campaign
        self._waiting: dict[str, deque[int]] = {}
        for row, job in enumerate(jobs):
            if row not in known:
                self._waiting.setdefault(job.target.name, deque()).append(row)
        self._active: dict[str, tuple[int, Measuring]] = {}
        self._begun: dict[str, int] = {}
        self._parts = dict(parts)
        exhaustive = request.exhaustive
        self._sizes = [size_of(job) if exhaustive else request.inputs for job in jobs]
        self._known = sum(self._sizes[row] for row in known)
        self.turn = campaign.next_trial
        self._measured: dict[int, Measured] = {}
        self._began = time.monotonic()

    @property
    def open(self) -> int:
        """Rows that are not done."""
        return len(self._active) + sum(map(len, self._waiting.values()))

    def statistics(self) -> dict[str, Any]:
        """What the store keeps."""
        pairs = enumerate(self.results)
        found = {"rows": {str(row): to_plain(item) for row, item in pairs if item is not None}}
        parts = {str(row): to_plain(item) for row, item in self._parts.items()}
        return {**found, "parts": parts} if parts else found

    def suspects(self) -> tuple[Suspect, ...]:
        """What is beyond its budget, in the order of rows; of each row the worst first."""
        rows = sorted(self._measured.items())
        others = [(self._jobs[row], measured) for row, measured in rows]
        chosen = []
        for _, measured in rows:
            for item in measured.suspects:
                told = judged_by_proof(item, learned_from(item, others))
                chosen += [] if told is None else [told]
        return tuple(chosen)

    def work(self, tell: Tell, stop: threading.Event) -> None:
        """Until every row is done, or ``stop`` is set."""
        for name in self._waiting:
            self._next(name)
        while self._active and not stop.is_set():
            done = self._known + sum(self._begun.values())
            tell(Progressed("inputs", done, sum(self._sizes)))
            for key, answer in self._pool.completed(0.5):
                name = str(key)  # as _advance made it
                row, job = self._active[name]
                self._advance(name, row, job, answer)

    def _next(self, name: str) -> None:
        """The target's next row."""
        if not self._waiting[name]:
            return
        row = self._waiting[name].popleft()
        if self._jobs[row].strategy == EXHAUSTIVE:
            part = self._parts.get(row, Part())
            self._begun[name] = part.done
            found = sweeping(self._jobs[row], part, lambda more: self._keep(name, row, more))
        else:
            found = measuring(self._jobs[row], self._request)
        self._advance(name, row, found, None)

    def _keep(self, name: str, row: int, part: Part) -> None:
        """A block is done."""
        self._parts[row], self._begun[name] = part, part.done
        if part.done < self._sizes[row]:
            self._record()

    def _record(self) -> None:
        elapsed = time.monotonic() - self._began
        self._store.record_trial(self._campaign.id, self.turn, [], self.statistics(), elapsed)
        self.turn += 1

    def _advance(self, name: str, row: int, job: Measuring, answer: Any) -> None:
        """Let a row go on to its next request, or to its end."""
        try:
            asked = job.send(answer)
        except StopIteration as ended:
            self._finished(row, ended.value)
        except Lacking as error:
            self._leave_out(row, str(error))
        except Untold as error:
            self._leave_out(row, f"not on {name}: {error}")
        except TargetLost as error:
            raise TargetError(f"{name}: {error}") from None
        except (InternalWorkerError, ProofFault) as error:
            line = str(error).partition("\n")[0]
            self._leave_out(row, f"by a fault of Assay's own: {line}", fault=True)
        else:
            self._active[name] = row, job
            if asked["step"] == "measure":
                count = len(next(iter(asked["inputs"].values())))
                most = self._sizes[row]
                self._begun[name] = min(most, self._begun.get(name, 0) + count)
            self._pool.submit(name, name, asked)
            return
        self._active.pop(name, None)
        self._begun.pop(name, None)
        self._next(name)

    def _finished(self, row: int, found: Measured) -> None:
        self.results[row] = found.measurement
        self._measured[row] = found
        self._known += self._sizes[row]
        self._record()

    def _leave_out(self, row: int, why: str, fault: bool = False) -> None:
        job = self._jobs[row]
        self._known += self._sizes[row]
        told = LeftOut(job.operator.op, job.target.name, job.dtype, why, fault)
        if told not in self.left_out:
            self.left_out.append(told)
