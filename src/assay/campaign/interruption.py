"""Ctrl-C and SIGTERM as something a campaign can look at, and at last cannot ignore."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from assay.errors import Interrupted


@contextmanager
def interruption(patience: int) -> Iterator[list[int]]:
    """A list that receives SIGINT and SIGTERM; nothing is cut short by the first ``patience``.

    The one after them raises ``Interrupted`` where the program happens to be.
    """
    received: list[int] = []

    def receive(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if len(received) > patience:
            raise Interrupted

    previous = {
        number: signal.signal(number, receive) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield received
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
