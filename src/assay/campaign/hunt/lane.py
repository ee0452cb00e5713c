"""Explanation beside the trials: in threads of its own, kin in the order of their indices."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic

from assay.campaign.hunt.records import Explained, Screened

#: Explanations that go on side by side: one may wait for a call that does not end.
_SIDE_BY_SIDE = 3


class Lane:
    """Trials that wait for their explanation, or are explained.

    ``explain`` runs in another thread; ``wake`` is called there after each.
    """

    def __init__(self, explain: Callable[[Screened], Explained], wake: Callable[[], None]) -> None:
        self._explain = explain
        self._wake = wake
        self._pool = ThreadPoolExecutor(_SIDE_BY_SIDE, thread_name_prefix="explain")
        self._pending: dict[int, Screened] = {}
        self._running: dict[int, Future[Explained]] = {}
        self._began: dict[int, float] = {}
        self._seconds = 0.0
        self._done = 0

    def add(self, screened: Screened) -> None:
        """Explain this too, in its turn."""
        self._pending[screened.executed.trial.index] = screened

    def __len__(self) -> int:
        return len(self._pending)

    def seconds_left(self) -> float:
        """How long what waits will take, if the rest is like what was explained so far."""
        each = self._seconds / self._done if self._done else 1.0
        return each * len(self._pending) / _SIDE_BY_SIDE

    def start(self, under_way: Mapping[int, frozenset[str]]) -> None:
        """Begin with whatever no earlier trial can have an effect on."""
        kin = {**under_way, **{i: item.executed.kin for i, item in self._pending.items()}}
        held: set[str] = set()
        for index in sorted(kin):
            if len(self._running) == _SIDE_BY_SIDE:
                break
            waits = index in self._pending and index not in self._running
            if waits and held.isdisjoint(kin[index]):
                self._began[index] = monotonic()
                self._running[index] = self._pool.submit(self._explain, self._pending[index])
                self._running[index].add_done_callback(lambda _: self._wake())
            held |= kin[index]

    def finished(self) -> list[Explained]:
        """What was explained since, the lowest index first; it is forgotten here."""
        done = sorted(index for index, future in self._running.items() if future.done())
        found = []
        for index in done:
            found.append(self._running.pop(index).result())
            del self._pending[index]
            self._seconds += monotonic() - self._began.pop(index)
            self._done += 1
        return found

    def close(self) -> None:
        """Wait for the threads: whoever answers them must be closed before, or answer."""
        self._pool.shutdown(cancel_futures=True)
