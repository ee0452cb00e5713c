"""What a measurement of precision found, as a table for 80 columns and as one document."""

import math
from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.ir import Finding, to_plain
from assay.ir.precision import Comparison, LeftOut, Measurement, PrecisionResult, Worst
from assay.report.exhaustive import exhaustive_text
from assay.report.findings import findings_result
from assay.report.precision_growth import growth_parts
from assay.report.precision_tolerances import tolerance_parts
from assay.report.safe import one_line
from assay.report.text import plural

#: Widest bar, and how many powers of two it stands for: a millionth of a ULP is none.
_BAR = 8
_POWERS = 24.0
#: So many reasons for what is left out are told.
_REASONS = 8
_PARTS = " ▏▎▍▌▋▊▉█"


def precision_document(
    result: PrecisionResult, findings: Sequence[Finding], comparison: Comparison | None = None
) -> dict[str, Any]:
    """The JSON document."""
    told = {**to_plain(result), "findings": [to_plain(item) for item in findings]}
    return told if comparison is None else {**told, "baseline": to_plain(comparison)}


def precision_text(
    result: PrecisionResult, findings: Sequence[Finding] = (), options: str = ""
) -> RenderableType:
    """A table of each measure, what was left out, and what to read from it."""
    parts: list[RenderableType] = []
    truths = [item for item in result.results if item.measure == "truth" and item.whole is None]
    wholes = [item for item in result.results if item.whole is not None]
    published = [item for item in result.results if item.measure == "instances"]
    if truths:
        parts += [_truths(truths), *_notes(truths), *growth_parts(truths)]
    parts += tolerance_parts(result.results)
    if published:
        parts.append(_published(published))
    if wholes:
        parts += exhaustive_text(wholes)
    parts += _left_out(result.left_out)
    inputs = sum(item.inputs for item in result.results)
    cpu = sum(item.cpu_seconds for item in result.results)
    rate = f", {inputs / cpu:,.0f} inputs a CPU second" if cpu else ""
    count = plural(len(result.results), "measurement")
    parts.append(Text(f"{count}, {inputs:,} inputs, {cpu:.1f} CPU s{rate}; seed {result.seed}"))
    if findings:
        parts += [Text(), findings_result(findings, result.store, options=options)]
    if result.interrupted:
        parts.append(Text("interrupted: --resume goes on with what is missing"))
    return Group(*parts)


def bar(ulp: float) -> str:
    """A small bar, a power of two each part of it: half a ULP is nearly none."""
    if not ulp > 0.5:
        return ""
    share = min(1.0, math.log2(2.0 * ulp) / _POWERS) if math.isfinite(ulp) else 1.0
    whole, part = divmod(max(1, round(share * _BAR * 8)), 8)
    return "█" * whole + (_PARTS[part] if part else "")


def _truths(results: Sequence[Measurement]) -> RenderableType:
    shown = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    several = {
        "mode": len({item.mode for item in results}) > 1,
        "stage": len({item.stage for item in results}) > 1,
        "strategy": len({item.strategy for item in results}) > 1,
    }
    shown.add_column("operator", overflow="fold")
    shown.add_column("target", overflow="fold")
    shown.add_column("format", no_wrap=True)
    for name in several:
        if several[name]:
            shown.add_column(name, no_wrap=True)
    for name in ("ULP", "cond.", "own ULP"):
        shown.add_column(name, justify="right", no_wrap=True)
    shown.add_column("", no_wrap=True, width=_BAR)
    shown.add_column("where it is worst", overflow="fold")
    before = ""
    for item in results:
        name = item.label if item.label != before else ""
        before = item.label
        extra = [str(getattr(item, name)) for name in several if several[name]]
        shown.add_row(
            name,
            item.target,
            item.dtype,
            *extra,
            # Without a format nothing came of any input: a note says why.
            size_text(item.max_ulp if item.formats else None),
            size_text(item.condition),
            size_text(item.own_ulp if item.formats else None),
            bar(item.own_ulp),
            _where(item.excess_at or item.at),
        )
    return shown


def _name(item: Measurement) -> str:
    stage = "" if item.stage == "forward" else f" {item.stage}"
    return f"{item.label} {item.target} {item.dtype}{stage}"


