"""``assay precision --report FILE.html`` and ``--plot FILE.svg``: pictures that work offline."""

import math
from collections.abc import Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.ir import Finding
from assay.ir.precision import Measurement, PrecisionResult
from assay.report import precision_charts
from assay.report.check_page import POLICY
from assay.report.check_page import STYLE as PAGE_STYLE
from assay.report.console import render
from assay.report.html import Cell, table, text
from assay.report.precision import precision_text, size_text
from assay.report.text import plural

STYLE = """
figure{margin:1rem 0;overflow-x:auto}figure svg{width:100%;min-width:34rem;max-width:56rem}
.heat td{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;padding:.25rem .6rem}
.heat td[style]{background:color-mix(in srgb,#c2452d calc(var(--heat)*1%),transparent)}
.heat th{font-weight:400;text-align:left;padding-right:.8rem}.wide{overflow-x:auto}
.list svg{max-width:100%}
"""
#: The darkest colour stands for so many powers of two.
_POWERS = 24.0
#: So many drawings are open from the start.
_OPEN = 6


def write_page(result: PrecisionResult, findings: Sequence[Finding], path: str) -> None:
    """Write the page to a file; ``AssayError`` if that cannot be."""
    _write(path, precision_page(result, findings), "--report")


def write_plot(result: PrecisionResult, path: str) -> None:
    """Write the drawings to an SVG file; ``AssayError`` if that cannot be, or there are none."""
    drawings = precision_charts.curves(result.results)
    if not drawings:
        raise AssayError("--plot: no error above zero was measured, so there is nothing to draw.")
    _write(path, precision_charts.together(drawings), "--plot")


def require_paths(report: str | None, plot: str | None) -> None:
    """``AssayError`` for a file of another kind, before anything is measured."""
    if report is not None and not report.lower().endswith((".html", ".htm")):
        raise AssayError(f"--report writes one page; received {report}. Use a name like page.html.")
    if plot is not None and not plot.lower().endswith(".svg"):
        raise AssayError(
            f"--plot writes SVG only (a PNG is to be had from a browser); received {plot}. "
            "Use a name like plot.svg."
        )
    for option, path in (("--report", report), ("--plot", plot)):
        if path is not None and not Path(path).absolute().parent.is_dir():
            raise AssayError(f"{option}: the directory of {path} does not exist.")


def _write(path: str, content: str, option: str) -> None:
    try:
        Path(path).write_text(content, "utf-8")
    except OSError as error:
        raise AssayError(f"{option} cannot write {path}: {error.strerror}.") from None


def precision_page(result: PrecisionResult, findings: Sequence[Finding] = ()) -> str:
    """The whole page: a heat map, errors against values, distributions, and the table as text."""
    count = plural(len(result.results), "measurement")
    inputs = sum(item.inputs for item in result.results)
    versions = " · ".join(
        f"{target}: {', '.join(f'{name} {version}' for name, version in told.items())}"
        for target, told in result.versions.items()
    )
    head = "<!doctype html><html lang=en><meta charset=utf-8>"
    parts = [
        head,
        '<meta name=viewport content="width=device-width,initial-scale=1">',
        f'<meta http-equiv=Content-Security-Policy content="{POLICY}">',
        '<link rel="icon" href="data:,"><title>Precision</title>',
        f"<style>{PAGE_STYLE}{precision_charts.STYLE}{STYLE}</style>",
        "<body><main><h1>How wrong operators get</h1>",
        f'<p class="quiet">{count}, {inputs:,} inputs, seed {result.seed}</p>',
        f'<p class="quiet">{text(versions)}</p>',
        _heat(result.results),
        _curves(result.results),
        _distributions(result.results),
        "<details><summary>The same as text</summary>"
        f"<pre>{text(render(precision_text(result, findings), width=100))}</pre></details>",
    ]
    return "\n".join([*parts, "</main></body></html>\n"])


