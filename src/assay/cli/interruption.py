"""Ctrl-C and SIGTERM as a flag that whoever works looks at, and at last cannot ignore."""

import signal
import threading
from types import FrameType, TracebackType

from assay.errors import Interrupted


class Interruption:
    """Sets ``stop`` on SIGINT or SIGTERM, while it is entered.

    Each signal beyond ``patience`` raises ``Interrupted`` where the program happens to be:
    0 while there is nothing to finish, 1 while there is.
    """

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.patience = 0
        self._received = 0
        self._previous: dict[int, object] = {}

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self._received += 1
        self.stop.set()
        if self._received > self.patience:
            raise Interrupted

    def __enter__(self) -> "Interruption":
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, self._receive)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # as signal.signal gave it
