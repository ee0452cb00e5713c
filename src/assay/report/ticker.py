"""A line every few seconds, for pipes and log files."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

from assay.report.streams import discard


class Ticker:
    """Prints ``line()`` every ``interval`` seconds while it is entered, and what it is told to.

    A stream that nobody reads, or whose disk is full, silences it; it never raises for that.
    """

    def __init__(self, stream: TextIO, line: Callable[[], str], interval: float = 5.0) -> None:
        self._stream = stream
        self._line = line
        self._interval = interval
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._tick, name="progress-lines", daemon=True)

    def print(self, text: str) -> None:
        """One line, now."""
        try:
            self._stream.write(text + "\n")
            self._stream.flush()
        except OSError:
            # Nobody reads, or a log file's disk is full: no reason to stop.
            discard(self._stream)

    def _tick(self) -> None:
        while not self._closed.wait(self._interval):
            self.print(self._line())

    def __enter__(self) -> "Ticker":
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
