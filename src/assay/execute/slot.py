"""The workers of one target: who takes what is asked, who is spare, who is overdue."""

import time
from collections import Counter, deque
from collections.abc import Hashable, Iterator
from typing import Any, Literal

from assay.execute.limits import Limits
from assay.execute.nursery import Nursery, possible
from assay.execute.worker import Hello, StartFailure, Worker
from assay.targets import Target

#: ``active`` takes what is submitted, ``standby`` what is asked; a ``spare`` takes the place of
#: either; ``parked`` has been at one request for so long that a spare took its place; ``fresh``
#: has never been asked anything, and ends with its first answer.
Lane = Literal["active", "standby", "spare", "parked", "fresh"]
#: What is asked of a worker, by whom, and the seconds that it may take (None: as always).
Request = tuple[Hashable, dict[str, Any], float | None]

#: A worker that needs longer for one request is parked as soon as there is a spare.
_OVERDUE_SECONDS = 2.0
#: … or a standby that is idle, though somebody may want to ask it.
_LONG_OVERDUE_SECONDS = 3.5
#: … but targets that compile often need long, and take part in few trials.
_TIMES_TO_COMPILE = 4
#: A worker that is parked for longer will hardly come back: another one is started.
_PATIENCE_SECONDS = 5.0
#: A target that died this often within a minute gets one more spare, and another.
_DEATHS_PER_SPARE = 2
_MOST_SPARES = 2
#: Processes that one target may have, parked ones included: each holds its library in memory.
_MOST_WORKERS = 6
#: … but forks share it, and of a target that hangs often many wait for their deadline.
_MOST_FORKS = 16


class Seat:
    """A worker and what it is there for. ``since`` is when it got what it is at."""

    def __init__(self, worker: Worker, lane: Lane) -> None:
        self.worker = worker
        self.lane = lane
        self.key: Hashable = None
        #: It is to end as soon as it is idle.
        self.old = False
        self.since = time.monotonic()

    @property
    def idle(self) -> bool:
        """Could it be asked something now?"""
        return self.worker.ready and not self.worker.busy

    def overdue(self, seconds: float) -> bool:
        """Has it been at one request for longer than that?"""
        return self.key is not None and time.monotonic() - self.since > seconds


