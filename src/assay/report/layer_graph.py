"""A model's layers as an SVG picture: coloured by where the deviation grows.

Needs no script and no network; boxes can be links. Runs of layers that nothing speaks against are
drawn as one box, so that a model of a thousand layers stays readable.
"""

import math
from collections.abc import Mapping, Sequence
from html import escape

import msgspec

from assay.ir.check import LayerDeviation, LayerSpec, LocalizationMap
from assay.report.safe import plain
from assay.report.text import middle_cut, short_name

#: What a page with such a picture needs.
STYLE = """
.map{overflow:auto;border:1px solid #d8dde3;border-radius:6px;max-height:85vh}
svg text{font:12px system-ui,sans-serif;text-anchor:middle;pointer-events:none}
svg text.op{font-size:11px;fill:#4a5563}
svg text.mark{fill:#b3261e;font-weight:600;paint-order:stroke;stroke:#fff;stroke-width:4px}
svg rect{stroke:#8a94a0}svg .suspect rect{stroke:#b3261e;stroke-width:3}
svg a:focus-visible rect{stroke:#0b57d0;stroke-width:4}svg a{cursor:pointer;outline:none}
svg .run rect{stroke-dasharray:4 3}svg .edge{fill:none;stroke:#9aa4b0;stroke-width:1.2}
"""
#: A model up to this size is drawn layer by layer.
WHOLE = 60
#: Layers that stay visible in a larger one, by rate.
_SHOWN = 24
_WIDTH, _HEIGHT, _GAP_X, _GAP_Y = 230, 42, 24, 34
#: An edge that passes by a row keeps clear of its box: a curve goes three quarters of this far.
_DETOUR = 4 * (_WIDTH // 2 + 12) // 3
#: The second line of a box.
_SECOND = ' class="op"'
#: What is not browsed is one picture to a screen reader.
_IMAGE = 'role="img" '
#: How many letters a box has room for.
_LETTERS = 30


class Box(msgspec.Struct, frozen=True):
    """What is drawn as one: a layer, or a run of layers."""

    layers: tuple[str, ...]
    label: tuple[str, ...]
    hover: str
    rate: float
    suspect: bool


def layer_graph(
    layers: Sequence[LayerSpec],
    found: LocalizationMap,
    anchor: str = "",
    panels: Mapping[str, str] | None = None,
) -> str:
    """The picture as an ``<svg>`` element; links to ``anchor`` lead to the suspect.

    With ``panels`` a box is a link: these are ids by the first layer of a box.
    """
    boxes = layer_boxes(layers, found)
    home = {name: place for place, box in enumerate(boxes) for name in box.layers}
    edges = _edges(layers, home)
    ranks = _ranks(len(boxes), edges)
    places, width, height = _places(ranks)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="layers" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" style="--width:{width}px" '
        f'{"" if panels else _IMAGE}aria-label="localization map">'
    ]
    for source, target in sorted(edges):
        (x1, y1), (x2, y2) = places[source], places[target]
        x1, x2, y1 = x1 + _WIDTH // 2, x2 + _WIDTH // 2, y1 + _HEIGHT
        bend = max(12, (y2 - y1) // 2)
        # An edge that passes by other rows makes a detour.
        aside = 0 if ranks[target] - ranks[source] == 1 else _DETOUR
        parts.append(
            f'<path class="edge" d="M{x1} {y1} C{x1 + aside} {y1 + bend} '
            f'{x2 + aside} {y2 - bend} {x2} {y2}"/>'
        )
    for box, (x, y) in zip(boxes, places, strict=True):
        drawn = _drawn(box, x, y, anchor if box.suspect else "")
        panel = panels.get(box.layers[0]) if panels else None
        parts.append(f'<a id="at-{panel}" href="#{panel}">{drawn}</a>' if panel else drawn)
    return "".join([*parts, "</svg>"])


def layer_boxes(layers: Sequence[LayerSpec], found: LocalizationMap) -> list[Box]:
    """What is drawn, in the model's order."""
    known = {item.layer: item for item in found.layers}
    visible = _visible(layers, known, found.suspect)
    boxes: list[Box] = []
    run: list[LayerSpec] = []

    def close() -> None:
        if run:
            boxes.append(_run(run, known))
            run.clear()

    for layer in layers:
        if layer.name in visible:
            close()
            boxes.append(_single(layer, known.get(layer.name), layer.name == found.suspect))
        else:
            run.append(layer)
    close()
    return boxes


def _visible(
    layers: Sequence[LayerSpec], known: Mapping[str, LayerDeviation], suspect: str
) -> set[str]:
    names = [layer.name for layer in layers]
    if len(names) <= WHOLE:
        return set(names)
    by_rate = sorted(known.values(), key=lambda item: -item.rate)
    shown = {item.layer for item in by_rate[:_SHOWN]} | {names[0], names[-1], suspect}
    if suspect in names:
        place = names.index(suspect)
        shown |= set(names[max(0, place - 2) : place + 3])
    return shown


def _single(layer: LayerSpec, item: LayerDeviation | None, suspect: bool) -> Box:
    hover = f"{layer.name} ({layer.op})"
    if item is not None:
        hover += f"\nδ {item.deviation:.3g}, before {item.before:.3g}, R {item.rate:.3g}"
        if item.alone is not None:
            hover += f"\nalone, on identical input: {item.alone:.3g}"
    label = (middle_cut(layer.name, _LETTERS), middle_cut(short_name(layer.op), _LETTERS))
    return Box((layer.name,), label, hover, item.rate if item else 0.0, suspect)


def _run(layers: Sequence[LayerSpec], known: Mapping[str, LayerDeviation]) -> Box:
    names = tuple(layer.name for layer in layers)
    if len(layers) == 1:
        return _single(layers[0], known.get(names[0]), False)
    worst = max((known[name].rate for name in names if name in known), default=0.0)
    hover = f"{names[0]} … {names[-1]}\nlargest R {worst:.3g}"
    return Box(names, (f"{len(names)} layers, R at most {worst:.2g}",), hover, worst, False)


def _edges(layers: Sequence[LayerSpec], home: Mapping[str, int]) -> set[tuple[int, int]]:
    producer = {tensor: layer.name for layer in layers for tensor in layer.outputs}
    return {
        (home[producer[tensor]], home[layer.name])
        for layer in layers
        for tensor in layer.inputs
        if tensor in producer and home[producer[tensor]] != home[layer.name]
    }


def _ranks(count: int, edges: set[tuple[int, int]]) -> list[int]:
    """The row of each box: below everything it reads. Boxes are in topological order."""
    ranks = [0] * count
    for source, target in sorted(edges, key=lambda edge: edge[1]):
        ranks[target] = max(ranks[target], ranks[source] + 1)
    return ranks


def _places(ranks: Sequence[int]) -> tuple[list[tuple[int, int]], int, int]:
    rows: dict[int, list[int]] = {}
    for place, rank in enumerate(ranks):
        rows.setdefault(rank, []).append(place)
    widest = max(map(len, rows.values()))
    width = widest * (_WIDTH + _GAP_X) + 2 * _GAP_X
    places = [(0, 0)] * len(ranks)
    for rank, members in rows.items():
        taken = len(members) * (_WIDTH + _GAP_X) - _GAP_X
        for column, place in enumerate(members):
            x = (width - taken) // 2 + column * (_WIDTH + _GAP_X)
            places[place] = (x, _GAP_Y // 2 + rank * (_HEIGHT + _GAP_Y))
    return places, width, 20 + (max(rows) + 1) * (_HEIGHT + _GAP_Y)


def colour(rate: float) -> str:
    """White for no growth, red for a thousandfold and more."""
    strength = min(1.0, math.log10(1.0 + max(0.0, min(rate, 1e9))) / 3.0)
    return f"rgb(255,{round(250 - 150 * strength)},{round(250 - 170 * strength)})"


def _drawn(box: Box, x: int, y: int, anchor: str) -> str:
    kinds = "box" + (" suspect" if box.suspect else "") + (" run" if len(box.layers) > 1 else "")
    identity = f' id="{escape(anchor)}"' if anchor else ""
    middle = x + _WIDTH // 2
    first = y + (26 if len(box.label) == 1 else 18)
    lines = "".join(
        f'<text{_SECOND if place else ""} x="{middle}" y="{first + 16 * place}">'
        f"{escape(plain(text))}</text>"
        for place, text in enumerate(box.label)
    )
    # Beside it there may be another box; above it there is room.
    mark = f'<text class="mark" x="{middle}" y="{y - 6}">▼ suspect</text>'
    return (
        f'<g class="{kinds}"{identity}><title>{escape(plain(box.hover))}</title>'
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6" '
        f'fill="{colour(box.rate)}"/>'
        f"{lines}{mark if box.suspect else ''}</g>"
    )
