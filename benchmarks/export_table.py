"""The table of ``check_exports.py``, from what checks say of models and exports. Pure functions."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

#: What is told of a pair of files that is not consistent.
_TOLD = ("max_abs", "top1_agreement", "ratio", "suspect", "outside", "explanation")
_LETTERS = 600


class Cell(msgspec.Struct, frozen=True):
    """What is known of one export: a verdict (or why there is none), more of it, and what stands
    below the table.
    """

    verdict: str
    more: tuple[str, ...] = ()
    message: str = ""
    ratio: float | None = None

    def __str__(self) -> str:
        loud = f"**{self.verdict}**" if self.verdict == "inconsistent" else self.verdict
        return " · ".join((loud, *self.more))


def cell_of(document: Mapping[str, Any], seconds: str) -> Cell:
    """A cell of the answer of a check."""
    verdict, (_, other) = document["verdict"], document["files"]
    if not document["pairs"]:
        failures = {item["name"]: item["failure"] for item in document["details"]}
        return Cell(verdict, (seconds,), json.dumps(failures, ensure_ascii=False))
    (pair,) = document["pairs"]
    hows = [other[side].partition(":")[0].removeprefix("by ") for side in ("inputs", "outputs")]
    ratio = pair["ratio"]
    more = ("screen" if ratio is None else f"{ratio:.2g}", "/".join(hows), seconds)
    message = ""
    if verdict != "consistent":
        message = json.dumps({key: pair[key] for key in _TOLD}, ensure_ascii=False)
    return Cell(verdict, more, message, ratio)


def summary(cells: Mapping[tuple[str, str], Cell]) -> str:
    """What stands below the table: messages, how many of each verdict, the largest ratio."""
    lines = [
        f"{name}, {label}, {cell.verdict}: {' '.join(cell.message.split())[:_LETTERS]}"
        for (name, label), cell in cells.items()
        if cell.message
    ]
    verdicts = Counter(cell.verdict for cell in cells.values())
    lines.append(f"{len(cells)} exports: {', '.join(f'{n} {v}' for v, n in verdicts.items())}")
    measured = {
        (cell.ratio, f"{name}, {label}")
        for (name, label), cell in cells.items()
        if cell.verdict == "consistent" and cell.ratio is not None
    }
    if measured:
        ratio, where = max(measured)
        lines.append(f"the largest ratio of a consistent one: {ratio:.2g} ({where})")
    return "\n".join(lines)
