"""``assay check --report DIR``: a page that works offline, and the same as JSON."""

import json
from collections.abc import Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.ir import to_json
from assay.ir.check import Check, Exhibit, LocalizationMap, PairResult, UniqueInconsistency
from assay.report import check_charts, check_instance, layer_graph, layer_panels
from assay.report.check import (
    check_document,
    check_text,
    file_lines,
    left_out_lines,
    remarks,
    story,
    threshold_lines,
)
from assay.report.check_matrix import (
    compared_targets,
    matrix_cells,
    matrix_measures,
    percent,
    short,
)
from assay.report.check_verdict import verdict_line
from assay.report.console import render
from assay.report.html import Cell, table, text
from assay.report.text import plural, short_name

STYLE = """
:root{color-scheme:light dark;--line:#8884;--quiet:#6b7280;--wrong:#b3261e;--right:#1a6b3c;
--accent:#3565a8}
@media (prefers-color-scheme:dark){:root{--quiet:#a0a8b4;--wrong:#ff8a80;--right:#7fd1a0;
--accent:#8ab4f8}}
body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem auto;max-width:72rem;padding:0 1rem}
h1,h2,h3,h4,p,li,summary,td,caption{overflow-wrap:anywhere}
h1{line-height:1.2;margin-bottom:.3rem}h2{border-top:2px solid var(--line);padding-top:1rem}
table{border-collapse:collapse;margin:.5rem 0 1rem;font-size:14px}
caption{text-align:left;color:var(--quiet);padding-bottom:.2rem}
td,th{padding:.25rem .7rem .25rem 0;text-align:left;vertical-align:top;
border-bottom:1px solid var(--line)}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.bad,.inconsistent{color:var(--wrong);font-weight:600}.good,.consistent{color:var(--right)}
.quiet,.nothing{color:var(--quiet)}td.consistent,td.inconsistent,.list thead th{white-space:nowrap}
.matrix td,.matrix thead th{text-align:right;white-space:nowrap;padding:.3rem .5rem}
.matrix a{color:inherit}.matrix th{font-weight:400}.matrix b{padding-right:.4rem}
pre{padding:1rem;overflow-x:auto;border:1px solid var(--line);border-radius:6px;font-size:12.5px}
@media (max-width:45rem){
.matrix{width:100%;font-size:12px}.matrix td,.matrix thead th{padding:.3rem .15rem}
.matrix .name{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
}
@media (max-width:64rem){
.list,.list tbody,.list caption{display:block}.list thead{display:none}
.list tr{border-bottom:1px solid var(--line);padding:.4rem 0;display:flex;flex-wrap:wrap;gap:0 1rem}
.list td:first-child{width:100%}.list td{border:0;padding:0;text-align:left;white-space:normal}
.list td::before{content:attr(data-label) ": ";color:var(--quiet);font-weight:400}
}
"""
#: The page loads nothing and runs nothing, whatever a model's names say.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLES = (
    STYLE,
    layer_graph.STYLE,
    layer_panels.STYLE,
    check_charts.STYLE,
    check_instance.STYLE,
)


def write_report(check: Check, directory: str, exhibits: Sequence[Exhibit] = ()) -> str:
    """Write ``index.html``, ``check.json`` and node data for Model Explorer; gives the page's path.

    ``exhibits`` are shown beside the inconsistencies they are of. Files of an earlier report
    are overwritten.
    """
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "check.json").write_text(to_json(check_document(check)) + "\n", "utf-8")
        for number, found in enumerate(check.maps):
            name = f"model-explorer-{number}.json"
            (folder / name).write_text(json.dumps(node_data(check, found), indent=1), "utf-8")
        page = folder / "index.html"
        page.write_text(check_page(check, exhibits), "utf-8")
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


