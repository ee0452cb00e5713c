"""Streams that never crash on an encoding or on a reader that went away."""

import codecs
import io
import os
import sys
from typing import Any, TextIO

_ASCII = {"·": "-", "×": "x", "…": "...", "–": "-", "●": "*", "○": "o", "✗": "x", "≤": "<="}


def _transliterate(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(_ASCII.get(character, "?") for character in characters), error.end


def tolerate_any_encoding() -> None:
    """Make stdout and stderr write what they can where the encoding lacks a character."""
    codecs.register_error("assay-ascii", _transliterate)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="assay-ascii")


def discard(stream: TextIO) -> None:
    """Send what is still to come on a closed pipe to nowhere, quietly."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        # Not a real file (a test's buffer): nothing to silence.
        return


def write_json(document: Any) -> None:
    """One JSON document on stdout, always as UTF-8, and a newline."""
    from assay.ir import to_json

    if sys.stdout is None:
        return
    data = to_json(document) + "\n"
    try:
        buffer = getattr(sys.stdout, "buffer", None)
        if buffer is None:
            sys.stdout.write(data)
        else:
            sys.stdout.flush()
            buffer.write(data.encode("utf-8"))
        sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)
