"""One line of what is being done: on a terminal it changes in place, elsewhere it is repeated."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.text import Text

from assay.report.console import console
from assay.report.safe import one_line
from assay.report.text import clock
from assay.report.ticker import Ticker

_WIDEST = 300
#: Takes the newest text, and whether it is worth a line of its own where lines are repeated.
Tell = Callable[[str, bool], None]


@contextmanager
def working(
    stream: TextIO | None,
    name: str,
    quiet: bool = False,
    interval: float = 15.0,
    now: Callable[[], float] = time.monotonic,
) -> Iterator[Tell]:
    """A handler of texts: a spinner on a terminal; elsewhere a line now and then."""
    if quiet or stream is None:
        yield lambda text, new: None
        return
    started, newest = now(), "starting"

    def line(width: int = _WIDEST) -> str:
        return one_line(f"{clock(now() - started)}  {name}  {newest}", width)

    if stream.isatty():
        shown_on = console(stream)

        def update(text: str, new: bool) -> None:
            nonlocal newest
            newest = text

        with shown_on.status(_Line(lambda: line(max(20, shown_on.width - 4)))):
            yield update
        return

    def tell(text: str, new: bool) -> None:
        nonlocal newest
        newest = text
        if new:
            ticker.print(line())

    with Ticker(stream, line, interval) as ticker:
        yield tell


class _Line:
    """Text that is asked for whenever the screen is drawn: the clock goes on between stages."""

    def __init__(self, text: Callable[[], str]) -> None:
        self._text = text

    def __rich__(self) -> Text:
        return Text(self._text())