def check_page(check: Check, exhibits: Sequence[Exhibit] = ()) -> str:
    """The whole page."""
    kind = {"consistent": "good", "inconsistent": "bad"}.get(check.verdict, "quiet")
    shown = {exhibit.targets: exhibit for exhibit in exhibits}
    noun = "instance" if check.instances == 1 else "instances"
    size = f"{plural(len(check.layers), 'layer')}, {plural(check.weights, 'weight')} · "
    if check.files:
        size = ""  # each file has its own line
    made = " (generated)" if check.generated else ""
    notes = [line for item in check.targets for line in remarks(check, item)]
    notes = [
        *(line for item in check.files for line in file_lines(item)),
        *(f"data: {line}" for line in check.data_notes),
        *left_out_lines(check),
        *notes,
        *(line for line, _ in threshold_lines(check)),
    ]
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        '<meta name=viewport content="width=device-width,initial-scale=1">',
        f'<meta http-equiv=Content-Security-Policy content="{POLICY}">',
        '<link rel="icon" href="data:,">',
        f"<title>{text(check.model)}: {check.verdict}</title><style>{''.join(_STYLES)}</style>",
        f'<body><main><h1>{text(check.model)}: <span class="{kind}">{check.verdict}</span></h1>',
        f"<p><strong>{text(verdict_line(check))}</strong></p>",
        f'<p class="quiet">{size}{check.instances:,} {noun}{made}</p>',
        "".join(f"<p>{text(line)}</p>" for line in notes),
        _matrix(check) if check.pairs else "",
    ]
    for number, item in enumerate(check.unique_inconsistencies):
        parts.append(_inconsistency(check, number, item, shown))
    if check.pairs and not check.unique_inconsistencies:
        farthest = max(check.pairs, key=lambda pair: pair.max_abs)
        bars = check_charts.deviation_bars(farthest)
        if bars:
            parts.append(f"<h2>The farthest pair: {_between(farthest)}</h2>{bars}")
    parts += [_targets(check), _pairs(check)]
    parts.append(
        "<details><summary>The same as text</summary>"
        f"<pre>{text(render(check_text(check), width=100))}</pre></details>"
    )
    return "\n".join([*parts, "</main></body></html>\n"])


def _between(pair: PairResult) -> str:
    return text(" ↔ ".join(pair.targets))


