"""The supervisor: a few workers per target, and nothing that can stall it.

Each target has an *active* worker that takes the trials of a hunt, and a
*standby* that is warm already: it confirms findings meanwhile, and takes over
the moment the active one dies, or needs too long. A library that crashes costs
milliseconds, not the seconds its import takes. What needs long is answered when
it is done, or at its deadline; the rest does not wait for it.
"""

import itertools
import os
import re
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from assay.execute.limits import Limits
from assay.execute.scratch import sweep
from assay.execute.slot import Lane, Seat, Slot
from assay.execute.worker import Death, Hello, StartFailure
from assay.targets import Target

#: A worker's answer to a request, or why there is none.
Answer = dict[str, Any] | Death | StartFailure
#: Told of a target whose worker was replaced or given up: name, deaths by cause, message.
OnChange = Callable[[str, dict[str, int], str], None]
#: Hears the names of targets that have not answered.
OnWait = Callable[[tuple[str, ...]], None]

#: A request of any thread, and where its answer goes.
_Asked = tuple[Lane, str, dict[str, Any], float | None, "Future[Answer]"]

#: Consecutive failures to start after which a target is given up.
_START_ATTEMPTS = 3
#: Where requests wait, in the order in which they are looked at.
_LANES: tuple[Lane, ...] = ("fresh", "standby", "active")
#: How often the loop looks at deadlines when nothing arrives.
_TICK_SECONDS = 0.25


class Closed(Exception):
    """The supervisor was closed before it could answer, or its time is over."""


