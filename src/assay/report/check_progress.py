"""Where a check is: a spinner on a terminal, a line every few seconds elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from assay.campaign.events import Event, Handler, Notice, Progressed
from assay.report.console import console
from assay.report.safe import one_line
from assay.report.text import clock
from assay.report.ticker import Ticker


def step(what: str, done: int, total: int) -> str:
    """What is being done, with numbers where there is more than one thing to do."""
    return f"{what}: {done:,} of {total:,}" if total > 1 else what


@contextmanager
def check_progress(
    stream: TextIO | None,
    quiet: bool = False,
    interval: float = 5.0,
    now: Callable[[], float] = time.monotonic,
) -> Iterator[Handler]:
    """A handler of a check's events; how far it is is shown on ``stream``."""
    if quiet or stream is None:
        yield lambda event: None
        return
    if stream.isatty():
        shown_on = console(stream)
        with shown_on.status("starting") as status:

            def update(event: Event) -> None:
                if isinstance(event, Progressed):
                    status.update(step(event.what, event.done, event.total))
                elif isinstance(event, Notice):
                    shown_on.print(one_line(event.message))

            yield update
        return
    started, shown = now(), "starting"

    def tell(event: Event) -> None:
        nonlocal shown
        if isinstance(event, Progressed):
            shown = step(event.what, event.done, event.total)
        elif isinstance(event, Notice):
            ticker.print(one_line(event.message))

    with Ticker(stream, lambda: f"{clock(now() - started)}  {shown}", interval) as ticker:
        yield tell
