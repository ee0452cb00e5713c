"""``assay check --report DIR``: a page that works offline, and the same as JSON."""

import json
from html import escape
from pathlib import Path

from assay.errors import AssayError
from assay.ir import to_json
from assay.ir.check import Check, LocalizationMap, PairResult
from assay.report.check import check_document, check_text
from assay.report.console import render
from assay.report.layer_graph import STYLE, layer_graph
from assay.report.safe import plain
from assay.report.text import short_name

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;
color:#1b1f24;background:#fff}
table{border-collapse:collapse;margin:1rem 0;font-size:14px}td,th{padding:.25rem .6rem;
text-align:left;border-bottom:1px solid #d8dde3}td:first-child{white-space:nowrap}
td:last-child{overflow-wrap:anywhere;min-width:9rem}
td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}.bad{color:#b3261e;font-weight:600}.good{color:#1a6b3c}
pre{background:#f4f6f8;padding:1rem;overflow-x:auto;border-radius:6px;font-size:12.5px}
details{margin:1rem 0}h1,h2,h3,p,li,summary{overflow-wrap:anywhere}
"""


#: The page loads nothing and runs nothing, whatever a model's names say.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def write_report(check: Check, directory: str) -> str:
    """Write ``index.html``, ``check.json`` and node data for Model Explorer; gives the page's path.

    Files of an earlier report are overwritten.
    """
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "check.json").write_text(to_json(check_document(check)) + "\n", "utf-8")
        for number, found in enumerate(check.maps):
            name = f"model-explorer-{number}.json"
            (folder / name).write_text(json.dumps(node_data(check, found), indent=1), "utf-8")
        page = folder / "index.html"
        page.write_text(check_page(check), "utf-8")
    except FileExistsError:
        raise AssayError(f"{directory} is a file; --report needs a directory.") from None
    except OSError as error:
        raise AssayError(f"cannot write the report to {directory}: {error.strerror}.") from None
    return str(page)


def node_data(check: Check, found: LocalizationMap) -> dict[str, object]:
    """The rates of a map as node data that Model Explorer loads beside the model."""
    return {
        check.model: {
            "results": {item.layer: {"value": min(item.rate, 1e30)} for item in found.layers},
            "gradient": [{"stop": 0, "bgColor": "white"}, {"stop": 1, "bgColor": "#d64541"}],
        }
    }


def check_page(check: Check) -> str:
    """The whole page."""
    bad = check.verdict != "consistent"
    title = f"{check.model}: {check.verdict}"
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        '<meta name=viewport content="width=device-width,initial-scale=1">',
        f'<meta http-equiv=Content-Security-Policy content="{_POLICY}">',
        f"<title>{_text(title)}</title><style>{_STYLE}{STYLE}</style>",
        f'<h1>{_text(check.model)}: <span class="{"bad" if bad else "good"}">'
        f"{check.verdict}</span></h1>",
        f"<pre>{_text(render(check_text(check), width=110))}</pre>",
        _targets(check),
        _pairs(check),
    ]
    shown = _maps(check)
    if shown:
        parts.append("<h2>Localization maps</h2>")
        parts.append(
            "<p>A box is a layer, coloured by how much it adds to the deviation (R); hover for "
            "the numbers. A dashed box stands for a run of layers that add little.</p>"
        )
    for number, found in enumerate(shown):
        anchor = f"suspect-{number}"
        jump = f'<p><a href="#{anchor}">Go to the suspect</a></p>' if found.suspect else ""
        parts.append(
            f"<h3>{_text(' ↔ '.join(found.targets))}, instance {found.instance}</h3>{jump}"
            f"{_graph(check, found, anchor)}{_layers(found)}"
        )
    return "\n".join([*parts, "</html>\n"])


def _graph(check: Check, found: LocalizationMap, anchor: str) -> str:
    """The graph of the model; of several files, only the first one's is known."""
    names = {layer.name for layer in check.layers}
    if any(item.layer not in names for item in found.layers):
        return f'<p id="{anchor}">Suspect: {_text(found.suspect)}</p>'
    return f'<div class="map">{layer_graph(check.layers, found, anchor)}</div>'


def _maps(check: Check) -> list[LocalizationMap]:
    """One map per unique inconsistency."""
    by_pair = {found.targets: found for found in check.maps}
    chosen = []
    for item in check.unique_inconsistencies:
        chosen += [by_pair[pair] for pair in item.pairs if pair in by_pair][:1]
    return chosen


def _text(value: object) -> str:
    return escape(plain(str(value)))


def _targets(check: Check) -> str:
    rows = []
    for item in check.targets:
        versions = ", ".join(f"{name} {version}" for name, version in item.versions.items())
        state = item.failure or "ran"
        if item.top1_accuracy is not None:
            state += f", top-1 {item.top1_accuracy:.2%}, top-5 {item.top5_accuracy:.2%}"
        if item.mean_absolute_error is not None:
            state += f", mean absolute error {item.mean_absolute_error:.4g}"
        rows.append(f"<tr><td>{_text(item.name)}<td>{_text(versions)}<td>{_text(state)}")
    head = "<tr><th>target<th>versions<th>result"
    return f"<h2>Targets</h2><div class=wide><table>{head}{''.join(rows)}</table></div>"


def _pairs(check: Check) -> str:
    def row(pair: PairResult) -> str:
        kind = "good" if pair.verdict == "consistent" else "bad"
        suspect = f"{pair.suspect.layer} ({short_name(pair.suspect.op)})" if pair.suspect else "–"
        if pair.outside:
            suspect = "outside any layer"
        agreement = "–" if pair.top1_agreement is None else f"{pair.top1_agreement:.2%}"
        d_class = "–" if pair.d_class_max is None else f"{pair.d_class_max:g}"
        numbers = (
            agreement,
            f"{pair.max_abs:.3g}",
            f"{pair.mean_abs:.3g}",
            f"{pair.max_rel:.3g}",
            f"{pair.max_ulp:.3g}",
            d_class,
            f"{pair.d_mad_max:.3g}",
            pair.worst,
        )
        cells = "".join(f"<td class=n>{value}" for value in numbers)
        return (
            f"<tr><td>{_text(' ↔ '.join(pair.targets))}"
            f'<td class="{kind}">{pair.verdict}<td>{_text(suspect)}{cells}'
        )

    heads = (
        "pair,verdict,suspect,top-1 agreement,max |Δ|,mean |Δ|,max relative,max ULP,D_class,"
        "D_MAD,worst instance"
    )
    head = "".join(f"<th>{name}" for name in heads.split(","))
    rows = "".join(row(pair) for pair in check.pairs)
    return f"<h2>Pairs</h2><div class=wide><table><tr>{head}{rows}</table></div>"


def _layers(found: LocalizationMap) -> str:
    rows = []
    for item in found.layers:
        alone = "–" if item.alone is None else f"{item.alone:.3g}"
        mark = ' class="bad"' if item.layer == found.suspect else ""
        rows.append(
            f"<tr><td{mark}>{_text(item.layer)}<td>{_text(item.op)}<td class=n>{item.deviation:.3g}"
            f"<td class=n>{item.before:.3g}<td class=n>{item.rate:.3g}<td class=n>{alone}"
        )
    return (
        f"<details><summary>All {len(found.layers):,} layers</summary><div class=wide><table><tr>"
        "<th>layer<th>op<th>δ<th>δ before<th>R<th>alone (max |Δ|)"
        + "".join(rows)
        + "</table></div></details>"
    )
