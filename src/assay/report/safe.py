"""Text from libraries made safe to show: it cannot change what is around it."""

import re

_ESCAPE_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor movement
    r"|\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC: titles, links
    r"|[PX^_][^\x1b]*(?:\x1b\\)?"  # other strings
    r"|[ -/]*[0-~])"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
# Control characters, and the marks that reorder text: a library's message must
# not be able to change what the rest of the line looks like.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def plain(text: str) -> str:
    """``text`` without escape sequences and control characters; newlines stay."""
    text = _ESCAPE_SEQUENCE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", text).expandtabs(4)


def unbroken(text: str) -> str:
    """All of ``text`` on one line: a name may have newlines in it."""
    return re.sub(r"\s+", " ", plain(text)).strip()


def one_line(text: str, limit: int = 120) -> str:
    """The first line of ``text`` that says something, at most ``limit`` characters."""
    lines = (re.sub(r"\s+", " ", line).strip() for line in plain(text).split("\n"))
    line = next(filter(None, lines), "")
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
