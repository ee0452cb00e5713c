"""All events of a campaign as NDJSON: one JSON object per line."""

import sys
from types import TracebackType
from typing import TextIO

from assay.campaign.events import Event
from assay.errors import AssayError
from assay.ir import from_json, to_json


def encode(event: Event) -> str:
    """The event as one line of JSON, without the newline."""
    return to_json(event)


def decode(line: str | bytes) -> Event:
    """The event of one line; ``msgspec.ValidationError`` if it is none."""
    event: Event = from_json(line, Event)  # type: ignore[arg-type]  # a union of structs
    return event


class EventWriter:
    """Handler that writes every event to a file as it happens (``-``: stdout).

    If the file can no longer be written (a full disk, a reader that went away)
    the hunt goes on without it, and one line on stderr says so.
    """

    def __init__(self, path: str, append: bool = False) -> None:
        self._path = path
        self._stream: TextIO | None
        if path == "-":
            self._stream = sys.stdout
            return
        try:
            self._stream = open(path, "a" if append else "w", encoding="utf-8")  # noqa: SIM115
        except OSError as error:
            raise AssayError(f"cannot write events to {path}: {error.strerror}.") from None

    def __call__(self, event: Event) -> None:
        """Write one event, at once, so that a killed hunt leaves whole lines."""
        if self._stream is None:
            return
        try:
            self._stream.write(encode(event) + "\n")
            self._stream.flush()
        except OSError as error:
            self._stream = None
            if not isinstance(error, BrokenPipeError):
                message = f"cannot write events to {self._path}: {error.strerror}"
                sys.stderr.write(f"assay: {message}; the hunt goes on without them.\n")

    def __enter__(self) -> "EventWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._stream is not None and self._path != "-":
            self._stream.close()
