"""Environments on the screen: being made, listed, examined."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol, TextIO

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.report.safe import one_line, plain
from assay.report.text import clock, plural
from assay.report.working import working

_STYLES = {"ready": "green", "absent": "dim", "elsewhere": "dim", "busy": "yellow"}
_WIDEST = 300


class StageLike(Protocol):
    """Where the making of an environment is."""

    @property
    def number(self) -> int:
        """Of this step; 0 before the first."""

    @property
    def total(self) -> int:
        """Of all steps."""

    @property
    def what(self) -> str:
        """What the step does."""

    @property
    def detail(self) -> str:
        """The newest line of its command, or empty."""


class StatusLike(Protocol):
    """An environment, as it is listed."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def about(self) -> str:
        """What it holds, in words."""

    @property
    def python(self) -> str:
        """The version it asks for."""

    @property
    def version(self) -> str:
        """The version it has, once it was made."""

    @property
    def state(self) -> str:
        """Whether it is there."""

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of its targets."""

    @property
    def bytes(self) -> int:
        """Its size."""

    @property
    def seconds(self) -> float:
        """How long it took to make."""

    @property
    def prefix(self) -> str:
        """Its folder."""

    @property
    def packages(self) -> Mapping[str, str]:
        """Versions by distribution."""


class DiagnosisLike(Protocol):
    """An environment, as it was examined."""

    @property
    def status(self) -> StatusLike:
        """What it is."""

    @property
    def interpreter(self) -> str:
        """What it is made with, or empty."""

    @property
    def problem(self) -> str:
        """What stands in the way, or empty."""

    @property
    def hint(self) -> str:
        """What to do next."""


@contextmanager
def creation_progress(
    stream: TextIO | None,
    name: str,
    quiet: bool = False,
    interval: float = 15.0,
    now: Callable[[], float] = time.monotonic,
) -> Iterator[Callable[[StageLike], None]]:
    """A handler of stages: a spinner on a terminal; elsewhere a line per step and now and then."""
    newest = ""
    with working(stream, name, quiet, interval, now) as tell:

        def stage_told(stage: StageLike) -> None:
            nonlocal newest
            new = not stage.detail and newest != _stage(stage)
            newest = _stage(stage)
            tell(newest, new)

        yield stage_told


def _stage(stage: StageLike) -> str:
    number = f"{stage.number}/{stage.total} " if stage.number else ""
    detail = f": {stage.detail}" if stage.detail else ""
    return f"{number}{stage.what}{detail}"


def created_text(status: StatusLike, new: bool) -> str:
    """What there is now, and what to type next."""
    cost = f", {clock(status.seconds)}" if new else ""
    state = "is ready" if new else "was there already"
    lines = [
        f"{status.name} {state}: Python {status.version}, {plural(len(status.packages), 'package')}"
        f", {_size(status.bytes)}{cost}",
        f"In {status.prefix}",
    ]
    if status.targets:
        lines.append(f"Targets: {', '.join(status.targets)}")
        lines.append(f"Next: assay env doctor {status.name}")
    else:
        lines.append("It offers no target: none of the libraries that Assay knows is in it.")
    return plain("\n".join(lines))


def environments_table(statuses: Sequence[StatusLike], quiet: bool = False) -> RenderableType:
    """One row per environment, then how many are there and what to type next."""
    table = _table("environment", "Python", "state", "size", "what it holds")
    for status in statuses:
        table.add_row(
            plain(status.name),
            status.version or status.python,
            Text(status.state, style=_STYLES.get(status.state, "bold red")),
            _size(status.bytes) if status.bytes else "",
            plain(status.about),
        )
    ready = [status for status in statuses if status.state == "ready"]
    if quiet:
        return table
    verb = "is" if len(ready) == 1 else "are"
    text = f"{plural(len(statuses), 'environment')}, {len(ready)} {verb} ready."
    absent = next((status.name for status in statuses if status.state == "absent"), None)
    if ready:
        text += f" Next: assay env doctor {ready[0].name}"
    elif absent is not None:
        text += f" Next: assay env create {absent}"
    return Group(table, Text(text))


def diagnoses_table(diagnoses: Sequence[DiagnosisLike]) -> RenderableType:
    """One row per environment: what it is made with, and what to do."""
    table = _table("environment", "Python", "state", "")
    for item in diagnoses:
        status = item.status
        remark = ". ".join(filter(None, [item.problem, item.hint])) or item.interpreter
        table.add_row(
            plain(status.name),
            status.version or status.python,
            Text("broken" if item.problem else status.state, style=_style(item)),
            one_line(remark, _WIDEST),
        )
    return table


def _style(item: DiagnosisLike) -> str:
    return "bold red" if item.problem else _STYLES.get(item.status.state, "bold red")


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(1, round(count / 1e6))} MB"