class Supervisor:
    """Owns all worker processes. Use as a context manager.

    One thread, the one that made it, runs it: answers to ``submit`` come from ``completed`` in
    the order they arrive. Other threads may call ``ask`` and ``ask_all``, which wait for the
    answer while that thread goes on with whatever it does with the supervisor. ``over`` is asked
    now and then; once it is true, whoever waits gets ``Closed``.
    """

    def __init__(
        self,
        targets: Sequence[Target],
        limits: Limits | None = None,
        standbys: bool = True,
        on_change: OnChange | None = None,
        over: Callable[[], bool] | None = None,
    ) -> None:
        limits = limits or Limits()
        self._slots = {target.name: Slot(target, limits, standbys) for target in targets}
        self._standbys = standbys
        self._on_change = on_change or (lambda name, deaths, message: None)
        self._over = over or (lambda: False)
        self._answers: deque[tuple[Hashable, Answer]] = deque()
        self._ids = itertools.count()
        self._thread = threading.get_ident()
        #: What other threads ask for; a byte in the pipe ends the wait for workers.
        self._asked: deque[_Asked] = deque()
        self._futures: set[Future[Answer]] = set()
        self._outworn: deque[str] = deque()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        #: Held by whoever uses that pipe or asks: nobody asks of what is closed.
        self._door = threading.Lock()
        self._closed = False

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def adopt(self) -> None:
        """From now on this thread runs it. Nobody else may use it meanwhile."""
        self._thread = threading.get_ident()

    def start(self) -> dict[str, Hello | StartFailure]:
        """Start every target and wait until each is ready or given up."""
        for _ in self.starting():
            pass
        return self.started()

    def starting(self) -> Iterator[tuple[str, ...]]:
        """Start every target, all at the same time; gives who is left whenever that changes.

        ``started`` says what became of them.
        """
        sweep()
        for slot in self._slots.values():
            slot.replenish()
        told = tuple(self._slots)
        while told:
            self._pump(_TICK_SECONDS)
            left = tuple(
                name
                for name, slot in self._slots.items()
                if slot.hello is None and slot.given_up is None
            )
            if left != told:
                told = left
                yield left
        # Only now, so that they do not take the actives' CPU.
        for slot in self._slots.values():
            slot.started = True
            slot.replenish()

    def started(self) -> dict[str, Hello | StartFailure]:
        """What every target said when it started, or why it did not."""
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

    def processes(self) -> list[int]:
        """The ids of all worker processes there are."""
        return [pid for slot in self._slots.values() for pid in slot.processes()]

    def waiting(self, target: str) -> int:
        """How many requests the target has before it, but for those it may never answer."""
        slot = self._slots[target]
        busy = sum(seat.key is not None and seat.lane != "parked" for seat in slot.seats)
        return len(slot.queues["active"]) + busy

    def submit(self, key: Hashable, target: str, request: dict[str, Any]) -> None:
        """Queue a request for the target's active worker."""
        self._enqueue("active", key, target, request, None)

    def _enqueue(
        self,
        lane: Lane,
        key: Hashable,
        target: str,
        request: dict[str, Any],
        seconds: float | None,
    ) -> None:
        slot = self._slots[target]
        if slot.given_up is not None:
            self._answered(key, slot.given_up)
            return
        slot.queues[lane].append((key, request, seconds))
        self._dispatch(slot)

    def drop(self) -> None:
        """Forget what was submitted and not begun."""
        for slot in self._slots.values():
            slot.queues["active"].clear()

    def completed(self, timeout: float) -> list[tuple[Hashable, Answer]]:
        """Answers that arrived; waits up to ``timeout`` seconds for the first.

        Ends early, with none, when another thread asked or called ``wake``.
        """
        end = time.monotonic() + timeout
        while not self._answers:
            remaining = end - time.monotonic()
            if remaining < 0 or self._pump(min(remaining, _TICK_SECONDS)):
                break
        answers = list(self._answers)
        self._answers.clear()
        return answers

    def renew(self, targets: Sequence[str]) -> None:
        """Let new workers take the places of those that there are, from any thread."""
        with self._door:
            self._outworn.extend(name for name in targets if name in self._slots)

    def wake(self) -> None:
        """End the wait of ``completed``, from any thread."""
        with self._door, suppress(BlockingIOError):  # full of them, it will wake too
            if not self._closed:
                os.write(self._wake_write, b"!")

    def ask(self, target: str, request: dict[str, Any], seconds: float | None = None) -> Answer:
        """The standby's answer to a request (the active's, without standbys). Waits for it."""
        return self.ask_all({target: request}, seconds)[target]

    def ask_all(
        self,
        requests: Mapping[str, dict[str, Any]],
        seconds: float | None = None,
        lane: Lane = "standby",
        waiting: OnWait | None = None,
    ) -> dict[str, Answer]:
        """The answers of several targets' standbys, which work at the same time.

        ``seconds``: the deadline of each, if not the usual one. ``lane``: of the active workers,
        as always without standbys, or of ``fresh`` ones that were never asked anything.
        ``waiting`` hears who has not answered, whenever that changes; only on the thread that
        runs the supervisor.
        """
        lane = lane if self._standbys else "active"
        futures: dict[str, Future[Answer]] = {target: Future() for target in requests}
        with self._door:
            if self._closed:
                raise Closed("the supervisor is closed")
            for target, future in futures.items():
                self._asked.append((lane, target, requests[target], seconds, future))
        if threading.get_ident() == self._thread:
            self._take_in()
            self._wait(
                lambda: tuple(n for n, future in futures.items() if not future.done()), waiting
            )
        else:
            self.wake()
        return {target: future.result() for target, future in futures.items()}

    def _wait(self, pending: Callable[[], tuple[str, ...]], waiting: OnWait | None) -> None:
        """Until nobody is pending; ``waiting`` hears of every change before that."""
        told: tuple[str, ...] = ()
        while left := pending():
            if waiting is not None and left != told:
                waiting(left)
                told = left
            self._pump(_TICK_SECONDS)

    def close(self) -> None:
        """Kill every worker; whoever still waits for an answer gets ``Closed``."""
        with self._door:
            if self._closed:
                return
            self._closed = True
            os.close(self._wake_read)
            os.close(self._wake_write)
        for slot in self._slots.values():
            slot.close()
        for future in (*self._futures, *(item[-1] for item in self._asked)):
            future.set_exception(Closed("the supervisor was closed"))
        self._asked.clear()
        self._futures.clear()

    # The loop ---------------------------------------------------------------

    def _take_in(self) -> None:
        """Do what was asked for, by any thread."""
        while self._outworn:
            slot = self._slots[self._outworn.popleft()]
            for seat in slot.renew():
                seat.worker.bury("retired")
                slot.seats.remove(seat)
        while self._asked:
            lane, target, request, seconds, future = self._asked.popleft()
            self._futures.add(future)
            self._enqueue(lane, future, target, request, seconds)

    def _answered(self, key: Hashable, answer: Answer) -> None:
        if isinstance(key, Future):
            self._futures.discard(key)
            key.set_result(answer)
        else:
            self._answers.append((key, answer))

    def _dispatch(self, slot: Slot) -> None:
        """Fill the places, and give whoever is free the next request."""
        slot.place()
        for lane in _LANES:
            queue = slot.queues[lane]
            while queue and (seat := slot.server(lane)) is not None and seat.idle:
                if seat.worker.exited():
                    # It died in its sleep: not this request's doing.
                    self._died(slot, seat, seat.worker.bury())
                    continue
                self._send(slot, seat, *queue.popleft())
        slot.replenish()  # last: a request should not wait for it
        if slot.given_up is not None:
            for key in slot.waiting():
                self._answered(key, slot.given_up)

    def _send(
        self,
        slot: Slot,
        seat: Seat,
        key: Hashable,
        request: dict[str, Any],
        seconds: float | None,
    ) -> None:
        seat.key, seat.since = key, time.monotonic()
        death = seat.worker.send(dict(request, id=next(self._ids)), seconds)
        if death is not None:
            self._died(slot, seat, death)

    def _pump(self, timeout: float) -> bool:
        """Handle whatever arrives within ``timeout`` seconds, and every deadline.

        True if another thread ended the wait.
        """
        if self._over():
            raise Closed("its time is over")
        seats = {
            seat.worker.fileno(): (slot, seat)
            for slot in self._slots.values()
            for seat in slot.seats
        }
        poll = select.poll()
        for descriptor in (*seats, self._wake_read):
            poll.register(descriptor, select.POLLIN | select.POLLHUP)
        events = poll.poll(timeout * 1000)
        woken = False
        for descriptor, _ in events:
            if descriptor == self._wake_read:
                os.read(self._wake_read, 1 << 12)
                woken = True
                continue
            slot, seat = seats[descriptor]
            if seat in slot.seats:  # an earlier event may have ended it
                self._arrived(slot, seat)
        if not events:
            for slot, seat in seats.values():
                if seat in slot.seats and seat.worker.exited():
                    self._arrived(slot, seat)
        self._take_in()
        for slot in self._slots.values():
            for seat in tuple(slot.seats):
                if seat.worker.overdue():
                    self._died(slot, seat, seat.worker.bury("timeout"))
            self._dispatch(slot)
        return woken

    def _arrived(self, slot: Slot, seat: Seat) -> None:
        message = seat.worker.receive()
        if message is None:
            return
        if isinstance(message, Hello):
            slot.greeted(message)
        elif isinstance(message, (Death, StartFailure)):
            self._died(slot, seat, message)
            return
        else:
            key, seat.key = seat.key, None
            grown = message.get("grown", 0)
            # What leaks must not later look like one case's appetite.
            leaks = slot.limits.retires and grown > slot.limits.memory_bytes / 2
            used = seat.old or seat.lane == "fresh"
            if leaks or used or (seat.lane == "parked" and not slot.returned(seat)):
                seat.worker.bury("retired")
                slot.seats.remove(seat)
            self._answered(key, message)
        self._dispatch(slot)

    def _died(self, slot: Slot, seat: Seat, ending: Death | StartFailure) -> None:
        """A worker is gone: tell whoever waits, let a spare take over, get another."""
        slot.seats.remove(seat)
        if seat.key is not None:
            self._answered(seat.key, ending)
        if isinstance(ending, Death) and seat.worker.ready:
            slot.died(ending.cause)
            self._count_restarts(slot)
        else:
            self._start_failed(slot, ending)
        self._dispatch(slot)
        self._on_change(slot.target.name, dict(slot.deaths), _describe(ending))

    def _count_restarts(self, slot: Slot) -> None:
        deaths, limit = slot.deaths.total(), slot.limits.restarts
        if limit is not None and deaths > limit:
            slot.given_up = StartFailure(
                f"its workers died {deaths} times, and limits.restarts is {limit}"
            )

    def _start_failed(self, slot: Slot, ending: Death | StartFailure) -> None:
        slot.failed_starts += 1
        failure = ending if isinstance(ending, StartFailure) else _death_at_start(ending)
        # What a worker says itself, a missing module or a hang (three minutes each) will not
        # change; a death may be bad luck.
        hung = isinstance(ending, Death) and ending.cause == "timeout"
        final = isinstance(ending, StartFailure) or failure.missing or hung
        if final or slot.failed_starts >= _START_ATTEMPTS:
            slot.given_up = failure


def _death_at_start(death: Death) -> StartFailure:
    """A worker that died before it could say why: its last words may tell."""
    last = death.log.strip().splitlines()[-1:] if death.cause.startswith("exit") else []
    missing = re.search(r"No module named '([^']+)'", "".join(last))
    message = ": ".join([f"the worker died while starting: {death.cause}", *last])
    return StartFailure(message, missing.group(1) if missing else "", death.log)


def _describe(ending: Death | StartFailure) -> str:
    return ending.cause if isinstance(ending, Death) else ending.message
