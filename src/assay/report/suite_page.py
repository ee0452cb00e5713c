"""``assay check --onnx-suite --report DIR``: the whole table as a page, and the same as JSON."""

import html
from collections.abc import Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.ir import Finding, to_json
from assay.ir.suite import STATUSES, Outcome, SuiteResult
from assay.report.check_page import POLICY, STYLE
from assay.report.html import Cell, table, text
from assay.report.suite import cell, judged_lines, suite_document, version
from assay.report.text import clock, plural, short_name


def write_suite_report(result: SuiteResult, findings: Sequence[Finding], directory: str) -> str:
    """Write ``index.html`` and ``suite.json``; gives the page's path."""
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        document = to_json(suite_document(result, findings))
        (folder / "suite.json").write_text(document + "\n", "utf-8")
        page = folder / "index.html"
        page.write_text(suite_page(result), "utf-8")
    except OSError as error:
        raise AssayError(f"cannot write the report to {directory}: {error.strerror}.") from None
    return str(page)


def suite_page(result: SuiteResult) -> str:
    """The whole page: runtimes, every operator, and every case that does not pass."""
    title = f"ONNX {result.version}: conformance of {', '.join(result.targets)}"
    body = [
        f"<h1>{text(title)}</h1>",
        f"<p class=quiet>{plural(result.cases, 'case')} of {plural(len(result.ops), 'operator')} "
        f"up to opset {result.opset}, in {clock(result.seconds)}</p>",
        _runtimes(result),
        *(f"<p>{text(line)}</p>" for line in judged_lines(result) if line),
        "<h2>Operators</h2>",
        _ops(result),
        "<h2>Cases that differ, are refused, or end the process</h2>",
        _cases([item for item in result.outcomes if item.status not in ("passes", _LACKS)]),
        "<h2>Not implemented</h2>",
        _cases([item for item in result.outcomes if item.status == _LACKS]),
    ]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(POLICY)}">'
        f'<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{text(title)}</title><style>{STYLE}</style></head>"
        f"<body>{''.join(body)}</body></html>\n"
    )


_LACKS = "not implemented"


def _runtimes(result: SuiteResult) -> str:
    rows = [
        [
            Cell(text(f"{target} {version(result, target)}")),
            *(Cell(f"{result.counts(target)[status]:,}", "n") for status in STATUSES[:-1]),
        ]
        for target in result.targets
    ]
    return table(["runtime", *STATUSES[:-1]], rows, "Cases by what a runtime makes of them")


def _ops(result: SuiteResult) -> str:
    rows = [
        [
            Cell(text(short_name(op))),
            *(Cell(text(cell(result.counts(target, op)))) for target in result.targets),
        ]
        for op in result.ops
    ]
    caption = "How many cases pass; d differs, n not implemented, r refuses, c crashes, h hangs"
    return table(["operator", *result.targets], rows, caption)


def _cases(items: Sequence[Outcome]) -> str:
    rows = [
        [
            Cell(text(f"{short_name(item.op)} · {item.case}")),
            Cell(text(item.target)),
            Cell(text(item.category or item.status), "bad" if item.category == "bug" else ""),
            Cell(text(_said(item))),
            Cell(text(item.reason)),
            Cell(text(item.finding)),
        ]
        for item in items
    ]
    return table(
        ["case", "runtime", "judged", "what", "why", "finding"], rows, plural(len(items), "case")
    )


def _said(item: Outcome) -> str:
    apart = item.difference
    if apart is None:
        return item.message[:300]
    return f"gives {apart.given} where {apart.expected} is expected"
