"""The worst of exhaustive measurements.

    assay precision "torch.*" --exhaustive --json > torch.json
    python benchmarks/worst.py LEAST torch.json…

Prints how many rows are within half a ULP and one, by target and format, and the rows whose largest
error is more than LEAST ULP, or that lost a number.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Group
from rich.table import Table

from assay.ir import from_plain
from assay.ir.precision import Measurement
from assay.report.console import show
from assay.report.exhaustive import exhaustive_text


def shares(rows: Sequence[Measurement]) -> Table:
    """How many ops are how exact, by target and format."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("target")
    table.add_column("format")
    for name in ("ops", "≤ ½ ULP", "≤ 1", "≤ 32", "more"):
        table.add_column(name, justify="right")
    for target, dtype in dict.fromkeys((item.target, item.dtype) for item in rows):
        mine = [item for item in rows if (item.target, item.dtype) == (target, dtype)]
        within = [sum(item.max_ulp <= most for item in mine) for most in (0.5, 1.0, 32.0)]
        counts = (len(mine), *within, len(mine) - within[-1])
        table.add_row(target, dtype, *map(str, counts))
    return table


def main() -> None:
    """Print both tables."""
    least = float(sys.argv[1])
    rows = [
        from_plain(item, Measurement)
        for name in sys.argv[2:]
        for item in json.loads(Path(name).read_text(encoding="utf-8"))["results"]
    ]
    worst = [item for item in rows if item.max_ulp > least or item.special]
    worst.sort(key=lambda item: (item.op, item.target, item.dtype))
    show(Group(shares(rows), "", *exhaustive_text(worst)), width=80)


if __name__ == "__main__":
    main()
