"""Plain lines about a running hunt, for pipes and log files."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

from assay.campaign.events import CampaignStarted, Event, Notice, TargetChanged
from assay.report.progress import Progress, advance
from assay.report.safe import one_line
from assay.report.text import categories, clock, plural
from assay.report.ticker import Ticker


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
    parts.append(categories(progress.counts) or "no findings")
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
        self._now = now
        self._progress = Progress(started=now())
        self._ticker = Ticker(stream, lambda: line(self._progress, now()), interval)

    def __call__(self, event: Event) -> None:
        """Take one event."""
        self._progress = advance(self._progress, event, self._now())
        if isinstance(event, CampaignStarted):
            self._ticker.print(opening(event))
        elif isinstance(event, Notice):
            self._ticker.print(one_line(event.message, 1000))
        elif isinstance(event, TargetChanged) and event.state == "left-out":
            self._ticker.print(f"{event.target} left out: {one_line(event.message, 1000)}")

    def __enter__(self) -> "PlainLines":
        self._ticker.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ticker.__exit__(kind, error, traceback)
