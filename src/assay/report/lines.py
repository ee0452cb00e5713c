"""Plain lines about a running hunt, for pipes and log files."""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

from assay.campaign.events import CampaignStarted, Event, Notice, TargetChanged
from assay.report.progress import Progress, advance
from assay.report.safe import one_line
from assay.report.streams import discard
from assay.report.text import categories, clock, plural


def line(progress: Progress, now: float) -> str:
    """One line: elapsed, trials, trials per second, valid share, findings by category."""
    if progress.seed is None:
        waiting = [name for name, health in progress.targets.items() if health.state == "starting"]
        return f"{clock(progress.elapsed(now))}  starting {', '.join(waiting) or 'targets'}"
    parts = [
        clock(progress.elapsed(now)),
        plural(progress.first_trial + progress.trials, "trial"),
        f"{progress.rate(now):.1f}/s",
    ]
    percent = progress.valid_percent()
    if percent is not None:
        parts.append(f"valid {percent}%")
    restarts = progress.restarts()
    if restarts:
        parts.append(plural(restarts, "restart"))
    parts.append(categories(progress.counts()) or "no findings")
    return "  ".join(parts)


def opening(event: CampaignStarted) -> str:
    """One line that says what was started, with the seed that repeats it."""
    verb = f"continues at trial {event.first_trial:,}" if event.first_trial else "started"
    parts = [f"assay hunt {verb}: seed {event.seed}"]
    if event.budget_seconds is not None:
        parts.append(f"budget {clock(event.budget_seconds)}")
    if event.cases is not None:
        parts.append(plural(event.cases, "case"))
    parts += [", ".join(event.techniques), ", ".join(event.targets), f"store {event.store}"]
    return " · ".join(filter(None, parts))


class PlainLines:
    """Handler of events that prints a line every ``interval`` seconds, events or not.

    A context manager: nothing is printed after it is left.
    """

    def __init__(
        self,
        stream: TextIO,
        interval: float = 5.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream = stream
        self._interval = interval
        self._now = now
        self._progress = Progress(started=now())
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._tick, name="progress-lines", daemon=True)

    def __call__(self, event: Event) -> None:
        """Take one event."""
        self._progress = advance(self._progress, event, self._now())
        if isinstance(event, CampaignStarted):
            self._print(opening(event))
        elif isinstance(event, Notice):
            self._print(one_line(event.message, 1000))
        elif isinstance(event, TargetChanged) and event.state == "left-out":
            self._print(f"{event.target} left out: {one_line(event.message, 1000)}")

    def _tick(self) -> None:
        while not self._closed.wait(self._interval):
            self._print(line(self._progress, self._now()))

    def _print(self, text: str) -> None:
        try:
            self._stream.write(text + "\n")
            self._stream.flush()
        except OSError:
            # Nobody reads, or a log file's disk is full: no reason to stop the hunt.
            discard(self._stream)

    def __enter__(self) -> "PlainLines":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._closed.set()
        self._thread.join()
