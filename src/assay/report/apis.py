"""Catalogues as tables: what ``assay apis`` prints."""

from collections.abc import Sequence
from typing import Any

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.catalogue.records import Call, Entry, Snapshot, Tensor
from assay.ir.message import normalised
from assay.report.safe import one_line
from assay.report.text import plural

#: A share of valid draws that makes an API count.
VALID = 0.9
_MOST_PROBLEMS = 8


class Counts(msgspec.Struct, frozen=True):
    """A namespace in numbers. ``valid`` are APIs of whose draws 90% and more are valid."""

    namespace: str
    apis: int
    usable: int
    valid: int
    calls: int
    undefined: int
    crashes: int


class Problem(msgspec.Struct, frozen=True):
    """A reason why APIs have no call, without what differs, and an example."""

    reason: str
    apis: int
    example: str


def counts(snapshot: Snapshot) -> tuple[Counts, ...]:
    """One of each namespace, and of all forms together (function, method …)."""
    spaces = sorted({entry.namespace for entry in snapshot.entries})
    return tuple(
        _counted(space, [entry for entry in snapshot.entries if entry.namespace == space])
        for space in spaces
    )


def by_form(snapshot: Snapshot) -> tuple[Counts, ...]:
    """The same by form, then all."""
    forms = sorted({entry.form for entry in snapshot.entries})
    rows = [
        _counted(f"all {form}s", [entry for entry in snapshot.entries if entry.form == form])
        for form in forms
    ]
    return (*rows, _counted("all", snapshot.entries))


def _counted(name: str, entries: Sequence[Entry]) -> Counts:
    usable = [entry for entry in entries if entry.calls]
    return Counts(
        name,
        len(entries),
        len(usable),
        sum(validity(entry) >= VALID for entry in usable),
        sum(len(entry.calls) for entry in usable),
        sum(bool(entry.undefined) for entry in usable),
        sum(bool(entry.crashes) for entry in entries),
    )


def validity(entry: Entry) -> float:
    """The share of an API's draws that were valid: hunts draw its calls alike."""
    return sum(call.valid for call in entry.calls) / max(1, len(entry.calls))


def problems(snapshot: Snapshot) -> tuple[Problem, ...]:
    """Why APIs have no call, the most frequent first."""
    by_reason: dict[str, list[Entry]] = {}
    for entry in snapshot.entries:
        if not entry.calls:
            by_reason.setdefault(normalised(entry.problem), []).append(entry)
    ranked = sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(Problem(reason, len(held), held[0].api) for reason, held in ranked)


def document(snapshot: Snapshot, entries: Sequence[Entry], digest: str) -> dict[str, Any]:
    """Everything, for ``--json``; the entries may be some of all, the hash is that of all."""
    return {
        "library": snapshot.library,
        "version": snapshot.version,
        "format": snapshot.format,
        "digest": digest,
        "namespaces": counts(snapshot),
        "forms": by_form(snapshot),
        "problems": problems(snapshot),
        "apis": tuple(entries),
    }


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for place, column in enumerate(columns):
        name = place == 0
        # Numbers give way, heads in two lines: a name that is broken is not to be copied.
        table.add_column(column, justify="left" if name else "right", overflow="fold", no_wrap=name)
    return table


def catalogues_table(snapshots: Sequence[Snapshot]) -> RenderableType:
    """Every catalogue that there is, a row each."""
    table = _table("library", "version", "APIs", "with calls", "90% valid", "calls", "hash")
    for item in snapshots:
        row = by_form(item)[-1]
        numbers = (row.apis, row.usable, row.valid, row.calls)
        table.add_row(item.library, item.version, *(f"{n:,}" for n in numbers), item.digest)
    return table


def namespaces_table(snapshot: Snapshot, digest: str) -> RenderableType:
    """APIs and validity by namespace and form, then what keeps the others from having calls."""
    table = _table(
        "namespace", "APIs", "with calls", "90% valid", "calls", "undefined", "crash when probed"
    )
    for row in (*counts(snapshot), *by_form(snapshot)):
        numbers = (row.apis, row.usable, row.valid, row.calls, row.undefined, row.crashes)
        table.add_row(row.namespace, *(f"{number:,}" for number in numbers))
    shown: list[RenderableType] = [table]
    ranked = problems(snapshot)
    if ranked:
        reasons = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for column in ("APIs", "why they have no call", "for example"):
            reasons.add_column(column, overflow="fold")
        for problem in ranked[:_MOST_PROBLEMS]:
            told = Text(one_line(problem.reason, 100))
            reasons.add_row(str(problem.apis), told, Text(problem.example))
        rest = sum(problem.apis for problem in ranked[_MOST_PROBLEMS:])
        if rest:
            reasons.add_row(str(rest), Text("other reasons (--json has them all)"), "")
        shown += [Text(), reasons]
    what = f"{snapshot.library} {snapshot.version}, hash {digest}."
    shown += [Text(), Text(f"{what} Next: assay apis {snapshot.library} PATTERN")]
    return Group(*shown)


def entries_table(entries: Sequence[Entry]) -> RenderableType:
    """Single APIs: each call, and within which bounds it may be drawn."""
    lines = []
    for entry in entries:
        head = Text(entry.api, style="bold")
        for told in (entry.undefined and f"undefined: {entry.undefined}", *entry.crashes):
            if told:
                head.append(f"  {one_line(told, 120)}", style="not bold yellow")
        lines.append(head)
        if not entry.calls:
            lines.append(Text(f"  no call: {one_line(entry.problem, 160)}", style="dim"))
        lines += [Text(f"  {one_line(line, 400)}") for call in entry.calls for line in _told(call)]
    usable = sum(bool(entry.calls) for entry in entries)
    calls = sum(len(entry.calls) for entry in entries)
    total = plural(len(entries), "API")
    return Group(*lines, Text(f"{total}, {usable} with {plural(calls, 'call')}"))


def _told(call: Call) -> tuple[str, ...]:
    """A call in two lines: what is called with what, and what may change."""
    tensors = {item.name: _tensor(item) for item in call.inputs}
    arguments = ", ".join(
        _value(value, tensors) if key.isdigit() else f"{key}={_value(value, tensors)}"
        for key, value in call.arguments.items()
    )
    made = ", ".join(
        _value(value, {}) if key.isdigit() else f"{key}={_value(value, {})}"
        for key, value in call.params.items()
    )
    sizes = ", ".join(
        f"{symbol} {'|'.join(map(str, worked))}" for symbol, worked in sorted(call.sizes.items())
    )
    may = [sizes, " ".join(call.dtypes), " ".join(call.special)]
    may.append(f"valid {call.valid:.0%}")
    return (
        f"({made})({arguments})" if made else f"({arguments})",
        "  " + " · ".join(filter(None, may)),
    )


def _tensor(item: Tensor) -> str:
    """A tensor with its shape, its dtype and its values."""
    shape = ",".join(map(str, item.shape))
    values = item.structure or ("any" if item.free else f"{item.low:g}..{item.high:g}")
    if item.values is not None:
        values = "as they are"
    return f"{item.name}[{shape}] {item.dtype} {values if item.dtype != 'bool' else ''}".rstrip()


def _value(value: Any, tensors: dict[str, str]) -> str:
    if isinstance(value, dict) and len(value) == 1:
        ((kind, content),) = value.items()
        if kind == "$tensor":
            return tensors.get(content, str(content))
        if kind in ("$size", "$dtype", "$name", "$number"):
            return str(content)
        if kind == "$made":
            return f"{content[0]}({', '.join(_value(item, tensors) for item in content[1:])})"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_value(item, tensors) for item in value)}]"
    return repr(value)
