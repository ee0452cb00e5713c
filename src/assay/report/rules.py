"""The rules of ``rewrite``: a table of all, or what single ones apply to."""

from collections.abc import Sequence

import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.ir.pairs import Pairs

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


#: Pairs that EAGLE had, as published (ICSE 2022, section 5.1 and table 3).
_EAGLE = (
    "EAGLE had 6,861 pairs: 5,817 of TensorFlow 2.1, 2.2 and 2.3, 1,044 of PyTorch 1.6 and 1.9."
)


def pairs_table(pairs: Pairs) -> RenderableType:
    """A row for each rule, the published ones first, and each of those as one."""
    libraries = tuple(pairs.pairs)
    shown = _counts("rule", "EAGLE", libraries)
    for row in pairs.rules:
        number = str(row.eagle) if row.eagle else ""
        shown.add_row(row.rule, number, *(_count(row.apis[name]) for name in libraries))
    shown.add_row("pairs", "", *(_count(pairs.pairs[name]) for name in libraries), style="bold")
    shown.add_row("different APIs", "", *(_count(pairs.apis[name]) for name in libraries))
    published = _counts("EAGLE", "rules", libraries)
    for item in pairs.published:
        counted = (_both(item.apis[name], item.pairs[name]) for name in libraries)
        published.add_row(str(item.eagle), ", ".join(item.rules), *counted)
    sums = {name: sum(item.pairs[name] for item in pairs.published) for name in libraries}
    published.add_row("pairs", "", *(_count(sums[name]) for name in libraries), style="bold")
    lines = [
        f"{item.library} {item.version}: {item.apis:,} APIs that have a call"
        if item.version
        else f"{item.library}: {item.apis:,} ops of the shared vocabulary"
        for item in pairs.sources
    ]
    missing = [
        f"{name} is left out: {pairs.problems[name]}"
        if name in pairs.problems
        else f"{name} has no catalogue yet: assay apis {name} --build"
        for name in pairs.left_out
    ]
    total = (
        f"{sum(pairs.pairs.values()):,} pairs, {sum(sums.values()):,} of them by published rules"
    )
    told = Text("\n".join([*lines, *missing, f"{total}.", _EAGLE]))
    return Group(shown, Text(), Text("As EAGLE counts: APIs (pairs, if more)"), published, told)


def _counts(first: str, second: str, libraries: Sequence[str]) -> Table:
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    made.add_column(first, no_wrap=True)
    made.add_column(second)
    for name in libraries:
        made.add_column(name, justify="right", no_wrap=True)
    return made


def _count(number: int) -> str:
    return f"{number:,}" if number else "–"


def _both(apis: int, pairs: int) -> str:
    return _count(apis) if apis == pairs else f"{apis:,} ({pairs:,})"


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
