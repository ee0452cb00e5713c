"""What ``assay check --onnx-suite`` prints: conformance by runtime and operator."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.ir import Finding, severity
from assay.ir.suite import STATUSES, Outcome, SuiteResult
from assay.report.findings import by_cause, counts
from assay.report.safe import plain
from assay.report.text import categories, clock, plural, short_name, what

#: What a cell of the table of operators says of a status, in a letter.
_LETTERS = {
    "differs": "d",
    "not implemented": "n",
    "refuses": "r",
    "crashes": "c",
    "hangs": "h",
}
#: So many bugs are told below the table; ``assay findings`` has all.
_TOLD = 10


def suite_document(result: SuiteResult, findings: Sequence[Finding]) -> dict[str, Any]:
    """The result as one JSON document, every case of every runtime in it."""
    return {
        "suite": result.suite,
        "version": result.version,
        "opset": result.opset,
        "cases": result.cases,
        "seconds": round(result.seconds, 1),
        "campaign": result.campaign,
        "store": result.store,
        "targets": [
            {
                "name": name,
                "versions": result.versions[name],
                **_counted(result.counts(name)),
                "judged": dict(_judged(result, name)),
            }
            for name in result.targets
        ],
        "ops": {
            op: {name: _counted(result.counts(name, op)) for name in result.targets}
            for op in result.ops
        },
        "outcomes": [_outcome(item) for item in result.outcomes if item.status != "passes"],
        "findings": [
            {
                "id": item.id,
                "category": item.category,
                "kind": item.kind,
                "op": item.op,
                "blamed": list(item.blamed),
                "severity": severity(item) if item.category == "bug" else "",
                "what": what(item),
            }
            for item in findings
        ],
    }


def _counted(found: Mapping[str, int]) -> dict[str, int]:
    return {status: found.get(status, 0) for status in STATUSES if status != "not run"}


def _judged(result: SuiteResult, target: str) -> Counter[str]:
    return Counter(
        item.category for item in result.outcomes if item.target == target and item.category
    )


def _outcome(item: Outcome) -> dict[str, Any]:
    """A case that does not pass."""
    apart = item.difference
    return {
        "case": item.case,
        "op": item.op,
        "target": item.target,
        "status": item.status,
        "category": item.category,
        "reason": item.reason,
        "rule": item.rule,
        "message": item.message,
        "finding": item.finding,
        **({"difference": _difference(item)} if apart else {}),
    }


def _difference(item: Outcome) -> dict[str, Any]:
    apart = item.difference
    assert apart is not None  # callers look first
    return {
        "what": apart.what,
        "output": apart.output,
        "position": list(apart.position),
        "expected": apart.expected,
        "given": apart.given,
        "units": apart.units,
        "share": apart.share,
    }


def suite_text(
    result: SuiteResult, findings: Sequence[Finding], page: str = "", options: str = ""
) -> RenderableType:
    """Runtimes, the operators that do not simply pass, and what was found."""
    head = f"ONNX {result.version}, opset {result.opset}: {plural(result.cases, 'case')} of "
    head += f"{plural(len(result.ops), 'operator')} in {clock(result.seconds)}"
    shown = troubled(result)
    parts: list[RenderableType] = [Text(head, style="bold"), Text(), runtimes_table(result)]
    judged = [line for line in (*judged_lines(result), *fault_lines(result)) if line]
    parts += [Text(), *map(Text, judged)] if judged else []
    if shown:
        parts += [Text(), ops_table(result, shown)]
    rest = len(result.ops) - len(shown)
    if rest:
        told = "All others pass" if shown else "All pass"
        lacking = "" if shown else " or lack them"
        parts.append(Text(f"{told} where they are implemented{lacking}: {rest:,}.", style="dim"))
    parts += [Text(), *_found(findings, options)]
    if page:
        parts.append(Text(f"Report: {page}"))
    return Group(*parts)


def runtimes_table(result: SuiteResult) -> Table:
    """A row per runtime: how many cases of each status."""
    names = [s for s in STATUSES if any(result.counts(t)[s] for t in result.targets)]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("", no_wrap=True)
    for name in names:
        table.add_column(name, justify="right")
    table.add_column("version", no_wrap=True)
    for target in result.targets:
        found = result.counts(target)
        table.add_row(
            Text(plain(target)), *(f"{found[name]:,}" for name in names), version(result, target)
        )
    return table


def version(result: SuiteResult, target: str) -> str:
    """The version of what runs the cases."""
    known = {k: v for k, v in result.versions[target].items() if k != "python"}
    own = next((v for name, v in known.items() if target.startswith(name) and name != "onnx"), "")
    return own or known.get("onnx", "")


def judged_lines(result: SuiteResult) -> list[str]:
    """What differences and refusals were judged to be, a line per runtime."""
    lines = []
    for target in result.targets:
        said = [
            f"{status} {result.counts(target)[status]:,}: {told}"
            for status in ("differs", "refuses")
            if (told := categories(_ordered(result.categories(target, status))))
        ]
        lines.append(f"{target}  {' · '.join(said)}" if said else "")
    return lines


def fault_lines(result: SuiteResult) -> list[str]:
    """What Assay itself failed on, if it did on anything."""
    failed = [item for item in result.outcomes if item.status == "not run"]
    if not failed:
        return []
    first = f"{failed[0].case} on {failed[0].target}: {failed[0].message}"
    return [f"{plural(len(failed), 'fault')} of Assay's own, please report: {first}"]


def _ordered(found: Mapping[str, int]) -> dict[str, int]:
    order = ("bug", "undecided", "convention", "rounding", "unsupported", "flaky")
    return {name: found[name] for name in order if found.get(name)}


def troubled(result: SuiteResult) -> tuple[str, ...]:
    """The operators that some runtime has and gets wrong, refuses or dies of."""
    wrong = ("differs", "refuses", "crashes", "hangs")
    found = {item.op for item in result.outcomes if item.status in wrong}
    return tuple(op for op in result.ops if op in found)


def ops_table(result: SuiteResult, ops: Sequence[str]) -> Table:
    """A row per operator: how many of its cases pass on each runtime, and what the others do."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("operator", overflow="fold")
    table.add_column("cases", justify="right")
    for target in result.targets:
        table.add_column(plain(target), overflow="fold")
    for op in ops:
        rows = [cell(result.counts(target, op)) for target in result.targets]
        count = sum(result.counts(result.targets[0], op).values())
        table.add_row(short_name(op), str(count), *map(Text, rows))
    table.caption = "a number passes; " + ", ".join(
        f"{letter} {name}" for name, letter in _LETTERS.items()
    )
    table.caption_justify = "left"
    return table


def cell(found: Mapping[str, int]) -> str:
    """``38 d4 n2``: how many pass, and what the others do."""
    others = [f"{letter}{found[name]}" for name, letter in _LETTERS.items() if found.get(name)]
    return " ".join([str(found.get("passes", 0)), *others])


def _found(findings: Sequence[Finding], options: str) -> list[RenderableType]:
    """The bugs, by cause, and what to type next."""
    groups = [group for group in by_cause(findings) if group.category == "bug"]
    lines: list[RenderableType] = []
    for group in groups[:_TOLD]:
        lines.append(Text(f"{plain(group.first.id)}  {what(group.first)}"))
    if len(groups) > _TOLD:
        lines.append(Text(f"… and {len(groups) - _TOLD} more"))
    lines.append(Text(categories(counts(findings)) or "No findings"))
    if findings:
        lines.append(Text(f"Next: assay findings{options} · assay show {findings[0].id}{options}"))
    return lines
