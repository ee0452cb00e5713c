"""A model's graph to browse, without a script: boxes that open a panel, sizes to choose from."""

from collections.abc import Mapping, Sequence

from assay.ir.check import LayerDeviation, LayerFacts, LayerSpec, LocalizationMap, WeightFacts
from assay.report.check_matrix import short
from assay.report.html import Cell, table, text
from assay.report.layer_graph import layer_boxes, layer_graph
from assay.report.text import tensor_type

STYLE = """
.zoom{border:0;padding:0;margin:.5rem 0;display:flex;flex-wrap:wrap;gap:.2rem 1rem}
.zoom legend{float:left;padding:0 .5rem 0 0}
.graph .layers{width:calc(var(--width)*var(--zoom,1));height:auto;display:block;margin:0 auto}
.graph:has(.half:checked){--zoom:.5}.graph:has(.double:checked){--zoom:2}
.graph:has(.fit:checked) .layers{width:100%}
.panel{display:none;position:fixed;z-index:1;right:0;bottom:0;max-width:min(34rem,100vw);
width:100%;max-height:60vh;overflow:auto;box-sizing:border-box;padding:.5rem 1rem 1rem;
background:Canvas;border:1px solid var(--quiet);border-radius:6px 0 0 0;box-shadow:0 0 12px #0005}
.panel:target{display:block}.panel h4{margin:.4rem 3.5rem .4rem 0}
.panel .close{float:right;padding:.3rem}
.panel dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;margin:.4rem 0}
.panel dt{color:var(--quiet)}.panel dd{margin:0;overflow-wrap:anywhere;min-width:0}
"""
_SIZES = {"half": "half", "whole": "whole", "double": "double", "fit": "fit"}


def panel_ids(layers: Sequence[LayerSpec], prefix: str) -> dict[str, str]:
    """An id for the panel of each layer."""
    return {layer.name: f"{prefix}-{place}" for place, layer in enumerate(layers)}


def browsable_graph(
    layers: Sequence[LayerSpec],
    found: LocalizationMap,
    facts: Sequence[LayerFacts],
    ids: Mapping[str, str],
    prefix: str,
) -> str:
    """The graph with a choice of sizes, and a panel for every layer and run of layers."""
    boxes = layer_boxes(layers, found)
    runs = {box.layers[0]: f"{ids[box.layers[0]]}-run" for box in boxes if len(box.layers) > 1}
    choices = "".join(
        f'<label><input type="radio" name="{prefix}-size" class="{kind}"'
        f"{' checked' if kind == 'whole' else ''}> {word}</label>"
        for kind, word in _SIZES.items()
    )
    picture = layer_graph(layers, found, f"suspect-{prefix}", {**ids, **runs})
    known = {item.layer: item for item in found.layers}
    told = {item.layer: item for item in facts}
    panels = [_panel(layer, known.get(layer.name), told.get(layer.name), ids) for layer in layers]
    members = {box.layers[0]: box.layers for box in boxes}
    panels += [_run(identity, members[first], ids) for first, identity in runs.items()]
    return (
        f'<div class="graph"><fieldset class="zoom"><legend>Size</legend>{choices}</fieldset>'
        f'<div class="map" tabindex="0" role="region" aria-label="graph of the model">{picture}'
        f"</div></div>{''.join(panels)}"
    )


def _panel(
    layer: LayerSpec,
    item: LayerDeviation | None,
    facts: LayerFacts | None,
    ids: Mapping[str, str],
) -> str:
    lines = {"op": text(layer.op)}
    if item is not None:
        lines["deviation δ"] = short(item.deviation)
        lines["δ before"] = short(item.before)
        lines["rate R"] = short(item.rate)
        lines["alone"] = short(item.alone) if item.alone is not None else "was not run alone"
    lines["reads"] = _links(layer.inputs, ids)
    if facts is not None:
        for name, content in facts.attributes.items():
            lines[name] = text(content)
    listed = "".join(f"<dt>{text(name)}</dt><dd>{html}</dd>" for name, html in lines.items())
    weights = _weights(facts.weights) if facts is not None and facts.weights else ""
    return _framed(ids[layer.name], layer.name, f"<dl>{listed}</dl>{weights}")


def _run(identity: str, layers: Sequence[str], ids: Mapping[str, str]) -> str:
    listed = f"<p>{_links(layers, ids)}</p>"
    return _framed(identity, f"{len(layers)} layers", listed)


def _framed(identity: str, title: str, content: str) -> str:
    return (
        f'<section class="panel" id="{identity}" aria-label="layer {text(title)}">'
        f'<a class="close" href="#at-{identity}">close</a><h4>{text(title)}</h4>{content}</section>'
    )


def _links(names: Sequence[str], ids: Mapping[str, str]) -> str:
    """Layers, and the tensors that they write, as links; inputs of the model as they are."""
    parts = []
    for name in names:
        known = ids.get(name) or ids.get(name.partition(":")[0])
        parts.append(f'<a href="#{known}">{text(name)}</a>' if known else text(name))
    return ", ".join(parts) or "–"


def _weights(weights: Sequence[WeightFacts]) -> str:
    rows = []
    for item in weights:
        numbers = (item.smallest, item.mean, item.largest, item.spread)
        rows.append(
            [
                Cell(text(f"{item.name}: {tensor_type(item.dtype, item.shape)}")),
                *(Cell(text(short(number)), "n") for number in numbers),
            ]
        )
    return table(["weight", "smallest", "mean", "largest", "spread"], rows, "weights")
