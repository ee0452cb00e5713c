"""Growth of errors over executions, as a small table."""

import math
from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from assay.ir.precision import Grown, Measurement
from assay.report.safe import one_line

#: So many columns fit beside names.
_COLUMNS = 4


def growth_parts(results: Sequence[Measurement]) -> list[RenderableType]:
    """A table of mean errors by executions, and why some ops are not executed again."""
    grown = [item for item in results if item.growth]
    stopped: dict[str, dict[str, None]] = {}
    for item in results:
        if item.growth_stopped:
            stopped.setdefault(one_line(item.growth_stopped, 120), {})[item.label] = None
    parts: list[RenderableType] = []
    if grown:
        parts += [Text(), _table(grown)]
        parts.append(
            Text(
                "mean absolute error after so many executions, each on the result before, standard "
                "normal inputs; it grows as that power of their number"
            )
        )
    for why, labels in stopped.items():
        first, more = next(iter(labels)), len(labels) - 1
        also = f" and {more:,} more" if more else ""
        parts.append(Text(f"not executed again: {first}{also}: {why}"))
    return parts


def growth_power(growth: Sequence[Grown]) -> float | None:
    """The power of the number of executions that mean errors grow with, by least squares.

    None if fewer than two of them are above zero.
    """
    pairs = [
        (math.log(item.executions), math.log(item.mean_abs))
        for item in growth
        if item.measured and item.mean_abs > 0.0 and math.isfinite(item.mean_abs)
    ]
    if len(pairs) < 2:
        return None
    middle = [sum(column) / len(pairs) for column in zip(*pairs, strict=True)]
    above = math.fsum((x - middle[0]) * (y - middle[1]) for x, y in pairs)
    return above / math.fsum((x - middle[0]) ** 2 for x, _ in pairs)


def _table(grown: Sequence[Measurement]) -> Table:
    most = max(len(item.growth) for item in grown)
    places = sorted({round(most ** (turn / (_COLUMNS - 1))) for turn in range(_COLUMNS)})
    shown = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in ("operator", "target", "format"):
        shown.add_column(name, overflow="fold")
    for place in places:
        shown.add_column(f"{place:,}", justify="right", no_wrap=True)
    shown.add_column("power", justify="right", no_wrap=True)
    before = ""
    for item in grown:
        label = item.label if item.label != before else ""
        before = item.label
        told = {
            found.executions: f"{found.mean_abs:.1e}" if found.measured else "–"
            for found in item.growth
        }
        power = growth_power(item.growth)
        shown.add_row(
            label,
            item.target,
            item.dtype,
            *(told.get(place, "") for place in places),
            "–" if power is None else f"{power:.2f}",
        )
    return shown