def _left_out(items: Sequence[LeftOut]) -> list[RenderableType]:
    """What was not measured, ops of one reason together."""
    reasons: dict[str, dict[str, None]] = {}
    for item in items:
        reasons.setdefault(item.why, {})[item.op] = None
    lines = []
    for why, ops in reasons.items():
        first = next(iter(ops))
        more = f" and {len(ops) - 1:,} more" if len(ops) > 1 else ""
        lines.append(f"left out: {first}{more}: {one_line(why, 160)}")
    kept = lines[:_REASONS]
    rest = len(lines) - len(kept)
    return [
        Text(line)
        for line in (*kept, *([f"and {rest:,} further reasons (--json)"] if rest else []))
    ]


def size_text(value: float | None) -> str:
    """A number of units in few characters."""
    if value is None:
        return "–"
    if math.isinf(value):
        return "∞"
    return f"{value:.2f}" if value < 100 else f"{value:.1e}" if value >= 1e5 else f"{value:.0f}"


def _where(worst: Worst | None) -> str:
    """The numbers at which it is worst, in hexadecimal if there is one."""
    if worst is None:
        return ""
    single = [value for value in worst.inputs.values() if isinstance(value, float)]
    if not single or len(single) != len(worst.inputs):
        return f"input {worst.index}"
    if len(single) == 1:
        return f"{single[0]:.7g}"
    return ", ".join(f"{value:.5g}" for value in single)


def _notes(results: Sequence[Measurement]) -> list[RenderableType]:
    """What else was seen, one line each."""
    lines = []
    for item in results:
        name = _name(item)
        if item.special and item.special_at is not None:
            worst = item.special_at
            lines.append(
                f"{name}: {worst.answer:g} for {worst.truth:.6g} at {_where(worst)}"
                f" ({item.special:,} such answers)"
            )
        if item.failure:
            lines.append(f"{name}: {one_line(item.failure, 200)} ({item.raised:,} inputs)")
        if item.backward is not None:
            lines.append(
                f"{name}: backward error {size_text(item.backward)} epsilon at most (relative "
                "residual)"
            )
    unknown = sum(item.unknown for item in results)
    if unknown:
        lines.append(f"{unknown:,} inputs of which the reference makes no claim: not measured")
    flushed = sum(item.flushed for item in results)
    if flushed:
        lines.append(f"{flushed:,} results below the normal numbers became 0: not measured")
    wide = [item for item in results if item.dtype == "float64" and item.mode == "operator"]
    if any(item.stage == "forward" for item in wide):
        lines.append(
            "float64: the reference computes in float64, too: a few ULP may be its own; what is "
            "proven is not"
        )
    for item in results:
        at = item.excess_at
        if at is None or at.proven is None or not _apart(at.proven, at.ulp):
            continue
        name = _name(item)
        lines.append(
            f"{name}: proven {size_text(at.proven)} ULP at {_where(at)}, "
            f"{size_text(at.ulp)} by the reference"
        )
    lines.append("own ULP: the largest error that rounding of the input does not explain")
    known = [item for item in results if item.excess_at is not None]
    proven = sum(item.truth == "balls" for item in known)
    if known:
        lines.append(f"proven by ball arithmetic: {proven} of {len(known)} (--json: truth)")
    return [Text(line) for line in lines]


def _apart(proven: float, believed: float) -> bool:
    """Is what is proven a different size of error, not a rounding of it?"""
    return abs(proven - believed) > max(1.0, 0.1 * believed)


def _published(results: Sequence[Measurement]) -> RenderableType:
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("operator", "target", "format", "mode", "strategy"):
        shown.add_column(name, no_wrap=True)
    for name in ("largest", "mean", "median of 20", "CPU s"):
        shown.add_column(name, justify="right", no_wrap=True)
    before = ""
    for item in results:
        name = item.label if item.label != before else ""
        before = item.label
        groups = sorted(item.groups)
        middle = groups[len(groups) // 2] if groups else 0.0
        shown.add_row(
            name,
            item.target,
            item.dtype,
            item.mode,
            item.strategy,
            f"{item.max_abs:.2e}",
            f"{item.max_mean:.2e}",
            f"{middle:.2e}",
            f"{item.cpu_seconds:.1f}",
        )
    told = Text(
        "against the same operator in its widest format on the input as it was drawn, as "
        "published: largest of an element, largest mean of an output, median of the groups' largest"
    )
    return Group(shown, told)
