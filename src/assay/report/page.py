"""The page of one finding: what ``assay show`` prints."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.ir import Evidence, Finding, Observation, fix, severity
from assay.report.findings import STYLES
from assay.report.model import model_facts
from assay.report.safe import plain
from assay.report.text import (
    array_name,
    call,
    elements,
    graph_code,
    literal,
    number,
    plural,
    subject,
    value,
    what,
)

#: The end of a stack names the place; its beginning is the harness.
STACK_LINES = 8
_INDENT = 6


def finding_page(
    finding: Finding,
    options: str = "",
    short: str = "",
    also: Sequence[Observation] = (),
    siblings: Sequence[Finding] = (),
) -> RenderableType:
    """The page: who is wrong, the call, what each target gave, and how sure we are.

    ``options`` are the options that the replay command needs to find the store. ``short`` are
    the few lines that a person would type, ``also`` what others say who are no targets,
    ``siblings`` the other findings of its cause.
    """
    title = Text(plain(finding.id), style="bold cyan")
    title.append("  ")
    title.append(finding.category, style=STYLES.get(finding.category, "bold"))
    title.append(f" · {finding.kind} · {finding.stage}", style="not bold default")
    body: list[RenderableType] = [Text(blame(finding)), Text(_call(finding), style="bold")]
    if len(finding.case.graph.nodes) > 1:
        body += [Text(f"  {line}", style="dim") for line in graph_code(finding.case.graph)]
    if short:
        body += [Text(), *(Text(plain(line)) for line in short.split("\n"))]
    told = (*finding.evidence.observations, *also)
    body += [Text(), _observations(told), Text(), _facts(finding)]
    if siblings:
        told_so = [f"  {plain(item.id)}  {what(item)}" for item in siblings]
        body += [Text(), Text("Also affects:"), *map(Text, told_so)]
    if finding.evidence.stack.strip():
        body += [Text(), Text(_stack(finding.evidence.stack), style="dim")]
    return Group(
        title,
        Padding(Group(*body), (0, 0, 0, _INDENT), expand=False),
        Text(f"Replay with: assay replay {plain(finding.id)}{options}"),
    )


def blame(finding: Finding) -> str:
    """Who is wrong, and why we say so."""
    reason = finding.evidence.reason.strip()
    if not finding.blamed:
        reason = reason.removeprefix("undecidable: ")
        return plain(f"undecided who is wrong: {reason}" if reason else "undecided who is wrong")
    one = len(finding.blamed) == 1
    verb = "is wrong" if one else "are wrong"
    if finding.category == "convention":  # where several answers are right, nobody is wrong
        verb = "differs" if one else "differ"
    who = f"{', '.join(finding.blamed)} {verb}"
    if finding.evidence.astray:
        astray = finding.evidence.astray
        verb = "differs" if len(astray) == 1 else "differ"
        who += f" ({', '.join(astray)} {verb} in another way)"
    return plain(f"{who}: {reason}" if reason else who)


def _call(finding: Finding) -> str:
    case = finding.case
    if len(case.graph.nodes) == 1:
        return plain(subject(finding))
    return plain(f"{call(finding.op, finding.params)}, node {finding.node} of:")


def _observations(observations: Sequence[Observation]) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, justify="right")
    table.add_column(overflow="fold")
    for observation in observations:
        table.add_row(
            Text(plain(observation.target)),
            Text("" if observation.value is None else value(observation.value), style="bold"),
            Text(_summary(observation)),
        )
    return table


def _summary(observation: Observation) -> str:
    """What the arm showed, unless that is only its value once more."""
    summary = plain(observation.summary)
    try:
        repeats = observation.value is not None and value(float(summary)) == value(
            observation.value
        )
    except ValueError:
        return summary
    return "" if repeats else summary


def _facts(finding: Finding) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for name, text in facts(finding):
        table.add_row(name, Text(text))
    return table


def facts(finding: Finding) -> list[tuple[str, str]]:
    """The labelled lines of the page; a line that has nothing to say is left out."""
    evidence = finding.evidence
    bug = finding.category == "bug"
    rows = [
        ("severity", severity(finding) if bug else ""),
        ("comes from", plain(finding.cause.place) if finding.cause is not None else ""),
        ("fix", plain(fix(finding)) if bug else ""),
        ("at", _place(evidence)),
        ("deviation", _deviation(finding)),
        *((name, plain(text)) for name, text in model_facts(finding)),
        ("message", plain(evidence.message).strip()),
        ("responsible", _responsible(finding)),
        ("intent", _intent(finding)),
        ("confirmed", _confirmed(finding)),
        ("script", plain(_script(finding))),
        ("reduced", _reduced(finding)),
        ("recognised", plain(finding.recognised)),
        ("first seen", _first_seen(finding)),
    ]
    versions = [
        f"{target}: {', '.join(f'{name} {version}' for name, version in packages.items())}"
        for target, packages in finding.versions.items()
    ]
    rows.append(("versions", plain("\n".join(versions))))
    rows.append(("machine", plain(_machine(finding))))
    return [row for row in rows if row[1]]


def _machine(finding: Finding) -> str:
    """The CPU, and what those who are blamed, or all, say of their kernels."""
    told = {name: item.machine for name, item in finding.platforms.items() if item.machine.cpu}
    if not told:
        return ""
    parts = [next(iter(told.values())).processor]
    for name in finding.blamed or finding.targets:
        if name in told and told[name].said:
            parts.append(f"{name}: {told[name].said}")
    return "; ".join(parts)


def _place(evidence: Evidence) -> str:
    if not evidence.where:
        return ""
    position = f"[{','.join(map(str, evidence.position))}] of " if evidence.position else ""
    return plain(position + array_name(evidence.where))


def _deviation(finding: Finding) -> str:
    # A deviation from NaN is no number, and one between shapes has none.
    if finding.evidence.tolerance is None or finding.kind == "nan" or not finding.magnitude:
        return ""
    tolerance = number(finding.evidence.tolerance)
    return f"{number(finding.magnitude)}, rounding explains ≤ {tolerance}"


def _responsible(finding: Finding) -> str:
    return plain(responsibility(finding))


def responsibility(finding: Finding) -> str:
    """Which parameters make the difference, and which of those given do not."""
    shown = [
        f"{name}={literal(finding.params[name])}" if name in finding.params else f"{name} (default)"
        for name in finding.responsible
    ]
    reduction = finding.reduction
    joined = " with ".join(shown) if reduction and reduction.together else " · ".join(shown)
    idle = [name for name in finding.params if reduction and name in reduction.irrelevant]
    parts = [joined] if joined else []
    if idle:
        parts.append(f"{', '.join(idle)}: other values show it too")
    if reduction and reduction.partial:
        parts.append(f"{', '.join(reduction.partial)}: some other values show it, some do not")
    return " · ".join(parts)


def _intent(finding: Finding) -> str:
    if finding.intent != "invalid":
        return ""
    suspect = finding.spoilt
    value = f"={literal(finding.params[suspect])}" if suspect in finding.params else ""
    return plain(f"meant to be refused: {suspect}{value} is invalid")


def _confirmed(finding: Finding) -> str:
    evidence = finding.evidence
    text = f"{evidence.confirmations} of {evidence.attempts} times" if evidence.attempts else ""
    if evidence.anew:
        text += ", also in new processes"
    if finding.script is not None:
        said = finding.script.reason
        text += f", not by its script: {said}" if said else ", also by its script"
    if finding.flaky:
        text += " · flaky" if text else "flaky"
    return plain(text)


def _script(finding: Finding) -> str:
    """Where the script is, from here."""
    if finding.reproducer is None:
        return ""
    path = Path(finding.reproducer)
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _reduced(finding: Finding) -> str:
    before, after = len(finding.original.graph.nodes), len(finding.case.graph.nodes)
    parts = [f"from {plural(before, 'node')} to {after}"] if before > after else []
    if finding.reduction is not None:
        sizes = [elements(case) for case in (finding.original, finding.case)]
        if sizes[0] > sizes[1]:
            parts.append(f"from {plural(sizes[0], 'element')} to {sizes[1]:,}")
        parts.append(f"{plural(finding.reduction.calls, 'case')} judged")
    return " · ".join(parts)


def _first_seen(finding: Finding) -> str:
    place = f"trial {finding.trial:,}, campaign {finding.campaign}, seed {finding.seed}"
    return plain(f"{place} · seen {finding.count:,}× in all")


def _stack(stack: str) -> str:
    lines = [line.rstrip() for line in plain(stack).strip("\n").split("\n")]
    if len(lines) <= STACK_LINES:
        return "\n".join(lines)
    return "\n".join(["…", *lines[-STACK_LINES:]])
