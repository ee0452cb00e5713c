"""How far a job of many numbers is: a bar on a terminal, a line every few seconds elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from assay.campaign.events import Event, Handler, Notice, Progressed
from assay.report.console import console
from assay.report.safe import one_line
from assay.report.text import clock
from assay.report.ticker import Ticker


@contextmanager
def sweep_progress(
    stream: TextIO | None,
    quiet: bool = False,
    interval: float = 5.0,
    now: Callable[[], float] = time.monotonic,
) -> Iterator[Handler]:
    """A handler of the events of a sweep; ``stream`` is told how far it is, and what is left."""
    if quiet or stream is None:
        yield lambda event: None
        return
    far = _Far(now)
    if stream.isatty():
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=console(stream), transient=True) as shown:
            task = shown.add_task("starting", total=None)

            def update(event: Event) -> None:
                far.hear(event)
                if isinstance(event, Progressed):
                    shown.update(
                        task, description=event.what, completed=event.done, total=event.total
                    )
                elif isinstance(event, Notice):
                    shown.console.print(one_line(event.message))

            yield update
        return

    def tell(event: Event) -> None:
        far.hear(event)
        if isinstance(event, Notice):
            ticker.print(one_line(event.message))

    with Ticker(stream, far.line, interval) as ticker:
        yield tell


class _Far:
    """What is done, of how much, and how long the rest takes at this rate."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._began = now()
        self._what, self._done, self._total = "starting", 0, 0
        self._first: tuple[float, int] | None = None

    def hear(self, event: Event) -> None:
        """Note how far it is."""
        if isinstance(event, Progressed):
            if event.what != self._what:
                self._first = None
            self._what, self._done, self._total = event.what, event.done, event.total
            # What an earlier run did says nothing of the rate.
            self._first = self._first or (self._now(), event.done)

    def line(self) -> str:
        """One line about it."""
        parts = [clock(self._now() - self._began), one_line(self._what, 80)]
        if self._total:
            share = 100.0 * self._done / self._total
            parts.append(f"{self._done:,} of {self._total:,} ({share:.1f}%)")
        left = self._left()
        if left is not None:
            parts.append(f"{clock(left)} left")
        return "  ".join(parts)

    def _left(self) -> float | None:
        if self._first is None:
            return None
        since, before = self._first
        gone = self._done - before
        if gone <= 0:
            return None
        return (self._now() - since) / gone * (self._total - self._done)