def _matrix(check: Check) -> str:
    below, above = matrix_measures(check)
    numbers = {item.name: place for place, item in enumerate(compared_targets(check), start=1)}
    rows = {pair.targets: f"pair-{place}" for place, pair in enumerate(check.pairs)}
    heads = "".join(
        f'<th scope="col"><abbr title="{text(name)}">{number}</abbr></th>'
        for name, number in numbers.items()
    )
    lines = []
    for target, cells in matrix_cells(check):
        shown = []
        for cell in cells:
            if cell.pair is None:
                shown.append(f'<td class="quiet">{text(cell)}</td>')
                continue
            kind = cell.pair.verdict.partition(" ")[0]
            said = f"{' and '.join(cell.pair.targets)}: {cell.text}, {cell.pair.verdict}"
            shown.append(
                f'<td class="{kind}"><a href="#{rows[cell.pair.targets]}" '
                f'aria-label="{text(said)}">{text(cell)}</a></td>'
            )
        number = numbers[target.name]
        name = f'<b>{number}</b><span class="name">{text(target.name)}</span>'
        lines.append(f'<tr><th scope="row">{name}</th>{"".join(shown)}</tr>')
    told = f"Below the diagonal: {below.name}; above: {above.name}; ✗ inconsistent; ? nothing to "
    told += "compare. The numbers are those of the targets below."
    return (
        f'<h2>Targets against each other</h2><p class="quiet" id="cells">{text(told)}</p>'
        f'<table class="matrix" aria-describedby="cells"><thead><tr>'
        f"<td></td>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )


def _inconsistency(
    check: Check,
    number: int,
    item: UniqueInconsistency,
    shown: dict[tuple[str, str], Exhibit],
) -> str:
    """What is known of one: in words, by instances, along the layers, the worst one, the graph."""
    pair = check.pair_of(item)
    by_pair = {found.targets: found for found in check.maps}
    found = by_pair.get(pair.targets) or next(
        (by_pair[targets] for targets in item.pairs if targets in by_pair), None
    )
    exhibit = shown.get(pair.targets)
    title = f"{item.layer} ({short_name(item.op)})" if item.layer else " ↔ ".join(pair.targets)
    parts = [f"<h2>{text(f'Inconsistency {number + 1}: {title}')}</h2>"]
    parts += [f"<p>{text(line)}</p>" for line in story(check, item)]
    bars = check_charts.deviation_bars(pair)
    if bars:
        parts.append(f"<h3>How far the instances are apart</h3>{bars}")
    if check.preset:
        parts.append(check_charts.distance_bars(pair))
    prefix = f"layer-{number}"
    ids = layer_panels.panel_ids(check.layers, prefix)
    if found is not None and found.layers:
        parts.append(f"<h3>Along the layers</h3>{check_charts.layer_curve(found, ids)}")
    if exhibit is not None:
        known = any(target.top1_accuracy is not None for target in check.targets)
        expected = "label" if known else "most predict it"
        if check.task != "classification":
            expected = ""
        parts.append(f"<h3>The most inconsistent instance: {exhibit.instance}</h3>")
        parts.append(check_instance.instance_shown(exhibit, pair, expected))
    names = {layer.name for layer in check.layers}
    # Of several files, only the graph of the first one is known.
    if found is not None and names and all(layer.layer in names for layer in found.layers):
        facts = exhibit.facts if exhibit is not None else ()
        jump = f'<a href="#suspect-{prefix}">Go to the suspect.</a>' if found.suspect else ""
        parts.append(
            "<h3>The model</h3><p>A box is a layer, coloured by how much it adds to the deviation "
            "(R); it opens the layer's numbers. A dashed box stands for a run of layers that add "
            f"little. {jump}</p>"
        )
        parts.append(layer_panels.browsable_graph(check.layers, found, facts, ids, prefix))
    if found is not None and found.layers:
        parts.append(_layers(found))
    return "".join(parts)


def _targets(check: Check) -> str:
    rows = []
    numbers = {item.name: place for place, item in enumerate(compared_targets(check), start=1)}
    for item in check.targets:
        versions = ", ".join(f"{name} {version}" for name, version in item.versions.items())
        state = item.failure or "ran"
        if item.top1_accuracy is not None:
            state += f", top-1 {item.top1_accuracy:.2%}, top-5 {item.top5_accuracy:.2%}"
        if item.mean_absolute_error is not None:
            state += f", mean absolute error {item.mean_absolute_error:.4g}"
        cells = (numbers.get(item.name, "–"), item.name, versions or "–", state)
        rows.append([Cell(text(cell)) for cell in cells])
    heads = ["number", "target", "versions", "result"]
    return f"<h2>Targets</h2>{table(heads, rows, 'who ran it')}"


def _pairs(check: Check) -> str:
    def row(pair: PairResult) -> list[Cell]:
        where = f"{pair.suspect.layer} ({short_name(pair.suspect.op)})" if pair.suspect else "–"
        kind = pair.verdict.partition(" ")[0]
        numbers = (
            percent(pair.top1_agreement),
            *map(short, (pair.max_abs, pair.mean_abs, pair.max_rel, pair.max_ulp, pair.ratio)),
            *map(short, (pair.d_class_max, pair.d_mad_max)),
            pair.worst,
        )
        return [
            Cell(_between(pair)),
            Cell(text(pair.verdict), kind),
            Cell(text("outside any layer" if pair.outside else where)),
            *(Cell(text(number), "n") for number in numbers),
        ]

    heads = (
        "pair,verdict,suspect,top-1 agreement,max |Δ|,mean |Δ|,max rel,max ULP,ratio,D_class,"
        "D_MAD,worst instance"
    )
    ids = [f"pair-{place}" for place, _ in enumerate(check.pairs)]
    said = "assay explain says what each measure means"
    return f"<h2>Pairs</h2>{table(heads.split(','), map(row, check.pairs), said, ids)}"


def _layers(found: LocalizationMap) -> str:
    rows = []
    for item in found.layers:
        kind = "bad" if item.layer == found.suspect else ""
        numbers = (item.deviation, item.before, item.rate, item.alone)
        rows.append(
            [
                Cell(text(item.layer), kind),
                Cell(text(item.op)),
                *(Cell(text(short(number)), "n") for number in numbers),
            ]
        )
    heads = ["layer", "op", "δ", "δ before", "R", "alone (max |Δ|)"]
    return (
        f"<details><summary>All {len(found.layers):,} layers as a table</summary>"
        f"{table(heads, rows, 'in the order of the model')}</details>"
    )
