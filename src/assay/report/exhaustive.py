"""What came of trying every number, as a table for 80 columns and lines about what is worst."""

import math
from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from assay.ir.precision import Measurement, Special, Whole
from assay.report.text import clock, plural

_HEAD = ("operator, target", "format", "ULP", "at", "≤ ½", "≤ 1", "≤ 2", "CPU")
#: Columns of words; the others are of numbers.
_WORDS = ("operator, target", "format", "at")


def exhaustive_text(results: Sequence[Measurement]) -> list[RenderableType]:
    """A table, and what it cannot tell."""
    return [*_table(results), *_lines(results)]


def _table(results: Sequence[Measurement]) -> list[RenderableType]:
    """The name of an operator has a line of its own, however long it is."""
    rows = [_HEAD, *map(_row, results)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_HEAD))]
    told = [
        " ".join(
            text.ljust(width) if name in _WORDS else text.rjust(width)
            for text, width, name in zip(row, widths, _HEAD, strict=True)
        ).rstrip()
        for row in rows
    ]
    lines: list[RenderableType] = [Text(told[0], style="bold")]
    before = ""
    for item, text in zip(results, told[1:], strict=True):
        if item.label != before:
            lines.append(Text(item.label))
            before = item.label
        lines.append(Text(text))
    return lines


def _row(item: Measurement) -> tuple[str, ...]:
    whole = _whole(item)
    shares = (whole.within_half, whole.within_one, whole.within_two)
    return (
        f"  {item.target}",
        item.dtype,
        _size(item.max_ulp) if whole.measured else "–",
        ", ".join(map(short, whole.at_hex)),
        *(percent(part, whole.measured) for part in shares),
        clock(item.cpu_seconds) if item.cpu_seconds >= 60 else f"{item.cpu_seconds:.1f} s",
    )


def _whole(item: Measurement) -> Whole:
    assert item.whole is not None  # as it is asked for
    return item.whole


def _size(ulp: float) -> str:
    if math.isinf(ulp):
        return "∞"
    return f"{ulp:.2f}" if ulp < 100 else f"{ulp:.1e}" if ulp >= 1e5 else f"{ulp:.0f}"


def percent(part: int, total: int) -> str:
    """A share that is 100 only if it is all, and 0 only if it is nothing."""
    if not total:
        return "–"
    if part == total:
        return "100"
    share = 100.0 * part / total
    # Beside 100 rounded down: 99.99 is less than all.
    fine = share < 10 or share >= 99.9
    text = f"{math.floor(100.0 * share) / 100.0:.2f}" if fine else f"{share:.1f}"
    return ">0" if part and not float(text) else text


def short(number: str) -> str:
    """A number in hexadecimal as C prints it: without zeros that say nothing."""
    significand, separator, exponent = number.partition("p")
    if "." in significand:
        significand = significand.rstrip("0").rstrip(".")
    return significand + separator + exponent


def _lines(results: Sequence[Measurement]) -> list[RenderableType]:
    lines = []
    for item in results:
        whole, name = _whole(item), f"{item.label} {item.target} {item.dtype}"
        if whole.lost and whole.lost_at is not None:
            lines.append(f"{name}: {_specially(whole.lost_at)} ({whole.lost:,} such answers)")
        if whole.defined and whole.defined_at is not None:
            lines.append(f"{name}: {_specially(whole.defined_at)} ({whole.defined:,} such answers)")
        if whole.turns and whole.turn_at is not None:
            lines.append(
                f"{name}: not monotone behind {short(whole.turn_at.hex())}"
                f" ({plural(whole.turns, 'place')})"
            )
    unknown = sum(item.unknown for item in results)
    if unknown:
        lines.append(f"{unknown:,} inputs of which the reference makes no claim: not measured")
    flushed = sum(item.flushed for item in results)
    if flushed:
        lines.append(f"{flushed:,} results below the normal numbers became 0: not measured")
    if any(_whole(item).of == "pairs" for item in results):
        lines.append("functions of two numbers: all pairs of those that floats of eight bits hold")
    known = [item for item in results if _whole(item).at_hex]
    proven = sum(item.truth == "balls" for item in known)
    if known:
        lines.append(
            f"ULP: the largest error; proven by ball arithmetic: {proven} of {len(known)} "
            "(--json: truth) · ≤: percent of the answers within so many"
        )
    return [Text(line) for line in lines]


def _specially(found: Special) -> str:
    where = ", ".join(short(number.hex()) for number in found.inputs)
    return f"{found.answer:g} for {found.truth:.6g} at {where}"
