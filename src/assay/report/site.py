"""The report on a store: one offline page, and the same as Markdown and JSON.

Library messages are text: the template escapes everything, and the page's own
policy forbids scripts and requests.
"""

from functools import cache
from importlib import resources
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup

from assay.ir import Finding, Group, Observation, severity
from assay.ir.check import layers_of
from assay.report.causes import causes_json
from assay.report.findings import by_cause, counts, coverage
from assay.report.layer_graph import STYLE, layer_graph
from assay.report.page import blame, facts
from assay.report.safe import one_line, plain
from assay.report.text import categories, clock, graph_code, subject, value, what
from assay.store import Campaign

#: Where things lie here helps nobody who gets the page.
_HERE = ("script", "file")


class Entry(msgspec.Struct, frozen=True):
    """A finding with its script, "" if it needs none, and the few lines that a person would type.

    ``also`` is what others say who are no targets.
    """

    finding: Finding
    script: str = ""
    short: str = ""
    also: tuple[Observation, ...] = ()


class Site(msgspec.Struct, frozen=True):
    """What the report is about."""

    campaigns: tuple[Campaign, ...]
    entries: tuple[Entry, ...]


def plain_site(site: Site) -> dict[str, Any]:
    """The report as one document."""
    return {
        "campaigns": site.campaigns,
        "causes": causes_json([entry.finding for entry in site.entries])["causes"],
        "findings": [{"finding": e.finding, "script": e.script} for e in site.entries],
    }


def html(site: Site) -> str:
    """The page. It loads nothing and runs nothing."""
    return _template().render(_view(site))


@cache
def _template() -> jinja2.Template:
    text = resources.files("assay.report").joinpath("templates/report.html.j2")
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    return environment.from_string(text.read_text(encoding="utf-8"))


def _view(site: Site) -> dict[str, Any]:
    findings = [entry.finding for entry in site.entries]
    scripts = {entry.finding.id: entry for entry in site.entries}
    groups = by_cause(findings)
    bugs = [group for group in groups if group.category == "bug"]
    return {
        "summary": categories(counts(findings)) or "No findings",
        "campaigns": [_campaign(campaign) for campaign in site.campaigns],
        "picture_style": Markup(STYLE),
        "bugs": [_entry(scripts[group.first.id], group) for group in bugs],
        "others": [_entry(scripts[g.first.id], g) for g in groups if g.category != "bug"],
    }


def _campaign(campaign: Campaign) -> dict[str, Any]:
    targets = {
        target: ", ".join(f"{name} {version}" for name, version in known.items())
        for target, known in campaign.versions.items()
    }
    state = campaign.statistics.get("state", {})
    return {
        "id": campaign.id,
        "seed": campaign.seed,
        "trials": f"{campaign.next_trial - len(campaign.open_trials):,}",
        "time": clock(campaign.elapsed_seconds),
        "started": f"{campaign.started[:16].replace('T', ' ')} UTC",
        "ended": "finished" if campaign.finished else "not finished",
        "coverage": coverage(campaign.statistics.get("coverage", {})) or _checked(campaign),
        "targets": targets,
        "silenced": state.get("suppressed", {}) if isinstance(state, dict) else {},
    }


def _checked(campaign: Campaign) -> str:
    """What a campaign that checked a model says of it; "" for a hunt."""
    verdict = campaign.statistics.get("verdict", "")
    return plain(f"{campaign.config.get('model')} is {verdict}") if verdict else ""


