"""The libraries' own tolerances beside what was measured, as a small table."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from assay.ir.precision import Measurement
from assay.report.safe import one_line


def tolerance_parts(results: Sequence[Measurement]) -> list[RenderableType]:
    """What tests of the libraries grant, how much of it the worst error takes, and who has none."""
    known = [item for item in results if item.tolerance is not None and not item.tolerance.why]
    parts: list[RenderableType] = []
    if known:
        parts += [Text(), _table(known)]
        parts.append(
            Text("used: the error at the worst inputs, as a share of atol + rtol · |truth|")
        )
    whys = dict.fromkeys(
        item.tolerance.why for item in results if item.tolerance is not None and item.tolerance.why
    )
    return [*parts, *(Text(one_line(why, 160)) for why in whys)]


def _table(known: Sequence[Measurement]) -> Table:
    shown = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in ("operator", "target", "format"):
        shown.add_column(name, overflow="fold")
    for name in ("rtol", "atol", "used"):
        shown.add_column(name, justify="right", no_wrap=True)
    shown.add_column("granted by", overflow="fold")
    before = ""
    for item in known:
        assert item.tolerance is not None  # as it is known
        label = item.label if item.label != before else ""
        before = item.label
        used = item.tolerance.used
        shown.add_row(
            label,
            item.target,
            item.dtype,
            f"{item.tolerance.rtol:.1e}",
            f"{item.tolerance.atol:.1e}",
            "–" if used is None else f"{used:.0%}" if used < 100 else f"{used:.0f}×",
            item.tolerance.source,
        )
    return shown
