"""Where a check is: a spinner on a terminal, a line every few seconds elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.text import Text

from assay.campaign.events import Event, Handler, Notice, Progressed, Waiting
from assay.report.console import console
from assay.report.safe import one_line
from assay.report.text import clock
from assay.report.ticker import Ticker

#: So many targets are named one by one.
_NAMED = 3
#: After so many seconds without an event it is said how long that is.
_PATIENCE = 2.0


def step(what: str, done: int, total: int) -> str:
    """What is being done, with numbers where there is more than one thing to do."""
    if total <= 1:
        return what
    # A counter that stands at zero says nothing.
    return f"{what}: {done:,} of {total:,}" if done else f"{what} ({total:,})"


class _Stage:
    """What is going on: the last step, who is waited for, and since when nothing changed."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._step = "starting"
        self._waiting: tuple[str, ...] = ()
        self._since = now()

    def hear(self, event: Event) -> None:
        """Note what an event says of it."""
        if isinstance(event, Progressed):
            said, self._waiting = step(event.what, event.done, event.total), ()
            if said == self._step:
                return  # the time since it is all that is new
            self._step = said
        elif isinstance(event, Waiting):
            self._waiting = event.targets
        else:
            return
        self._since = self._now()

    def __str__(self) -> str:
        names = ", ".join(self._waiting)
        if len(self._waiting) > _NAMED:
            names = f"{len(self._waiting)} targets"
        parts = [self._step, f"waiting for {names}"] if names else [self._step]
        seconds = self._now() - self._since
        if seconds >= _PATIENCE:
            parts.append(f"{clock(seconds)} so far")
        return one_line(", ".join(parts), 200)

    def __rich__(self) -> Text:
        return Text(str(self))


@contextmanager
def check_progress(
    stream: TextIO | None,
    quiet: bool = False,
    interval: float = 5.0,
    now: Callable[[], float] = time.monotonic,
) -> Iterator[Handler]:
    """A handler of a check's events; what is going on is shown on ``stream``."""
    if quiet or stream is None:
        yield lambda event: None
        return
    stage = _Stage(now)
    if stream.isatty():
        shown_on = console(stream)
        with shown_on.status(stage):  # drawn anew several times a second: its clock goes on

            def update(event: Event) -> None:
                stage.hear(event)
                if isinstance(event, Notice):
                    shown_on.print(one_line(event.message))

            yield update
        return
    started = now()

    def tell(event: Event) -> None:
        stage.hear(event)
        if isinstance(event, Notice):
            ticker.print(one_line(event.message))

    with Ticker(stream, lambda: f"{clock(now() - started)}  {stage}", interval) as ticker:
        yield tell
