"""The supervisor: two workers per target, and nothing that can stall it.

Each target has an *active* worker that takes the trials of a hunt, and a
*standby* that is warm already: it confirms findings meanwhile, and takes over
the moment the active one dies. A library that crashes costs milliseconds, not
the seconds its import takes.
"""

import itertools
import re
import select
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal

from assay.execute.limits import Limits
from assay.execute.worker import Death, Hello, StartFailure, Worker
from assay.targets import Target

#: A worker's answer to a request, or why there is none.
Answer = dict[str, Any] | Death | StartFailure
Lane = Literal["active", "standby"]
#: Told of a target whose worker was replaced or given up: name, deaths by cause, message.
OnChange = Callable[[str, dict[str, int], str], None]

#: Consecutive failures to start after which a target is given up.
_START_ATTEMPTS = 3
#: How often the loop looks at deadlines when nothing arrives.
_TICK_SECONDS = 0.25


class _Slot:
    """A target's workers and what waits for them."""

    def __init__(self, target: Target, limits: Limits) -> None:
        self.target = target
        self.limits = limits
        self.workers: dict[Lane, Worker | None] = {"active": None, "standby": None}
        self.at_work: dict[Lane, Hashable] = {"active": None, "standby": None}
        self.queue: deque[tuple[Hashable, dict[str, Any]]] = deque()
        self.hello: Hello | None = None
        self.deaths: Counter[str] = Counter()
        self.failed_starts = 0
        self.given_up: StartFailure | None = None
        self.startup_cpu_seconds = 0.0

    def spawn(self, lane: Lane) -> None:
        try:
            self.workers[lane] = Worker(self.target, self.limits)
        except OSError as error:
            self.workers[lane] = None
            self.failed_starts = _START_ATTEMPTS
            self.given_up = StartFailure(f"cannot start {self.target.python!r}: {error.strerror}")


