"""The table of targets: what ``assay doctor`` prints."""

from collections.abc import Sequence
from typing import Literal, Protocol

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from assay import __version__
from assay.ir import Machine
from assay.report.safe import one_line, plain
from assay.report.text import plural

#: Settings of a library that the line about the machine has.
_SHOWN = ("oneDNN", "subnormals")
_STYLES = {"works": "green", "missing": "dim", "broken": "bold red"}


class TargetReport(Protocol):
    """What the table needs to know of a probed target."""

    @property
    def name(self) -> str:
        """The target's name."""

    @property
    def status(self) -> Literal["works", "missing", "broken"]:
        """Whether it can be used."""

    @property
    def library(self) -> str:
        """The library that is tested."""

    @property
    def backend(self) -> str:
        """What computes for it, or empty."""

    @property
    def mode(self) -> str:
        """How it executes: eager, graph, jit …."""

    @property
    def versions(self) -> dict[str, str]:
        """Versions by package."""

    @property
    def capabilities(self) -> tuple[str, ...]:
        """What the probe saw it do."""

    @property
    def hint(self) -> str:
        """What to do if it does not work."""

    @property
    def machine(self) -> Machine:
        """What its worker said of the CPU and the kernels in use."""


def doctor_table(reports: Sequence[TargetReport], quiet: bool = False) -> RenderableType:
    """One row per target, then the machine, how many work and what to type next."""
    table = _Fitting(reports)
    if quiet:
        return table
    machine = machine_line(reports)
    return Group(table, *([Text(machine)] if machine else []), Text(_footer(reports)))


def machine_line(reports: Sequence[TargetReport]) -> str:
    """The CPU, and which kernels the targets chose or were told to; "" if no worker said it."""
    told = [report for report in reports if report.machine.cpu]
    if not told:
        return ""
    parts = [told[0].machine.processor]
    for setting in _SHOWN:
        by_value: dict[str, list[str]] = {}
        for report in told:
            value = report.machine.settings.get(setting)
            if value is not None:
                by_value.setdefault(value, []).append(report.name)
        parts += [f"{setting} {value}: {_some(names)}" for value, names in by_value.items()]
    return plain(f"CPU: {'; '.join(parts)}")


def _some(names: Sequence[str]) -> str:
    """Names without the modes of a target that is named, too."""
    return ", ".join(
        name for name in names if "+" not in name or name.partition("+")[0] not in names
    )


class _Fitting:
    """The table with its hints if that fits, else the hints below it, each on a line.

    Most hints are commands to copy, which a narrow column would cut to pieces.
    """

    def __init__(self, reports: Sequence[TargetReport]) -> None:
        self._reports = reports

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        whole = _table(self._reports, hints=True)
        if (
            Measurement.get(console, options.update(width=10_000), whole).maximum
            <= options.max_width
        ):
            yield whole
            return
        yield _table(self._reports, hints=False)
        for report in self._reports:
            if report.status != "works" and report.hint.strip():
                yield Text(f"{plain(report.name)}: {_remark(report)}")


def _table(reports: Sequence[TargetReport], hints: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("target", no_wrap=True)
    table.add_column("library", overflow="fold")
    table.add_column("backend / mode", overflow="fold")
    table.add_column("status", no_wrap=True)
    table.add_column("", overflow="fold")
    for report in reports:
        table.add_row(
            Text(plain(report.name)),
            Text(_library(report)),
            Text(_backend(report)),
            Text(report.status, style=_STYLES[report.status]),
            Text(_remark(report) if hints or report.status == "works" else ""),
        )
    return table


def _versioned(name: str, report: TargetReport) -> str:
    return plain(f"{name} {report.versions[name]}" if name in report.versions else name)


def _library(report: TargetReport) -> str:
    if report.library == "reference":
        return f"assay {__version__}"
    return "–" if report.status == "missing" else _versioned(report.library, report)


def _backend(report: TargetReport) -> str:
    if report.status == "missing":
        return "–"
    if report.library == "reference":
        return f"{_versioned('numpy', report)}, float64"
    backend = _versioned(report.backend, report) if report.backend else ""
    mode = report.mode if report.mode not in ("", "eager") else ""
    return plain(" · ".join(filter(None, [backend, mode]))) or "–"


def _remark(report: TargetReport) -> str:
    if report.status == "works":
        return plain(" ".join(report.capabilities))
    return one_line(report.hint, 300)


def _footer(reports: Sequence[TargetReport]) -> str:
    working = [report for report in reports if report.status == "works"]
    verb = "works" if len(working) == 1 else "work"
    text = f"{plural(len(reports), 'target')}, {len(working)} {verb}."
    if any(report.library != "reference" for report in working):
        return f"{text} Next: assay hunt --budget 2m"
    return f'{text} Next: pip install "assay-dl[keras,torch]"'