def _heat(results: Sequence[Measurement]) -> str:
    """Operators down, targets and formats across."""
    rows = dict.fromkeys(_row_name(item, results) for item in results)
    columns = sorted({(item.target, item.dtype) for item in results})
    largest: dict[tuple[str, tuple[str, str]], float] = {}
    for item in results:
        key = (_row_name(item, results), (item.target, item.dtype))
        if item.formats:
            largest[key] = max(largest.get(key, 0.0), item.own_ulp)
    heads = "".join(
        f'<th scope="col">{text(target)}<br>{text(dtype)}</th>' for target, dtype in columns
    )
    lines = []
    for name in rows:
        cells = "".join(_cell(largest.get((name, column))) for column in columns)
        lines.append(f'<tr><th scope="row">{text(name)}</th>{cells}</tr>')
    return (
        "<h2>Largest errors</h2>"
        f'<div class="wide"><table class="heat"><caption>in units in the last place, less what '
        f"rounding of the input explains</caption><thead><tr><td></td>{heads}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _row_name(item: Measurement, results: Sequence[Measurement]) -> str:
    several = [
        str(getattr(item, name))
        for name in ("mode", "stage")
        if len({getattr(other, name) for other in results}) > 1
    ]
    return " ".join((item.label or item.op, *several))


def _cell(ulp: float | None) -> str:
    if ulp is None:
        return "<td>–</td>"
    size = math.log2(2.0 * ulp) / _POWERS if 0.5 < ulp < math.inf else float(ulp > 0.5)
    return f'<td style="--heat:{80 * min(1.0, size):.0f}">{text(size_text(ulp))}</td>'


def _curves(results: Sequence[Measurement]) -> str:
    drawings = precision_charts.curves(results)
    if not drawings:
        return ""
    parts = []
    for place, (label, drawing) in enumerate(drawings.items()):
        shown = " open" if place < _OPEN else ""
        parts.append(
            f"<details{shown}><summary>{text(label)}</summary><figure>{drawing}</figure></details>"
        )
    return (
        "<h2>Error against the input's value</h2>"
        "<p>Each dot is the largest error found in a small range of numbers, less what rounding of "
        "the input explains; the dashed line is half a unit, correct rounding. Errors of results "
        "are those by the float64 reference. The value is that at the place of the worst element, "
        f"or the input's largest number where shapes differ.</p>{''.join(parts)}"
    )


def _distributions(results: Sequence[Measurement]) -> str:
    """Absolute errors of inputs, by strategy."""
    known = [item for item in results if item.quantiles and item.quantiles[-1] > 0.0]
    if not known:
        return ""
    low: dict[str, float] = {}
    high: dict[str, float] = {}
    for item in known:
        positive = [value for value in item.quantiles if value > 0.0]
        name = item.label or item.op
        low[name] = min(low.get(name, math.inf), *positive)
        high[name] = max(high.get(name, 0.0), min(item.quantiles[-1], 1e300))
    rows = []
    for item in known:
        name = item.label or item.op
        span = low[name], max(high[name], low[name] * 10.0)
        told = ", ".join(
            f"{share} {value:.2g}"
            for share, value in zip(
                ("25%", "50%", "75%", "99%", "all"), item.quantiles[1:], strict=True
            )
        )
        said = f"{name} {item.target} {item.dtype} {item.strategy}: {told}"
        rows.append(
            [
                Cell(text(_row_name(item, results))),
                Cell(text(item.target)),
                Cell(text(item.dtype)),
                Cell(text(item.strategy)),
                Cell(precision_charts.box(item.quantiles, *span, said)),
                Cell(text(f"{item.quantiles[2]:.1e}"), "n"),
                Cell(text(f"{item.quantiles[-1]:.1e}"), "n"),
            ]
        )
    heads = ["operator", "target", "format", "strategy", "distribution", "median", "largest"]
    said = (
        "the largest absolute error of each input: from a quarter to three quarters, the middle, "
        "99 percent and the largest; scales of powers of ten, one for each operator"
    )
    return f"<h2>Distribution by strategy</h2>{table(heads, rows, said)}"
