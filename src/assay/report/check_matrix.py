"""A check's targets against each other: one matrix instead of a line for every pair."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import msgspec
from rich.columns import Columns
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from assay.ir.check import Check, PairResult, TargetResult
from assay.report.safe import plain

#: How a verdict is shown, on a terminal and without colours.
STYLES = {"consistent": "green", "inconsistent": "bold red", "nothing to compare": "yellow"}
MARKS = {"consistent": "", "inconsistent": "✗", "nothing to compare": "?"}
#: Where nobody says how wide the screen is, a matrix is not wider than this.
_WIDEST = 140
Layout = Literal["named", "numbered columns", "numbered", "marks"]
_LAYOUTS: tuple[Layout, ...] = ("named", "numbered columns", "numbered", "marks")


def short(value: float | None) -> str:
    """A measure in a few letters: 0, 0.31, 5.9e-6, inf; – if there is none."""
    if value is None:
        return "–"
    return f"{value:.2g}".replace("e-0", "e-").replace("e+0", "e") if value else "0"


def percent(share: float | None) -> str:
    """Never 100% unless it is, nor 0%."""
    if share is None:
        return "–"
    shown = f"{100 * share:.0f}%" if share in (0.0, 1.0) else f"{100 * share:.1f}%"
    return {"100.0%": "<100%", "0.0%": ">0%"}.get(shown, shown)


class Measure(msgspec.Struct, frozen=True):
    """A number of a pair: what it is called, and how it is shown.

    ``word`` is what ``assay explain`` knows it by.
    """

    name: str
    word: str
    shown: Callable[[PairResult], str]


TOP1 = Measure("top-1 agreement", "top-1", lambda pair: percent(pair.top1_agreement))
MAX_ABS = Measure("max |Δ|", "max_abs", lambda pair: short(pair.max_abs))
RATIO = Measure("times the rounding bound", "ratio", lambda pair: short(pair.ratio))
D_CLASS = Measure("D_class", "D_class", lambda pair: short(pair.d_class_max))
D_MAD = Measure("D_MAD", "D_MAD", lambda pair: short(pair.d_mad_max))


def matrix_measures(check: Check) -> tuple[Measure, Measure]:
    """What stands below and above the diagonal: how far apart, and whether it matters."""
    classifier = check.task == "classification"
    if check.preset:  # a published rule goes by these distances
        return D_MAD, D_CLASS if classifier else MAX_ABS
    return MAX_ABS, TOP1 if classifier else RATIO


class Cell(msgspec.Struct, frozen=True):
    """A row's target against a column's; ``pair`` is None on the diagonal, and where a target
    ended before it could be compared.
    """

    text: str
    mark: str
    style: str
    pair: PairResult | None = None

    def __str__(self) -> str:
        return f"{self.text}{self.mark}"


def compared_targets(check: Check) -> tuple[TargetResult, ...]:
    """The targets of a matrix: those with a result."""
    return tuple(item for item in check.targets if not item.failure)


def matrix_cells(check: Check) -> Iterator[tuple[TargetResult, list[Cell]]]:
    """Row by row, every target against every one."""
    below, above = matrix_measures(check)
    pairs = {frozenset(pair.targets): pair for pair in check.pairs}
    targets = compared_targets(check)
    for row, one in enumerate(targets):
        cells = []
        for column, two in enumerate(targets):
            pair = pairs.get(frozenset((one.name, two.name)))
            if row == column:
                cells.append(_itself(one))
            elif pair is None:
                cells.append(Cell("–", "", "dim"))
            else:
                measure = below if row > column else above
                verdict = pair.verdict
                cells.append(Cell(measure.shown(pair), MARKS[verdict], STYLES[verdict], pair))
        yield one, cells


def _itself(target: TargetResult) -> Cell:
    """The diagonal: how far a target is from itself when it runs again."""
    if not target.itself:
        return Cell("·", "", "dim")
    return Cell(f"±{short(target.itself)}", "", "yellow" if target.nondeterministic else "dim")


def matrix_legend(check: Check, values: bool = True) -> str:
    """What the cells mean, with the marks that occur; without ``values`` there are only these."""
    below, above = matrix_measures(check)
    words = [f"below: {below.name}", f"above: {above.name}"] if values else []
    if values and any(target.itself for target in compared_targets(check)):
        words.append("diagonal: from itself")
    verdicts = dict.fromkeys(pair.verdict for pair in check.pairs if MARKS[pair.verdict])
    words += [f"{MARKS[verdict]} {verdict}" for verdict in verdicts]
    return " · ".join([*words, f"assay explain {above.word}" if values else "numbers: --json"])


class Matrix:
    """The matrix in the widest form that fits, and a line that says what its cells mean.

    Targets are called by name, else by numbers; where there are too many for numbers in the
    cells, only the marks stay.
    """

    def __init__(self, check: Check) -> None:
        self._check = check
        self._names = [plain(item.name) for item in compared_targets(check)]
        self._rows = [cells for _, cells in matrix_cells(check)]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = min(options.max_width, _WIDEST)
        for layout in _LAYOUTS:
            table = self._table(layout)
            if Measurement.get(console, options.update(width=10_000), table).maximum <= room:
                break
        yield table
        if layout in ("numbered", "marks"):
            legend = (f"{number} {name}" for number, name in enumerate(self._names, start=1))
            yield Columns([Text(item, no_wrap=True) for item in legend], padding=(0, 3))
        yield Text(matrix_legend(self._check, layout != "marks"), style="dim")

    def _table(self, layout: Layout) -> Table:
        numbers = [str(place) for place, _ in enumerate(self._names, start=1)]
        labels: Sequence[str] = numbers
        if layout == "named":
            labels = self._names
        elif layout == "numbered columns":
            width = len(numbers[-1])
            labels = [f"{n:>{width}} {name}" for n, name in zip(numbers, self._names, strict=True)]
        heads = self._names if layout == "named" else numbers
        gap = 1 if layout == "marks" else 2
        table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")
        table.add_column("", no_wrap=True, justify="right" if labels is numbers else "left")
        for head in heads:
            table.add_column(Text(head), justify="right", no_wrap=True)
        for label, cells in zip(labels, self._rows, strict=True):
            shown = [(cell.mark or "·") if layout == "marks" else str(cell) for cell in cells]
            styled = (Text(text, style=cell.style) for text, cell in zip(shown, cells, strict=True))
            table.add_row(Text(label), *styled)
        return table
