"""The live display of a hunt: one calm panel on a terminal."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

from rich.columns import Columns
from rich.console import RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from assay.campaign.events import Event, Notice
from assay.report.console import console
from assay.report.progress import Progress, TargetHealth, advance
from assay.report.safe import one_line
from assay.report.text import clock

_STYLES = {"bug": "bold red", "undecided": "magenta", "convention": "yellow", "flaky": "yellow"}


def panel(progress: Progress, now: float) -> RenderableType:
    """The panel for this moment."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    grid.add_row("trials", _trials(progress, now))
    grid.add_row("targets", _targets(progress))
    grid.add_row("findings", _findings(progress, now))
    outer = Table.grid(padding=(0, 0, 0, 1))
    outer.add_row(_title(progress, now))
    outer.add_row(grid)
    return outer


def _title(progress: Progress, now: float) -> Text:
    title = Text("assay hunt", style="bold")
    if progress.seed is not None:
        title.append(f"  seed {progress.seed}", style="not bold")
    elapsed = clock(progress.elapsed(now))
    if progress.budget_seconds is not None:
        elapsed += f" of {clock(progress.budget_seconds)}"
    parts = [elapsed]
    if progress.cases is not None:
        parts.append(f"{progress.first_trial + progress.trials:,} of {progress.cases:,} cases")
    if progress.techniques:
        parts.append(", ".join(progress.techniques))
    title.append("".join(f"  ·  {part}" for part in parts), style="not bold")
    return title


def _trials(progress: Progress, now: float) -> Text:
    parts = [f"{progress.first_trial + progress.trials:,}", f"{progress.rate(now):.1f}/s"]
    percent = progress.valid_percent()
    if percent is not None:
        parts.append(f"valid {percent}%")
    covered, total = progress.ops
    if total:
        vocabulary = f"vocabulary {covered}/{total} ops"
        classes, all_classes = progress.classes
        if all_classes:
            vocabulary += f" · {round(100 * classes / all_classes)}% of parameter classes"
        parts.append(vocabulary)
    return Text("   ".join(parts))


def _targets(progress: Progress) -> RenderableType:
    if not progress.targets:
        return Text("starting", style="dim")
    shown = [
        _target(name, health, first=index == 0)
        for index, (name, health) in enumerate(progress.targets.items())
    ]
    # Columns and not one text: a target and its health stay on one line.
    return Columns(shown, padding=(0, 3, 0, 0))


def _target(name: str, health: TargetHealth, first: bool) -> Text:
    """A target's name and health."""
    line = Text(name)
    if health.state == "starting":
        line.append(" ○ starting", style="dim")
    elif health.state == "left-out":
        line.append(" ✗ left out", style="red")
    else:
        line.append(" ●", style="green")
        line.append(f" {health.restarts}" + (" restarts" if first else ""))
        if health.deaths:
            causes = ", ".join(f"{one_line(c, 20)} ×{n}" for c, n in health.deaths.items())
            line.append(f" ({causes})", style="yellow")
    return line


def _findings(progress: Progress, now: float) -> Text:
    counts = progress.counts
    if not counts:
        return Text("none yet", style="dim")
    line = Text()
    for index, (category, count) in enumerate(counts.items()):
        line.append(" · " if index else "")
        line.append(f"{count} {category}", style=_STYLES.get(category, ""))
    if progress.last_new is not None:
        line.append(f"       last new {clock(now - progress.last_new)} ago", style="dim")
    return line


class LiveDisplay:
    """Handler of events that keeps the panel up to date until it is closed.

    A context manager: the panel is gone when it is left, however it is left.
    """

    def __init__(self, stream: TextIO, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._progress = Progress(started=now())
        self._console = console(stream)
        self._live = Live(
            console=self._console,
            get_renderable=lambda: panel(self._progress, self._now()),
            refresh_per_second=4,
            transient=True,
            # Streams are ours: nothing else may print, and rich must not take them over.
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __call__(self, event: Event) -> None:
        """Take one event. The panel is drawn by its own thread, from immutable progress."""
        self._progress = advance(self._progress, event, self._now())
        if isinstance(event, Notice):
            self._console.print(Text(one_line(event.message, 1000)))

    def __enter__(self) -> "LiveDisplay":
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()
