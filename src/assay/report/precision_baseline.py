"""Errors beside those of an earlier measurement, as a small table."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.ir.precision import Comparison, Status
from assay.report.precision import size_text
from assay.report.safe import one_line
from assay.report.text import plural

_STYLES = {"worse": "bold red", "better": "green"}


def baseline_text(comparison: Comparison) -> RenderableType:
    """What became worse and better, and how many are new, the same and gone."""
    rows = [row for row in comparison.rows if row.status in _STYLES]
    rows.sort(key=lambda row: row.status != "worse")
    shown = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in ("", "operator", "target", "format", "stage"):
        shown.add_column(name, overflow="fold", no_wrap=not name)
    for name in ("own ULP then", "now"):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        shown.add_row(
            Text(row.status, style=_STYLES[row.status]),
            row.label,
            row.target,
            row.dtype,
            row.stage,
            size_text(row.before),
            size_text(row.now),
        )
    every: tuple[Status, ...] = ("worse", "better", "new", "same")
    counts = [f"{sum(row.status == name for row in comparison.rows)} {name}" for name in every]
    gone = f", {plural(len(comparison.gone), 'row')} not measured now" if comparison.gone else ""
    whys = [
        Text(f"{row.label} {row.target} {row.dtype}: {one_line(row.why, 160)}")
        for row in rows
        if row.why
    ]
    table = [shown] if rows else []
    return Group(Text(), *table, *whys, Text(f"against the baseline: {', '.join(counts)}{gone}"))
