"""The vocabulary as tables: what ``assay ops`` prints."""

from collections.abc import Sequence
from typing import Any, Protocol

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from assay.report.safe import one_line


class Entry(Protocol):
    """What the tables need to know of an op."""

    @property
    def name(self) -> str:
        """Its public path."""

    @property
    def family(self) -> str:
        """layers, ops, losses …."""

    @property
    def reference(self) -> bool:
        """Does Assay know its meaning?"""

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """Value classes by parameter."""

    @property
    def works(self) -> dict[str, bool]:
        """By target, if probed."""


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


class _Fitting:
    """One of two tables: with a column per target if there is room for their names.

    Else the ``narrow`` one, which calls them by numbers, and a legend: names that are cut to
    pieces of three letters cannot be read.
    """

    def __init__(self, targets: Sequence[str], wide: Table, narrow: Table) -> None:
        self._targets, self._wide, self._narrow = targets, wide, narrow

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if sum(len(name) + 2 for name in self._targets) <= options.max_width // 2:
            yield self._wide
            return
        yield self._narrow
        legend = (f"{number} {name}" for number, name in enumerate(self._targets, start=1))
        yield Text(" · ".join(legend))


def ops_table(entries: Sequence[Entry]) -> RenderableType:
    """One row per op: reference, targets if probed, parameters with their classes."""
    targets = list(entries[0].works) if entries else []
    wide = _table("op", "reference", *targets, "parameters")
    narrow = _table("op", "reference", "works on", "parameters")
    for entry in entries:
        parameters = ", ".join(
            f"{name} ({len(item['valid'])}+{len(item['boundary'])}+{len(item['invalid'])})"
            for name, item in entry.parameters.items()
        )
        works = list(entry.works.values())
        told = Text(entry.name), "yes" if entry.reference else "–"
        said = Text(one_line(parameters, 200))
        wide.add_row(*told, *("yes" if yes else "–" for yes in works), said)
        numbers = [str(number) for number, yes in enumerate(works, start=1) if yes]
        narrow.add_row(*told, "all" if all(works) else " ".join(numbers) or "none", said)
    footer = Text("parameters: usual + boundary + deliberately invalid values of each")
    return Group(_Fitting(targets, wide, narrow), footer, summary_table(entries))


class Met(Protocol):
    """What the table needs to know of what an op has met."""

    @property
    def op(self) -> str:
        """Its public path."""

    @property
    def met(self) -> Sequence[str]:
        """Classes that were compared."""

    @property
    def missing(self) -> Sequence[str]:
        """Classes that were not."""


def met_table(listed: Sequence[Met]) -> RenderableType:
    """One row per op: how many of its classes were compared, and which were not."""
    table = _table("op", "met", "not yet")
    for item in listed:
        count = f"{len(item.met)} of {len(item.met) + len(item.missing)}"
        table.add_row(Text(item.op), count, Text("; ".join(item.missing) or "–"))
    met = sum(len(item.met) for item in listed)
    total = met + sum(len(item.missing) for item in listed)
    footer = Text(f"{met:,} of {total:,} classes of {len(listed)} ops ({met / max(1, total):.0%})")
    return Group(table, footer)


class Snapshot(Protocol):
    """What the table needs to know of what a target offers."""

    @property
    def target(self) -> str:
        """Its name."""

    @property
    def digest(self) -> str:
        """A hash of all it said."""

    @property
    def ops(self) -> dict[str, dict[str, str]]:
        """Signature and documentation by op."""

    @property
    def absent(self) -> tuple[str, ...]:
        """Ops of the vocabulary that it has not."""

    @property
    def tables(self) -> dict[str, list[str]]:
        """Its own registries."""


def offers_table(told: Snapshot) -> RenderableType:
    """One row per op with its signature, then what is absent, and what else there is."""
    table = _table("op", "signature")
    for name, op in told.ops.items():
        table.add_row(Text(name), Text(one_line(op["signature"], 200) or "not told"))
    more = [f"{len(rows):,} {name}" for name, rows in told.tables.items()]
    lines = [f"{told.target} has {len(told.ops)} of {len(told.ops) + len(told.absent)} ops"]
    if told.absent:
        lines.append(f"absent: {', '.join(told.absent)}")
    listed = f", and its registry of {' and '.join(more)}" if more else ""
    lines.append(f"hash {told.digest}; --json has their documentation{listed}")
    return Group(table, Text("\n".join(lines)))


def summary_table(entries: Sequence[Entry]) -> RenderableType:
    """One row per family: ops, with reference, and working by target if probed."""
    targets = list(entries[0].works) if entries else []
    numbers = [str(number) for number, _ in enumerate(targets, start=1)]
    wide = _table("family", "ops", "with reference", *targets)
    narrow = _table("family", "ops", "with reference", *numbers)
    families = list(dict.fromkeys(entry.family for entry in entries))
    for family in [*families, "all"]:
        members = [entry for entry in entries if family in (entry.family, "all")]
        counted = (
            family,
            str(len(members)),
            str(sum(entry.reference for entry in members)),
            *(str(sum(entry.works[target] for entry in members)) for target in targets),
        )
        wide.add_row(*counted)
        narrow.add_row(*counted)
    return _Fitting(targets, wide, narrow)
