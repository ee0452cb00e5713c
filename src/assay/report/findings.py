"""The table of findings, and the lines below it."""

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.campaign.events import Summary
from assay.ir import CATEGORIES, Finding
from assay.report.safe import plain
from assay.report.text import categories, clock, plural, what

STYLES = {"bug": "bold red", "undecided": "magenta", "convention": "yellow", "flaky": "yellow"}

#: What is listed without being asked for: bugs, and what must agree though nobody knows the truth.
LISTED = ("bug", "undecided")


def listed(findings: Sequence[Finding], everything: bool) -> list[Finding]:
    """The findings a table shows: bugs and what is undecided, or all of them; bugs first."""
    order = {category: index for index, category in enumerate(CATEGORIES)}
    shown = [finding for finding in findings if everything or finding.category in LISTED]
    return sorted(shown, key=lambda finding: order[finding.category])


def counts(findings: Sequence[Finding]) -> dict[str, int]:
    """Findings by category, bugs first, only those that occur."""
    seen = [finding.category for finding in findings]
    return {category: seen.count(category) for category in CATEGORIES if category in seen}


def findings_table(findings: Sequence[Finding]) -> Table:
    """One row per finding, in the order given."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("id", no_wrap=True)
    table.add_column("category", no_wrap=True)
    table.add_column("what", overflow="fold", min_width=24)
    table.add_column("blamed", overflow="fold")
    table.add_column("stage", no_wrap=True)
    table.add_column("seen", no_wrap=True, justify="right")
    for finding in findings:
        table.add_row(
            Text(plain(finding.id), style="cyan"),
            Text(finding.category, style=STYLES.get(finding.category, "")),
            Text(what(finding)),
            Text(plain(", ".join(finding.blamed)) or "undecided"),
            Text(finding.stage),
            Text(f"{finding.count:,}×"),
        )
    return table


def _hidden(findings: Sequence[Finding], everything: bool) -> str:
    """How to see the findings that were only counted, if there are any."""
    hidden = not everything and any(f.category not in LISTED for f in findings)
    return " (--all lists them all)" if hidden else ""


def hunt_result(summary: Summary, everything: bool = False, options: str = "") -> RenderableType:
    """What a finished hunt leaves on the screen: table, counts, what to type next.

    ``options`` are the options that the next command needs to find the store.
    """
    rows = listed(summary.findings, everything)
    found = categories(counts(summary.findings)) or "No findings"
    found += _hidden(summary.findings, everything)
    trials = plural(summary.trials, "trial")
    line = f"{found} in {trials} and {clock(summary.seconds)} (seed {summary.seed})."
    line += f" Store: {summary.store}"
    parts: list[RenderableType] = [findings_table(rows)] if rows else []
    parts.append(Text(line))
    parts += [Text(text) for text in (coverage(summary.coverage), _suppressed(summary)) if text]
    if summary.cores:
        parts.append(Text(f"cores {summary.cores:.0%} while it ran"))
    if summary.faults:
        # Not only a line among others, long gone: what was left out was not judged.
        told = f"{plural(summary.faults, 'fault')} of Assay's own, see above: please report"
        parts.append(Text(told, style="yellow"))
    if summary.left_out:
        told = f"Not tested, because it was left out (see above): {', '.join(summary.left_out)}"
        parts.append(Text(told, style="yellow"))
    if summary.interrupted:
        parts.append(Text("Interrupted; everything found so far is stored."))
        parts.append(Text(f"Next: assay hunt --resume{options}"))
    elif summary.untested:
        parts.append(Text(f"Nothing was tested: {summary.untested}", style="yellow"))
    elif rows:
        parts.append(Text(_next(rows[0], options)))
    elif summary.findings:
        parts.append(Text(f"Next: assay findings --all{options}"))
    else:
        parts.append(Text("Next: assay hunt --budget 10m"))
    return Group(*parts)


def coverage(known: Mapping[str, float]) -> str:
    """How much of the vocabulary was compared, and how daring the cases were."""
    names = {
        "ops": "of the vocabulary compared",
        "classes": "of its parameter and value classes",
        "valid": "of the cases meant to be valid ran",
        "edges": "of all cases hold a boundary or special class",
        "lines": "of the package's Python lines ran",
    }
    shares = [f"{known[key]:.1%} {text}" for key, text in names.items() if key in known]
    return " · ".join(shares)


def _suppressed(summary: Summary) -> str:
    """How many trials each entry of the data files silenced, most first."""
    most = sorted(summary.suppressed.items(), key=lambda item: (-item[1], item[0]))
    entries = ", ".join(f"{entry} {count:,}×" for entry, count in most)
    return f"Recognised as expected: {entries}" if entries else ""


def findings_result(
    findings: Sequence[Finding], store: str, everything: bool = False, options: str = ""
) -> RenderableType:
    """What ``assay findings`` prints; ``options`` as in ``hunt_result``."""
    rows = listed(findings, everything)
    parts: list[RenderableType] = [findings_table(rows)] if rows else []
    found = categories(counts(findings)) or "No findings"
    parts.append(Text(f"{found}{_hidden(findings, everything)}. Store: {store}"))
    if rows:
        parts.append(Text(_next(rows[0], options)))
    return Group(*parts)


def groups_result(groups: Sequence[Sequence[Finding]]) -> RenderableType:
    """Findings by probable cause: the first of each group, and the ops and ids of the others."""
    parts: list[RenderableType] = []
    for group in groups:
        first = group[0]
        head = Text(plain(first.id), style="cyan")
        head.append(f"  {what(first)}  ", style="bold")
        head.append(plain(", ".join(first.blamed)) or "undecided")
        head.append(f"  {sum(item.count for item in group):,}×")
        parts.append(head)
        for other in group[1:]:
            line = Text("    ")
            line.append(plain(other.id), style="cyan")
            line.append(f"  {what(other)}")
            parts.append(line)
    count = sum(len(group) for group in groups)
    parts.append(Text(f"{plural(count, 'finding')} of {plural(len(groups), 'probable cause')}"))
    return Group(*parts)


def baseline_result(
    new: Sequence[Finding], known: int, fixed: Sequence[tuple[str, str]]
) -> RenderableType:
    """New bugs as a table, then the known ones counted, then those no longer there."""
    parts: list[RenderableType] = [findings_table(new)] if new else []
    parts += [Text(plain(f"no longer there: {name}  {text}")) for name, text in fixed]
    line = f"{plural(len(new), 'new bug')}, {known:,} known, {len(fixed):,} no longer there"
    parts.append(Text(line))
    return Group(*parts)


def _next(finding: Finding, options: str) -> str:
    name = plain(finding.id)
    return f"Next: assay show {name}{options} · assay replay {name}{options}"
