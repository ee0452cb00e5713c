"""Pictures of measured precision, as SVG that needs nothing else.

Errors are on a scale of powers; numbers of both signs and all sizes are on one axis, by their
powers of ten away from zero in the middle.
"""

import math
from collections.abc import Mapping, Sequence

from assay.ir.precision import Measurement
from assay.report.html import text
from assay.report.text import middle_cut

STYLE = """
.chart text{font:11px system-ui,sans-serif;fill:currentColor}
.chart .title{font-weight:600;font-size:13px}
.chart path,.chart line{fill:none;stroke:currentColor}
.chart .grid{stroke-opacity:.18}.chart .half{stroke-opacity:.5;stroke-dasharray:3 4}
.chart .points{stroke-width:3.4;stroke-linecap:round}.chart .box{stroke-width:9}
.chart .middle{stroke-width:2}.chart .whisker{stroke-width:1.4;stroke-opacity:.7}
"""
#: Colours that differ for most eyes, on light and on dark ground.
_COLOURS = ("#3b82c4", "#d9822b", "#2f9e6e", "#c2476d", "#8a63d2", "#8c7a2b", "#2aa3b0", "#7d7d7d")
_WIDTH, _LEFT, _RIGHT, _TOP = 720.0, 62.0, 12.0, 26.0
_PLOT, _LINE = 170.0, 16.0
#: No error is drawn below: correct rounding is half a unit.
_LEAST = 0.125
_TICKS = 5
#: Widest legend entry, in characters.
_NAME = 44
_ENTRIES = 2


def curves(results: Sequence[Measurement]) -> dict[str, str]:
    """A drawing of the error against the input's value for each operator that has points."""
    labels = dict.fromkeys(item.label or item.op for item in results if item.curve)
    return {
        label: _svg(*_curve(label, [r for r in results if (r.label or r.op) == label and r.curve]))
        for label in labels
    }


def together(drawings: Mapping[str, str]) -> str:
    """Drawings below each other, as one file."""
    parts, height = [], 0.0
    for drawing in drawings.values():
        own = float(drawing.partition(f'viewBox="0 0 {_WIDTH:g} ')[2].partition('"')[0])
        placed = f'<svg y="{height:g}" width="{_WIDTH:g}" height="{own:g}" '
        parts.append(drawing.replace("<svg ", placed, 1))
        height += own
    ground = f'<rect width="{_WIDTH:g}" height="{height:g}" fill="#fff"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {height:g}" '
        f'width="{_WIDTH:g}" height="{height:g}" color="#222"><style>{STYLE}</style>'
        f"{ground}{''.join(parts)}</svg>\n"
    )


def names(results: Sequence[Measurement]) -> list[str]:
    """What tells rows of one operator apart, each once."""
    every = [(item.target, item.dtype, item.mode, item.stage, item.strategy) for item in results]
    telling = [place for place in range(1, 5) if len({row[place] for row in every}) > 1]
    return [" ".join((row[0], *(row[place] for place in telling))) for row in every]


def _curve(label: str, results: Sequence[Measurement]) -> tuple[str, str, float]:
    """The label, the drawing, and its height."""
    points = [point for item in results for point in item.curve]
    sizes = [abs(x) for x, _ in points if x]
    low = math.floor(math.log10(min(sizes))) if sizes else -1
    high = max(low + 1, math.floor(math.log10(max(sizes))) + 1) if sizes else 1
    top = max(2.0, *(min(y, 1e300) for _, y in points))
    parts = _grid(low, high, top)
    legend = []
    for place, (name, item) in enumerate(zip(names(results), results, strict=True)):
        colour = _COLOURS[place % len(_COLOURS)]
        path = " ".join(f"M{_across(x, low, high):.1f} {_up(y, top):.1f}h0" for x, y in item.curve)
        said = f"{name}: {len(item.curve)} ranges, at most {max(y for _, y in item.curve):.3g} ULP"
        parts.append(
            f"<g><title>{text(said)}</title>"
            f'<path class="points" style="stroke:{colour}" d="{path}"/></g>'
        )
        x = _LEFT + (place % _ENTRIES) * (_WIDTH - _LEFT) / _ENTRIES
        y = _TOP + _PLOT + 34 + _LINE * (place // _ENTRIES)
        legend.append(
            f'<path class="points" style="stroke:{colour};stroke-width:8" d="M{x + 5:.1f} '
            f'{y - 4:.1f}h0"/><text x="{x + 14:.1f}" y="{y:.1f}">'
            f"{text(middle_cut(name, _NAME))}</text>"
        )
    rows = -(-len(results) // _ENTRIES)
    title = f'<text class="title" x="{_LEFT:g}" y="16">{text(middle_cut(label, 60))}</text>'
    height = _TOP + _PLOT + 42 + _LINE * rows
    return label, "".join([title, *parts, *legend]), height


def _svg(label: str, drawn: str, height: float) -> str:
    told = f"largest error of {label} in ULP, by the input's value"
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH:g} {height:g}" role="img" '
        f'aria-label="{text(told)}">{drawn}</svg>'
    )