def _entry(entry: Entry, group: Group) -> dict[str, Any]:
    """A cause, told by the finding that stands for all."""
    finding = entry.finding
    code = graph_code(finding.case.graph) if len(finding.case.graph.nodes) > 1 else []
    return {
        "id": finding.id,
        "category": finding.category,
        "kind": finding.kind,
        "stage": finding.stage,
        "what": plain(what(finding)),
        "blamed": ", ".join(finding.blamed) or "undecided",
        "count": group.count,
        "severity": severity(finding),
        "blame": blame(finding),
        "call": plain(subject(finding)),
        "graph": plain("\n".join(code)),
        "observations": [
            {
                "target": plain(item.target),
                "gives": value(item.value) if item.value is not None else plain(item.summary),
                "verdict": _verdict(finding, item.target),
            }
            for item in (*finding.evidence.observations, *entry.also)
        ],
        "facts": [(name, text) for name, text in facts(finding) if name not in _HERE],
        "stack": plain(finding.evidence.stack).strip(),
        "script": plain(entry.script).strip(),
        "short": plain(entry.short).strip(),
        "map": _map(finding),
        "affects": ", ".join(map(plain, group.affects)),
        "also": [(item.id, plain(what(item))) for item in group.findings[1:]],
    }


def _verdict(finding: Finding, target: str) -> str:
    """What the table says of a target: where several answers are right, nobody is wrong."""
    if target in finding.blamed:
        return "wrong" if finding.category == "bug" else "differs"
    return "differs in another way" if target in finding.evidence.astray else ""


def _map(finding: Finding) -> dict[str, Any] | None:
    """The model that showed it first, drawn; None for a single call."""
    found = finding.localization
    if found is None:
        return None
    layers = finding.layers or layers_of(finding.original.graph)
    anchor = f"suspect-{finding.id}"
    return {
        "anchor": anchor,
        "layers": len(layers),
        "targets": " and ".join(found.targets),
        # Escaped piece by piece where it is drawn.
        "picture": Markup(layer_graph(layers, found, anchor)),
    }


def markdown(site: Site) -> str:
    """The same in Markdown: tables, evidence and scripts of the bugs; the rest counted."""
    view = _view(site)
    parts = ["# Assay report", f"{view['summary']}."]
    for campaign in view["campaigns"]:
        head = f"campaign {campaign['id']}, seed {campaign['seed']}: {campaign['trials']} trials"
        shares = f". {campaign['coverage']}" if campaign["coverage"] else ""
        parts.append(f"- {head} in {campaign['time']}, {campaign['ended']}{shares}")
    if view["bugs"]:
        rows = ["| id | severity | what | blamed | stage | seen |", "|---|---|---|---|---|---|"]
        rows += [
            f"| [{bug['id']}](#{bug['id']}) | {bug['severity']} | {_cell(bug['what'])} "
            f"| {bug['blamed']} | {bug['stage']} | {bug['count']:,}× |"
            for bug in view["bugs"]
        ]
        parts.append("\n".join(rows))
    parts += [_section(bug) for bug in view["bugs"]]
    return "\n\n".join(parts) + "\n"


def _section(bug: dict[str, Any]) -> str:
    rows = ["| target | gives | |", "|---|---|---|"]
    rows += [
        f"| {item['target']} | {_cell(item['gives'])} | {item['verdict']} |"
        for item in bug["observations"]
    ]
    facts = [f"- {name}: {_cell(text)}" for name, text in bug["facts"] if name != "versions"]
    lines = [
        f'## <a id="{bug["id"]}"></a>{bug["id"]}: {_cell(bug["what"])}',
        *([f"````python\n{bug['short']}\n````"] if bug["short"] else []),
        _cell(bug["blame"]),
        "\n".join(rows),
        "\n".join(facts),
    ]
    if bug["also"]:
        others = [f"- {name}: {_cell(text)}" for name, text in bug["also"]]
        lines.append("Also affects:\n\n" + "\n".join(others))
    if bug["script"]:
        # A longer fence than any in the script.
        lines.append(f"````python\n{bug['script']}\n````")
    return "\n\n".join(lines)


def _cell(text: str) -> str:
    shown = one_line(text, 400).replace("\\", "\\\\").replace("|", "\\|")
    return shown.replace("<", "&lt;").replace("`", "\\`").replace("[", "\\[")
