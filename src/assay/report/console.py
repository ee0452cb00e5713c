"""Consoles for what libraries had a hand in: plain text, at the right width."""

import io
import sys
from typing import Any, TextIO

from rich.console import Console, RenderableType

from assay.report.streams import discard

#: Wide enough that a table in a pipe or a file is never wrapped.
_UNLIMITED = 10_000


class _Console(Console):
    """A console that leaves a closed pipe to us; rich would end the process."""

    def on_broken_pipe(self) -> None:
        if self.file is sys.stdout or self.file is sys.stderr:
            discard(self.file)


def console(file: TextIO, **options: Any) -> Console:
    """A console for text that libraries had a hand in: no markup, no guessed colours."""
    if "width" not in options and not _is_terminal(file):
        options["width"] = _UNLIMITED
    return _Console(
        file=file, markup=False, highlight=False, emoji=False, soft_wrap=False, **options
    )


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()


def show(
    *renderables: RenderableType, file: TextIO | None = None, width: int | None = None
) -> None:
    """Print to stdout (or ``file``). A reader that went away is not an error.

    ``width`` is for prose: what to wrap at where there is no terminal.
    """
    stream = sys.stdout if file is None else file
    if stream is None:  # closed before we started: `assay … >&-`
        return
    try:
        for renderable in renderables:
            if _is_terminal(stream):
                console(stream).print(renderable)
            else:  # rich pads every line of a page to the width of its longest
                stream.write(_trimmed(renderable, width=width or _UNLIMITED) + "\n")
        stream.flush()
    except BrokenPipeError:
        discard(stream)


def render(renderable: RenderableType, width: int = 100) -> str:
    """The renderable as plain text at a fixed width, without trailing spaces."""
    return _trimmed(renderable, width=width, color_system=None)


def _trimmed(renderable: RenderableType, **options: Any) -> str:
    buffer = io.StringIO()
    console(buffer, **options).print(renderable)
    return "\n".join(line.rstrip() for line in buffer.getvalue().split("\n")).rstrip("\n")