def _grid(low: int, high: int, top: float) -> list[str]:
    parts = []
    bottom, right = _TOP + _PLOT, _WIDTH - _RIGHT
    for value in _powers(top):
        y = _up(value, top)
        kind = "half" if value == 0.5 else "grid"
        parts.append(
            f'<line class="{kind}" x1="{_LEFT:g}" x2="{right:g}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{_LEFT - 6:g}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>'
        )
    step = max(1, math.ceil((high - low) / _TICKS))
    powers = range(low, high + 1, step)
    for number in (0.0, *(sign * 10.0**power for power in powers for sign in (-1.0, 1.0))):
        x = _across(number, low, high)
        parts.append(
            f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP:g}" y2="{bottom:g}"/>'
        )
        if number and round(math.log10(abs(number))) == low and low != high:
            continue  # beside zero
        told = f"{number:.0e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
        shown = "0" if not number else f"{number:g}" if 0.01 <= abs(number) <= 1000 else told
        anchor = "end" if x > right - 20 else "middle"
        parts.append(
            f'<text x="{x:.1f}" y="{bottom + 14:.1f}" text-anchor="{anchor}">{shown}</text>'
        )
    parts.append(f'<text x="12" y="{_TOP - 10:g}">ULP</text>')
    return parts


_SMALL = (0.125, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)


def _powers(top: float) -> list[float]:
    """Powers of two, then of ten, at which lines are."""
    if top <= 64:
        return [value for value in _SMALL if value <= top]
    most = math.ceil(math.log10(top))
    step = max(1, math.ceil(most / _TICKS))
    return [0.5, *(10.0**power for power in range(step, most + 1, step) if 10.0**power <= top)]


def _across(x: float, low: int, high: int) -> float:
    """The place on the axis: zero in the middle, sizes by their powers of ten."""
    middle, half = (_LEFT + _WIDTH - _RIGHT) / 2, (_WIDTH - _RIGHT - _LEFT) / 2
    if not x:
        return middle
    share = (math.log10(abs(x)) - low + 0.4) / (high - low + 0.4)
    return middle + math.copysign(half * min(1.0, max(0.0, share)), x)


def _up(value: float, top: float) -> float:
    span = math.log2(top / _LEAST)
    share = math.log2(max(min(value, top), _LEAST) / _LEAST) / span
    return _TOP + _PLOT * (1.0 - share)


def box(quantiles: Sequence[float], low: float, high: float, said: str) -> str:
    """The distribution of absolute errors on a scale of powers of ten from ``low`` to ``high``.

    A box from a quarter to three quarters, its middle, and lines to 99 percent and the largest.
    """
    width, height = 260.0, 16.0

    def across(value: float) -> float:
        if value <= low:
            return 2.0
        return 2.0 + (width - 4.0) * min(1.0, math.log10(value / low) / math.log10(high / low))

    _, quarter, middle, most, nearly, largest = map(across, quantiles)
    y = height / 2
    return (
        f'<svg class="chart" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" aria-label="{text(said)}"><title>{text(said)}</title>'
        f'<line class="whisker" x1="{quarter:.1f}" x2="{largest:.1f}" y1="{y:g}" y2="{y:g}"/>'
        f'<line class="box" style="stroke:{_COLOURS[0]}" x1="{quarter:.1f}" '
        f'x2="{max(most, quarter + 1):.1f}" y1="{y:g}" y2="{y:g}"/>'
        + "".join(
            f'<line class="middle" x1="{x:.1f}" x2="{x:.1f}" y1="2" y2="14"/>'
            for x in (middle, nearly, largest)
        )
        + "</svg>"
    )
