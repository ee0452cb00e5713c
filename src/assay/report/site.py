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

from assay.ir import Finding
from assay.ir.check import layers_of
from assay.report.findings import counts, coverage
from assay.report.layer_graph import STYLE, layer_graph
from assay.report.page import blame, facts
from assay.report.safe import one_line, plain
from assay.report.text import categories, clock, graph_code, subject, value, what
from assay.store import Campaign

#: Where things lie here helps nobody who gets the page.
_HERE = ("script", "file")


class Entry(msgspec.Struct, frozen=True):
    """A finding with its script; "" if it needs none."""

    finding: Finding
    script: str = ""


class Site(msgspec.Struct, frozen=True):
    """What the report is about. ``groups`` are ids of bugs of one probable cause."""

    campaigns: tuple[Campaign, ...]
    entries: tuple[Entry, ...]
    groups: tuple[tuple[str, ...], ...] = ()


def plain_site(site: Site) -> dict[str, Any]:
    """The report as one document."""
    return {
        "campaigns": site.campaigns,
        "findings": [{"finding": e.finding, "script": e.script} for e in site.entries],
        "groups": site.groups,
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
    similar = {name: group for group in site.groups for name in group if len(group) > 1}
    return {
        "summary": categories(counts(findings)) or "No findings",
        "campaigns": [_campaign(campaign) for campaign in site.campaigns],
        "causes": len(site.groups),
        "picture_style": Markup(STYLE),
        "bugs": [_entry(e, similar) for e in site.entries if e.finding.category == "bug"],
        "others": [_entry(e, similar) for e in site.entries if e.finding.category != "bug"],
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


def _entry(entry: Entry, similar: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    finding = entry.finding
    code = graph_code(finding.case.graph) if len(finding.case.graph.nodes) > 1 else []
    return {
        "id": finding.id,
        "category": finding.category,
        "kind": finding.kind,
        "stage": finding.stage,
        "what": plain(what(finding)),
        "blamed": ", ".join(finding.blamed) or "undecided",
        "count": finding.count,
        "blame": blame(finding),
        "call": plain(subject(finding)),
        "graph": plain("\n".join(code)),
        "observations": [
            {
                "target": plain(item.target),
                "gives": value(item.value) if item.value is not None else plain(item.summary),
                "wrong": item.target in finding.blamed,
            }
            for item in finding.evidence.observations
        ],
        "facts": [(name, text) for name, text in facts(finding) if name not in _HERE],
        "stack": plain(finding.evidence.stack).strip(),
        "script": plain(entry.script).strip(),
        "map": _map(finding),
        "similar": [name for name in similar.get(finding.id, ()) if name != finding.id],
    }


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
        rows = ["| id | what | blamed | stage | seen |", "|---|---|---|---|---|"]
        rows += [
            f"| [{bug['id']}](#{bug['id']}) | {_cell(bug['what'])} | {bug['blamed']} "
            f"| {bug['stage']} | {bug['count']:,}× |"
            for bug in view["bugs"]
        ]
        parts.append("\n".join(rows))
    parts += [_section(bug) for bug in view["bugs"]]
    return "\n\n".join(parts) + "\n"


def _section(bug: dict[str, Any]) -> str:
    rows = ["| target | gives | |", "|---|---|---|"]
    rows += [
        f"| {item['target']} | {_cell(item['gives'])} | {'wrong' if item['wrong'] else ''} |"
        for item in bug["observations"]
    ]
    facts = [f"- {name}: {_cell(text)}" for name, text in bug["facts"] if name != "versions"]
    lines = [
        f'## <a id="{bug["id"]}"></a>{bug["id"]}: {_cell(bug["what"])}',
        _cell(bug["blame"]),
        "\n".join(rows),
        "\n".join(facts),
    ]
    if bug["script"]:
        # A longer fence than any in the script.
        lines.append(f"````python\n{bug['script']}\n````")
    return "\n\n".join(lines)


def _cell(text: str) -> str:
    shown = one_line(text, 400).replace("\\", "\\\\").replace("|", "\\|")
    return shown.replace("<", "&lt;").replace("`", "\\`").replace("[", "\\[")
