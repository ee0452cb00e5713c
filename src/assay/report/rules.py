"""The rules of ``rewrite``: a table of all, or what single ones apply to."""

from collections.abc import Sequence

import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

_NEXT = "assay rules NAME says what a rule applies to. Next: "
_HUNT = "assay hunt --technique rewrite --targets torch"


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
    """A row each: what must agree, and of which libraries."""
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    shown.add_column("rule", no_wrap=True)
    shown.add_column("what must agree")
    shown.add_column("libraries")
    for row in rows:
        shown.add_row(row.name, row.says, ", ".join(row.libraries))
    published = sum(1 for row in rows if row.eagle)
    return Group(shown, Text(f"{len(rows)} rules, {published} of them published. {_NEXT}{_HUNT}"))


def rules_text(rows: Sequence[RuleRow]) -> RenderableType:
    """A paragraph each, with its domain."""
    parts: list[RenderableType] = []
    for row in rows:
        origin = f"rule {row.eagle} of EAGLE" if row.eagle else "not published before"
        values = "any values" if row.special else "ordinary values"
        slow = " · compiles" if row.compiles else ""
        parts += [
            Text(row.name, style="bold").append(f"  {row.says}", style="not bold"),
            Padding(Text(f"applies to  {row.domain}"), (0, 0, 0, 2)),
            Padding(Text(f"{', '.join(row.libraries)} · {values} · {origin}{slow}"), (0, 0, 0, 2)),
        ]
    names = ",".join(row.name for row in rows)
    target = rows[0].libraries[-1] if "keras" not in rows[0].libraries else "keras-torch"
    parts.append(Text(f"Next: assay hunt --technique rewrite --rules {names} --targets {target}"))
    return Group(*parts)
