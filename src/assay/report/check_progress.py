"""Where a check is: a spinner on a terminal, a line every few seconds elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from assay.report.console import console
from assay.report.text import clock
from assay.report.ticker import Ticker

#: Told how far a check is: what is being done, how much of how much.
Tell = Callable[[str, int, int], None]


def step(what: str, done: int, total: int) -> str:
    """What is being done, with numbers where there is more than one thing to do."""
    return f"{what}: {done:,} of {total:,}" if total > 1 else what


@contextmanager
def check_progress(
    stream: TextIO | None,
    quiet: bool = False,
    interval: float = 5.0,
    now: Callable[[], float] = time.monotonic,
) -> Iterator[Tell]:
    """A function to tell how far a check is; what it is told is shown on ``stream``."""
    if quiet or stream is None:
        yield lambda what, done, total: None
        return
    if stream.isatty():
        with console(stream).status("starting") as status:
            yield lambda what, done, total: status.update(step(what, done, total))
        return
    started, shown = now(), "starting"

    def tell(what: str, done: int, total: int) -> None:
        nonlocal shown
        shown = step(what, done, total)

    with Ticker(stream, lambda: f"{clock(now() - started)}  {shown}", interval):
        yield tell