class Supervisor:
    """Owns all worker processes. Use as a context manager, from one thread.

    Answers to ``submit`` come from ``completed`` in the order they arrive.
    """

    def __init__(
        self,
        targets: Sequence[Target],
        limits: Limits | None = None,
        standbys: bool = True,
        on_change: OnChange | None = None,
    ) -> None:
        self._slots = {target.name: _Slot(target, limits or Limits()) for target in targets}
        self._standbys = standbys
        self._on_change = on_change or (lambda name, deaths, message: None)
        self._answers: deque[tuple[Hashable, Answer]] = deque()
        self._ids = itertools.count()
        self._started = False

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def start(self) -> dict[str, Hello | StartFailure]:
        """Start every target and wait until each is ready or given up."""
        for slot in self._slots.values():
            slot.spawn("active")
        while any(slot.hello is None and slot.given_up is None for slot in self._slots.values()):
            self._pump(_TICK_SECONDS)
        # Only now, so that they do not take the actives' CPU.
        self._started = True
        for slot in self._slots.values():
            self._replenish(slot)
        return {
            name: slot.given_up or slot.hello or StartFailure("did not start")
            for name, slot in self._slots.items()
        }

    def available(self, target: str) -> bool:
        """Can this target still answer?"""
        return self._slots[target].given_up is None

    def deaths(self, target: str) -> dict[str, int]:
        """Deaths of this target's workers so far, by cause."""
        return dict(self._slots[target].deaths)

    def startup_cpu_seconds(self) -> float:
        """CPU time spent on importing libraries, over all workers so far."""
        return sum(slot.startup_cpu_seconds for slot in self._slots.values())

    def waiting(self, target: str) -> int:
        """How many submitted requests the target has not answered."""
        slot = self._slots[target]
        return len(slot.queue) + (slot.at_work["active"] is not None)

    def submit(self, key: Hashable, target: str, request: dict[str, Any]) -> None:
        """Queue a request for the target's active worker."""
        slot = self._slots[target]
        if slot.given_up is not None:
            self._answers.append((key, slot.given_up))
            return
        slot.queue.append((key, request))
        self._dispatch(slot)

    def completed(self, timeout: float) -> list[tuple[Hashable, Answer]]:
        """Answers that arrived; waits up to ``timeout`` seconds for the first."""
        end = time.monotonic() + timeout
        while not self._answers:
            remaining = end - time.monotonic()
            if remaining < 0:
                break
            self._pump(min(remaining, _TICK_SECONDS))
        answers = list(self._answers)
        self._answers.clear()
        return answers

    def ask(self, target: str, request: dict[str, Any]) -> Answer:
        """The standby's answer to a request (the active's, without standbys). Waits for it."""
        return self.ask_all({target: request})[target]

    def ask_all(self, requests: Mapping[str, dict[str, Any]]) -> dict[str, Answer]:
        """The answers of several targets' standbys, which work at the same time."""
        lane: Lane = "standby" if self._standbys else "active"
        unsent = dict(requests)
        asked: dict[Hashable, str] = {}
        answers: dict[str, Answer] = {}
        while True:
            for target in list(unsent):
                slot = self._slots[target]
                if slot.given_up is not None:
                    answers[target] = slot.given_up
                    del unsent[target]
                elif self._idle(slot, lane):
                    sent = object()
                    asked[sent] = target
                    self._send(slot, lane, sent, unsent.pop(target))
            for position in reversed(range(len(self._answers))):
                key, answer = self._answers[position]
                if key in asked:
                    answers[asked[key]] = answer
                    del self._answers[position]
            if len(answers) == len(requests):
                return {target: answers[target] for target in requests}
            self._pump(_TICK_SECONDS)

    def close(self) -> None:
        """Kill every worker."""
        for slot in self._slots.values():
            for lane, worker in slot.workers.items():
                if worker is not None:
                    worker.bury("closed")
                    slot.workers[lane] = None

    # The loop ---------------------------------------------------------------

    def _idle(self, slot: _Slot, lane: Lane) -> bool:
        worker = slot.workers[lane]
        return worker is not None and worker.ready and not worker.busy

    def _dispatch(self, slot: _Slot) -> None:
        """Give the active worker the next request, if it is free."""
        while slot.queue and self._idle(slot, "active"):
            key, request = slot.queue.popleft()
            self._send(slot, "active", key, request)

    def _send(self, slot: _Slot, lane: Lane, key: Hashable, request: dict[str, Any]) -> None:
        worker = slot.workers[lane]
        if worker is not None and worker.exited():
            # It died in its sleep: not this request's doing.
            self._died(slot, lane, worker.bury())
            while not self._idle(slot, lane) and slot.given_up is None:
                self._pump(_TICK_SECONDS)
            worker = slot.workers[lane]
        if worker is None or slot.given_up is not None:
            failure = slot.given_up or StartFailure(f"{slot.target.name} has no {lane} worker")
            self._answers.append((key, failure))
            return
        slot.at_work[lane] = key
        death = worker.send(dict(request, id=next(self._ids)))
        if death is not None:
            self._died(slot, lane, death)

    def _pump(self, timeout: float) -> None:
        """Handle whatever arrives within ``timeout`` seconds, and every deadline."""
        workers = {
            worker.fileno(): (slot, lane, worker)
            for slot in self._slots.values()
            for lane, worker in slot.workers.items()
            if worker is not None
        }
        poll = select.poll()
        for descriptor in workers:
            poll.register(descriptor, select.POLLIN | select.POLLHUP)
        events = poll.poll(timeout * 1000)
        for descriptor, _ in events:
            slot, lane, worker = workers[descriptor]
            # An earlier event may have promoted the standby or buried the worker.
            for current, holder in slot.workers.items():
                if holder is worker:
                    self._arrived(slot, current, worker)
                    break
        if not events:
            for slot, lane, worker in workers.values():
                if slot.workers[lane] is worker and worker.exited():
                    self._arrived(slot, lane, worker)
        for slot in self._slots.values():
            for lane in ("active", "standby"):
                holder = slot.workers[lane]
                if holder is not None and holder.overdue():
                    self._died(slot, lane, holder.bury("timeout"))

    def _arrived(self, slot: _Slot, lane: Lane, worker: Worker) -> None:
        message = worker.receive()
        if message is None:
            return
        if isinstance(message, Hello):
            slot.hello, slot.failed_starts = message, 0
            slot.startup_cpu_seconds += message.cpu_seconds
            self._dispatch(slot)
        elif isinstance(message, (Death, StartFailure)):
            self._died(slot, lane, message)
        else:
            key, slot.at_work[lane] = slot.at_work[lane], None
            grown = message.get("grown", 0)
            if slot.limits.retires and grown > slot.limits.memory_bytes / 2:
                # What leaks must not later look like one case's appetite.
                worker.bury("retired")
                slot.workers[lane] = None
                self._replenish(slot)
            self._answers.append((key, message))
            self._dispatch(slot)

    def _died(self, slot: _Slot, lane: Lane, ending: Death | StartFailure) -> None:
        """A worker is gone: tell whoever waits, let the standby take over, get another."""
        worker, slot.workers[lane] = slot.workers[lane], None
        was_ready = worker is not None and worker.ready
        key, slot.at_work[lane] = slot.at_work[lane], None
        if key is not None:
            self._answers.append((key, ending))
        if isinstance(ending, Death) and was_ready:
            slot.deaths[ending.cause] += 1
        else:
            self._start_failed(slot, ending)
        self._replenish(slot)
        self._on_change(slot.target.name, dict(slot.deaths), _describe(ending))

    def _start_failed(self, slot: _Slot, ending: Death | StartFailure) -> None:
        slot.failed_starts += 1
        failure = ending if isinstance(ending, StartFailure) else _death_at_start(ending)
        # What a worker says itself, a missing module or a hang (three minutes each) will not
        # change; a death may be bad luck.
        hung = isinstance(ending, Death) and ending.cause == "timeout"
        final = isinstance(ending, StartFailure) or failure.missing or hung
        if final or slot.failed_starts >= _START_ATTEMPTS:
            slot.given_up = failure
            while slot.queue:
                key, _ = slot.queue.popleft()
                self._answers.append((key, failure))

    def _replenish(self, slot: _Slot) -> None:
        """Promote the standby if there is no active worker, and start what is missing."""
        if slot.given_up is not None and slot.workers["active"] is None:
            return
        if slot.workers["active"] is None:
            standby = slot.workers["standby"]
            # A busy standby is answering a question; it stays until it has.
            if standby is not None and slot.at_work["standby"] is None:
                slot.workers["active"], slot.workers["standby"] = standby, None
                self._dispatch(slot)  # before the spawn: a new case should not wait for it
            else:
                slot.spawn("active")
        if self._standbys and self._started and slot.workers["standby"] is None:
            slot.spawn("standby")


def _death_at_start(death: Death) -> StartFailure:
    """A worker that died before it could say why: its last words may tell."""
    last = death.log.strip().splitlines()[-1:] if death.cause.startswith("exit") else []
    missing = re.search(r"No module named '([^']+)'", "".join(last))
    message = ": ".join([f"the worker died while starting: {death.cause}", *last])
    return StartFailure(message, missing.group(1) if missing else "", death.log)


def _describe(ending: Death | StartFailure) -> str:
    return ending.cause if isinstance(ending, Death) else ending.message
