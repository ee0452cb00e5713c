"""The rules of ``rewrite`` as a table."""

from collections.abc import Sequence

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text


class RuleRow(msgspec.Struct, frozen=True):
    """What a rule says of itself. ``eagle`` is its published number, 0 if it is ours."""

    name: str
    eagle: int
    says: str
    domain: str
    libraries: tuple[str, ...]
    compiles: bool
    special: bool


def rules_table(rows: Sequence[RuleRow]) -> RenderableType:
    """A row each: what must agree, where, and what it applies to."""
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in ("rule", "what must agree", "libraries", "applies to"):
        shown.add_column(column)
    for row in rows:
        shown.add_row(row.name, row.says, ", ".join(row.libraries), row.domain)
    published = sum(1 for row in rows if row.eagle)
    count = f"{len(rows)} rule{'s' if len(rows) != 1 else ''}, {published} of them published."
    return Group(shown, Text(f"{count} Next: assay hunt --technique rewrite --targets torch"))
