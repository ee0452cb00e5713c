"""Pieces of pages: text that stays text, tables that fit a telephone, pictures as data."""

import base64
import struct
import zlib
from collections.abc import Iterable, Sequence
from html import escape

import msgspec

from assay.ir import Array
from assay.report.safe import plain


def text(value: object) -> str:
    """Whatever it says, it is shown and nothing else."""
    return escape(plain(str(value)))


class Cell(msgspec.Struct, frozen=True):
    """A cell of a table: HTML, and classes; ``n`` is a number."""

    html: str
    kind: str = ""


def table(
    heads: Sequence[str], rows: Iterable[Sequence[Cell]], caption: str, ids: Sequence[str] = ()
) -> str:
    """A table whose rows become cards with labels where the window is narrow.

    ``ids`` are those of the rows, for links.
    """
    lines = []
    for place, row in enumerate(rows):
        identity = f' id="{ids[place]}"' if ids else ""
        cells = (
            f'<td class="{cell.kind}" data-label="{text(head)}">{cell.html}</td>'
            for head, cell in zip(heads, row, strict=True)
        )
        lines.append(f"<tr{identity}>{''.join(cells)}</tr>")
    named = "".join(f'<th scope="col">{text(head)}</th>' for head in heads)
    return (
        f'<table class="list"><caption>{text(caption)}</caption><thead><tr>{named}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def png(pixels: Array) -> str:
    """Bytes of shape (height, width, 1 or 3) as the address of a PNG."""
    height, width, channels = pixels.shape
    kind = {1: 0, 3: 2}[channels]
    lines = b"".join(b"\0" + row.tobytes() for row in pixels)  # each with the filter "none"
    parts = {
        b"IHDR": struct.pack(">2I5B", width, height, 8, kind, 0, 0, 0),
        b"IDAT": zlib.compress(lines, 9),
        b"IEND": b"",
    }
    content = b"\x89PNG\r\n\x1a\n"
    for name, data in parts.items():
        content += struct.pack(">I", len(data)) + name + data
        content += struct.pack(">I", zlib.crc32(name + data))
    return "data:image/png;base64," + base64.b64encode(content).decode("ascii")