class Slot:
    """A target's workers and what waits for them. ``standbys``: more than the active one."""

    def __init__(self, target: Target, limits: Limits, standbys: bool) -> None:
        self.target = target
        self.limits = limits
        self.standbys = standbys
        self.seats: list[Seat] = []
        self.queues: dict[Lane, deque[Request]] = {
            "active": deque(),
            "standby": deque(),
            "fresh": deque(),
        }
        self.hello: Hello | None = None
        self.deaths: Counter[str] = Counter()
        self.failed_starts = 0
        self.given_up: StartFailure | None = None
        self._startup_cpu_seconds = 0.0
        self._nursery: Nursery | None = None
        #: Only the active worker until the target has started: others would take its CPU.
        self.started = False
        self._died: deque[float] = deque(maxlen=_DEATHS_PER_SPARE * _MOST_SPARES)

    def seat(self, lane: Lane) -> Seat | None:
        """Who holds this place."""
        return next((seat for seat in self.seats if seat.lane == lane), None)

    def server(self, lane: Lane) -> Seat | None:
        """Who takes what waits there: while the standby still starts, the active one does all."""
        if lane == "fresh":
            unasked = [seat for seat in self.seats if seat.lane == "fresh" and seat.key is None]
            return next((seat for seat in unasked if seat.idle), None)
        holder = self.seat(lane)
        starting = holder is None or not holder.worker.ready
        return self.seat("active") if lane == "standby" and starting else holder

    def died(self, cause: str) -> None:
        """Count a death."""
        self.deaths[cause] += 1
        self._died.append(time.monotonic())

    def place(self) -> None:
        """Fill the places that are empty, and take those of whoever is overdue."""
        for lane in self._places():
            holder = self.seat(lane)
            if holder is not None and holder.key is not None:
                if self.queues[lane] and holder.overdue(_OVERDUE_SECONDS * self._times):
                    found = self._spare(lane, ready=True)
                    if found is not None and self._may_take(found, holder):
                        holder.lane, found.lane = "parked", lane
            elif holder is None or not holder.worker.ready:
                # Nobody is there, or is still starting: who is ready comes first.
                found = self._spare(lane, ready=holder is not None)
                if found is not None:
                    found.lane = lane
                    if holder is not None:
                        holder.lane = "spare"

    @property
    def _times(self) -> int:
        return _TIMES_TO_COMPILE if self.target.compiles else 1

    def _may_take(self, found: Seat, holder: Seat) -> bool:
        """May it take the holder's place now? Explanations must not starve, nor the trials."""
        free = found.lane == "spare" or not self.queues["standby"]
        return free or holder.overdue(_LONG_OVERDUE_SECONDS * self._times)

    def replenish(self) -> None:
        """Start the workers that are missing."""
        while self.given_up is None and self._missing():
            self._spawn()
        unasked = sum(seat.lane == "fresh" and seat.key is None for seat in self.seats)
        for _ in range(len(self.queues["fresh"]) - unasked):
            if self.given_up is None:
                self._spawn(fresh=True)

    def renew(self) -> list[Seat]:
        """Whoever is idle and is to end, so that others take their places; the rest will end
        with its answer. What a library was asked may have left it in a state of its own."""
        for seat in self.seats:
            seat.old = True
        return [seat for seat in self.seats if seat.idle and seat.key is None]

    def _spare(self, lane: Lane, ready: bool) -> Seat | None:
        """Who may take a place; the standby if need be, while nobody waits for its answer."""
        able = [
            seat
            for seat in self.seats
            if seat.key is None
            and (seat.lane == "spare" or (lane == "active" and seat.lane == "standby"))
            and (seat.idle or not ready)
        ]
        return min(able, key=lambda seat: (not seat.idle, seat.lane == "standby"), default=None)

    def _missing(self) -> bool:
        present = sum(seat.lane != "fresh" and not self._lost(seat) for seat in self.seats)
        most = _MOST_WORKERS if self._nursery is None else _MOST_FORKS
        return present < self._wanted() and len(self.seats) < most

    def _lost(self, seat: Seat) -> bool:
        """Will it hardly come back? A slow machine is no reason to start more on it."""
        patience = _PATIENCE_SECONDS * self._times
        stuck = seat.lane == "standby" and bool(self.queues["standby"])
        return seat.overdue(patience) and (seat.lane == "parked" or stuck)

    def _wanted(self) -> int:
        if not (self.standbys and self.started):
            return 1
        recent = sum(time.monotonic() - moment < 60 for moment in self._died)
        return 2 + min(_MOST_SPARES, recent // _DEATHS_PER_SPARE)

    def _spawn(self, fresh: bool = False) -> None:
        try:
            worker = Worker(self.target, self.limits, self._bearing())
        except OSError as error:
            self.given_up = StartFailure(f"cannot start {self.target.python!r}: {error.strerror}")
            return
        empty: list[Lane] = [lane for lane in self._places() if self.seat(lane) is None]
        lane: Lane = "fresh" if fresh else empty[0] if empty else "spare"
        self.seats.append(Seat(worker, lane))

    def _bearing(self) -> Nursery | None:
        """Where its workers come from, if there will be several."""
        if not self.standbys or not possible(self.target):
            return None
        if self._nursery is None or not self._nursery.alive:
            self._forget_nursery()
            self._nursery = Nursery(self.target, self.limits)
        return self._nursery

    def _forget_nursery(self) -> None:
        if self._nursery is not None:
            self._nursery.close()
            self._startup_cpu_seconds += self._nursery.cpu_seconds
            self._nursery = None

    def greeted(self, hello: Hello) -> None:
        """A worker is ready."""
        self.hello, self.failed_starts = hello, 0
        self._startup_cpu_seconds += hello.cpu_seconds

    @property
    def startup_cpu_seconds(self) -> float:
        """CPU time spent on importing the library and on starting, over all workers so far."""
        importing = 0.0 if self._nursery is None else self._nursery.cpu_seconds
        return self._startup_cpu_seconds + importing

    def processes(self) -> list[int]:
        """The ids of all its processes that are known."""
        own = [] if self._nursery is None else [self._nursery.pid]
        return [*own, *(seat.worker.pid for seat in self.seats if seat.worker.pid)]

    def close(self) -> None:
        """Kill every process."""
        for seat in self.seats:
            seat.worker.bury("closed")
        self.seats.clear()
        self._forget_nursery()

    def _places(self) -> tuple[Lane, ...]:
        return ("active", "standby") if self.standbys and self.started else ("active",)

    def returned(self, seat: Seat) -> bool:
        """Whoever was parked has answered: may it stay, as a spare? Else it is to be ended."""
        others = sum(other.lane not in ("parked", "fresh") for other in self.seats)
        seat.lane = "spare"
        return others <= self._wanted()  # one more than enough: it is warm, the next may not be

    def waiting(self) -> Iterator[Hashable]:
        """Whoever waits for an answer that no worker has begun; they are forgotten."""
        for queue in self.queues.values():
            while queue:
                yield queue.popleft()[0]
