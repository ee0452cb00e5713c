"""Pictures of a check: how far instances are apart, and how the deviation grows along the layers.

Labels are HTML beside stretched drawings, so that they stay readable at any width.
"""

import itertools
import math
from collections.abc import Mapping, Sequence

from assay.ir.check import DECADES, LocalizationMap, PairResult
from assay.report.check_matrix import short
from assay.report.html import text
from assay.report.text import middle_cut

STYLE = """
.bars{width:100%;max-width:40rem;border-collapse:collapse}
.bars th,.bars td.count{font-weight:400;text-align:right;white-space:nowrap;width:1%}
.bars th,.bars td{padding:.1rem 0;border:0}.bars th{padding-right:.6rem}
.bars td.count{padding-left:.6rem}
.bar{background:var(--accent);height:.9rem;min-width:2px;border-radius:2px}
.curve{margin:1rem 0}.plot{position:relative;height:15rem;margin:1.6rem 0 1.6rem 3.4rem;
border-left:1px solid var(--quiet);border-bottom:1px solid var(--quiet)}
.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.plot svg *{vector-effect:non-scaling-stroke;fill:none;stroke-linecap:round}
.plot .rule{stroke:var(--line)}.plot .line{stroke:var(--accent);stroke-width:2}
.plot .dot{stroke:var(--accent);stroke-width:5}.plot .alone{stroke:var(--quiet);stroke-width:4}
.plot .here{stroke:var(--wrong);stroke-width:1.5;stroke-dasharray:5 4}
.plot .here.alone{stroke-width:8;stroke-dasharray:none}
.plot span{position:absolute;font-size:12px;line-height:1;white-space:nowrap}
.plot .y{right:calc(100% + .4rem);transform:translateY(-50%)}.plot .x{top:calc(100% + .4rem)}
.plot .mark{bottom:calc(100% + .3rem);color:var(--wrong);font-weight:600}
"""
_WIDTH, _HEIGHT = 1000.0, 300.0
#: With more layers, only the line is drawn.
_DOTS = 250


def deviation_bars(pair: PairResult) -> str:
    """Instances by max |Δ|, from the smallest that occurs to the largest."""
    bounds = [f"{bound:g}" if bound > 0.05 else f"1e{math.log10(bound):.0f}" for bound in DECADES]
    labels = ["0", f"< {bounds[0]}"]
    labels += [f"{low} – {high}" for low, high in itertools.pairwise(bounds)]
    counted = list(zip([*labels, f"≥ {bounds[-1]}"], pair.deviations, strict=False))
    taken = [place for place, (_, count) in enumerate(counted) if count]
    shown = counted[taken[0] : taken[-1] + 1] if taken else []
    return _bars(shown, "instances by max |Δ|")


def distance_bars(pair: PairResult) -> str:
    """Instances by CRADLE's distances."""
    classes = ["D_class 16", "8 – 16", "4 – 8", "2 – 4", "1 – 2", "0"]
    mad = [f"D_MAD {tenth / 10:g} – {(tenth + 1) / 10:g}" for tenth in range(10)]
    labels = [*classes, *mad] if len(pair.histogram) == len(classes) + len(mad) else mad
    counted = list(zip(labels, pair.histogram, strict=False))
    return _bars(counted, "instances by class distance and MAD distance")


def _bars(counted: Sequence[tuple[str, int]], caption: str) -> str:
    most = max((count for _, count in counted), default=0)
    if not most:
        return ""
    rows = []
    for label, count in counted:
        bar = f'<div class="bar" style="width:{100 * count / most:.1f}%"></div>' if count else ""
        rows.append(
            f'<tr><th scope="row">{text(label)}</th><td>{bar}</td><td class="count">{count:,}</td>'
        )
    return f'<table class="bars"><caption>{text(caption)}</caption>{"".join(rows)}</table>'


