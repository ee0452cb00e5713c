"""The table of findings, and the lines below it."""

from collections.abc import Mapping, Sequence

from rich.console import Group as Stacked
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from assay.campaign.events import Summary
from assay.ir import CATEGORIES, Finding, Group, grouped, severity, severity_rank
from assay.report.safe import plain
from assay.report.text import categories, clock, plural, short_name, what

STYLES = {"bug": "bold red", "undecided": "magenta", "convention": "yellow", "flaky": "yellow"}

#: What is listed without being asked for: bugs, and what must agree though nobody knows the truth.
LISTED = ("bug", "undecided")


#: As many of the other ops that a cause affects are named.
_NAMED = 6


def listed(findings: Sequence[Finding], everything: bool) -> list[Finding]:
    """The findings a table shows: bugs and what is undecided, or all of them.

    Bugs first, and of each category the worst.
    """
    order = {category: index for index, category in enumerate(CATEGORIES)}
    shown = [finding for finding in findings if everything or finding.category in LISTED]
    return sorted(shown, key=lambda finding: (order[finding.category], severity_rank(finding)))


def by_cause(findings: Sequence[Finding], everything: bool = True) -> list[Group]:
    """The bugs by cause, the worst first; everything else, if it is listed, one by one."""
    shown = listed(findings, everything)
    bugs = grouped([finding for finding in shown if finding.category == "bug"])
    return [*bugs, *(Group((finding,)) for finding in shown if finding.category != "bug")]


def counts(findings: Sequence[Finding]) -> dict[str, int]:
    """How many there are by category, bugs first, only those that occur.

    Findings of one cause are one bug.
    """
    seen = [group.category for group in by_cause(findings)]
    return {category: seen.count(category) for category in CATEGORIES if category in seen}


def causes_table(groups: Sequence[Group]) -> Table:
    """One row per cause, in the order given, with the other ops that it affects."""
    table = _table("id", "severity", "what", "blamed", "seen")
    for group in groups:
        first = group.first
        told = Text(what(first))
        if group.affects:
            told.append(f"\nalso affects: {also(group)}", style="dim")
        rank = severity(first) if first.category == "bug" else first.category
        style = STYLES.get(first.category, "")
        table.add_row(_id(first), Text(rank, style=style), told, _blamed(first), _seen(group.count))
    return table


def also(group: Group) -> str:
    """The other ops that a cause affects, in a few words."""
    names = [plain(short_name(op)) for op in group.affects]
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + rest


def findings_table(findings: Sequence[Finding]) -> Table:
    """One row per finding, in the order given."""
    table = _table("id", "category", "what", "blamed", "stage", "seen")
    for finding in findings:
        table.add_row(
            _id(finding),
            Text(finding.category, style=STYLES.get(finding.category, "")),
            Text(what(finding)),
            _blamed(finding),
            Text(finding.stage),
            _seen(finding.count),
        )
    return table


def _table(*columns: str) -> Table:
    """Only what there is to say, and who is blamed, is wrapped."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in columns:
        match name:
            case "what":
                table.add_column(name, overflow="fold", min_width=24)
            case "blamed":
                table.add_column(name, overflow="fold")
            case _:
                table.add_column(name, no_wrap=True, justify="right" if name == "seen" else "left")
    return table


def _id(finding: Finding) -> Text:
    return Text(plain(finding.id), style="cyan")


def _blamed(finding: Finding) -> Text:
    return Text(plain(", ".join(finding.blamed)) or "undecided")


def _seen(count: int) -> Text:
    return Text(f"{count:,}×")


def _hidden(findings: Sequence[Finding], everything: bool) -> str:
    """How to see the findings that were only counted, if there are any."""
    hidden = not everything and any(f.category not in LISTED for f in findings)
    return " (--all lists them all)" if hidden else ""


def hunt_result(summary: Summary, everything: bool = False, options: str = "") -> RenderableType:
    """What a finished hunt leaves on the screen: table, counts, what to type next.

    ``options`` are the options that the next command needs to find the store.
    """
    rows = by_cause(summary.findings, everything)
    found = categories(counts(summary.findings)) or "No findings"
    found += _hidden(summary.findings, everything)
    trials = plural(summary.trials, "trial")
    line = f"{found} in {trials} and {clock(summary.seconds)} (seed {summary.seed})."
    line += f" Store: {summary.store}"
    parts: list[RenderableType] = [causes_table(rows)] if rows else []
    parts.append(Text(line))
    more = (coverage(summary.coverage), _searches(summary.searches), _suppressed(summary))
    parts += [Text(text) for text in more if text]
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
        parts.append(Text(_next(rows[0].first, options)))
    elif summary.findings:
        parts.append(Text(f"Next: assay findings --all{options}"))
    else:
        parts.append(Text("Next: assay hunt --budget 10m"))
    return Stacked(*parts)


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


def _searches(known: Mapping[str, int]) -> str:
    """How many searches there were, and what came of them."""
    if not known:
        return ""
    searches = plural(known["searches"], "search", "searches")
    individuals = plural(known["evaluations"], "individual")
    return f"{searches} of {individuals}, of which {known['shown']:,} showed a bug"


def _suppressed(summary: Summary) -> str:
    """How many trials each entry of the data files silenced, most first."""
    most = sorted(summary.suppressed.items(), key=lambda item: (-item[1], item[0]))
    entries = ", ".join(f"{entry} {count:,}×" for entry, count in most)
    return f"Recognised as expected: {entries}" if entries else ""


def findings_result(
    findings: Sequence[Finding],
    store: str,
    everything: bool = False,
    options: str = "",
    flat: bool = False,
) -> RenderableType:
    """What ``assay findings`` prints: causes, or if ``flat`` every finding by itself.

    ``options`` as in ``hunt_result``.
    """
    rows = listed(findings, everything)
    groups = by_cause(findings, everything)
    parts: list[RenderableType] = []
    if rows:
        parts.append(findings_table(rows) if flat else causes_table(groups))
    found = categories(counts(findings)) or "No findings"
    behind = _hidden(findings, everything)
    if not flat and len(rows) > len(groups):
        behind += f" of {plural(len(findings), 'finding')} (--flat lists each)"
    parts.append(Text(f"{found}{behind}. Store: {store}"))
    if rows:
        parts.append(Text(_next((rows if flat else [groups[0].first])[0], options)))
    return Stacked(*parts)


def baseline_result(
    new: Sequence[Finding], known: int, fixed: Sequence[tuple[str, str]]
) -> RenderableType:
    """New bugs as a table, then the known ones counted, then those no longer there."""
    parts: list[RenderableType] = [findings_table(new)] if new else []
    parts += [Text(plain(f"no longer there: {name}  {text}")) for name, text in fixed]
    line = f"{plural(len(new), 'new bug')}, {known:,} known, {len(fixed):,} no longer there"
    parts.append(Text(line))
    return Stacked(*parts)


def _next(finding: Finding, options: str) -> str:
    name = plain(finding.id)
    return f"Next: assay show {name}{options} · assay replay {name}{options}"