def layer_curve(found: LocalizationMap, panels: Mapping[str, str]) -> str:
    """δ after every layer on a scale of powers of ten, the suspect marked.

    A dot leads to the layer's panel, if there is one: ``panels`` has ids by layer.
    """
    items = found.layers
    known = [v for item in items for v in (item.deviation, item.alone or 0.0) if _drawn(v)]
    if not known:
        return ""
    low = math.floor(math.log10(min(known)))
    high = max(low + 1, math.ceil(math.log10(max(known))))
    # What is zero is on the ground; anything else is above it.
    zeros = any(item.deviation == 0.0 for item in items)
    low -= zeros
    places = [_across(place, len(items)) for place in range(len(items))]
    heights = [_up(item.deviation, low, high) for item in items]
    parts = []
    labels = []
    step = max(1, math.ceil((high - low) / 6))
    for power in range(low, high + 1, step):
        y = _up(10.0**power, low, high)
        name = "0" if zeros and power == low else f"1e{power}"
        parts.append(f'<path class="rule" d="M0 {y:.1f} H{_WIDTH:g}"/>')
        labels.append(f'<span class="y" style="top:{100 * y / _HEIGHT:.2f}%">{name}</span>')
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(places, heights, strict=True))
    parts.append(f'<polyline class="line" points="{line}"/>')
    for place, item in enumerate(items):
        x = places[place]
        if item.layer == found.suspect:
            parts.append(f'<path class="here" d="M{x:.1f} 0 V{_HEIGHT:g}"/>')
            labels.append(_mark(item.layer, x))
        alone = item.alone or 0.0
        suspect = item.layer == found.suspect
        drawn = f'<path class="dot" d="M{x:.1f} {heights[place]:.1f} h0"/>'
        if _drawn(alone):
            kind = "here alone" if suspect else "alone"
            drawn += f'<path class="{kind}" d="M{x:.1f} {_up(alone, low, high):.1f} h0"/>'
        if len(items) <= _DOTS or suspect:
            hover = f"{item.layer}: δ {short(item.deviation)}, alone {short(item.alone)}"
            drawn = f"<g><title>{text(hover)}</title>{drawn}</g>"
            # The graph has the same links for the keyboard.
            panel = panels.get(item.layer)
            parts.append(f'<a href="#{panel}" tabindex="-1">{drawn}</a>' if panel else drawn)
    ends = [f'<span class="x" style="left:0">{text(middle_cut(items[0].layer, 18))}</span>']
    if len(items) > 1:
        last = text(middle_cut(items[-1].layer, 18))
        ends.append(f'<span class="x" style="right:0">{last}</span>')
    told = f"deviation of {' and '.join(found.targets)} along {len(items)} layers"
    if found.suspect:
        told += f", suspect {found.suspect}"
    return (
        '<figure class="curve"><div class="plot">'
        f'<svg viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" preserveAspectRatio="none" role="img" '
        f'aria-label="{text(told)}">{"".join(parts)}</svg>{"".join([*labels, *ends])}</div>'
        "<figcaption>Line: the deviation δ after each layer, in the model's order. Dots: what a "
        "layer differs by alone, on identical input (red: the suspect).</figcaption></figure>"
    )


def _mark(layer: str, x: float) -> str:
    name = text(middle_cut(layer, 30))
    if x > _WIDTH / 2:
        return f'<span class="mark" style="right:{100 - 100 * x / _WIDTH:.2f}%">{name} ▼</span>'
    return f'<span class="mark" style="left:{100 * x / _WIDTH:.2f}%">▼ {name}</span>'


def _drawn(value: float) -> bool:
    return 0.0 < value < math.inf


def _across(place: int, count: int) -> float:
    return _WIDTH * (place + 0.5) / count


def _up(value: float, low: int, high: int) -> float:
    """From the top; nothing is at the bottom, infinity and NaN at the top."""
    if value <= 0.0:
        return _HEIGHT
    if not math.isfinite(value):
        return 0.0
    share = (math.log10(value) - low) / (high - low)
    return _HEIGHT * (1.0 - min(1.0, max(0.0, share)))
