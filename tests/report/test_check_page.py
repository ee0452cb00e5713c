"""The page of a check: readable for large models, whole without a network."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import msgspec
from syrupy.assertion import SnapshotAssertion

from assay.ir.check import (
    Check,
    LayerDeviation,
    LayerSpec,
    LocalizationMap,
    PairResult,
    Suspect,
    TargetResult,
    UniqueInconsistency,
)
from assay.report.check import check_document, check_text
from assay.report.check_page import write_report
from assay.report.console import render
from assay.report.layer_graph import layer_graph


def chain(count: int) -> tuple[LayerSpec, ...]:
    """Layers in a row, each fifth with a shortcut around it."""
    layers = []
    for place in range(count):
        name, before = f"layer_{place}", f"layer_{place - 1}" if place else "x"
        reads = (before, f"layer_{place - 5}") if place % 5 == 0 and place else (before,)
        layers.append(LayerSpec(name, "keras.layers.Dense", reads, (name,)))
    return tuple(layers)


def located(layers: tuple[LayerSpec, ...], suspect: int) -> LocalizationMap:
    return LocalizationMap(
        ("keras-jax", "keras-torch"),
        3,
        f"layer_{suspect}",
        tuple(
            LayerDeviation(item.name, item.op, 0.1, 0.1, 5e5 if place == suspect else 0.01)
            for place, item in enumerate(layers)
        ),
    )


def example() -> Check:
    layers = chain(8)
    pair = ("keras-jax", "keras-torch")
    suspect = Suspect(
        "layer_4", "keras.layers.Dense", 5e5, 0.2, 1e-7, 4, ("keras-torch",), "reference agrees"
    )
    return Check(
        model="m.keras",
        instances=10,
        generated=False,
        task="classification",
        preset="",
        verdict="inconsistent",
        targets=(
            TargetResult("keras-jax", {"keras": "3"}, 0.9, 1.0),
            TargetResult("keras-torch", {"keras": "3"}, 0.8, 1.0),
            TargetResult("keras-tensorflow+litert", failure="ValueError: <no>"),
        ),
        pairs=(
            PairResult(
                pair, "inconsistent", 0.9, 0.3, 0.1, 0.5, 9e6, 16.0, 0.4, 0.1, 0.1, (1, 9), 3,
                (1, 2, 1), suspect,
            ),
        ),
        unique_inconsistencies=(
            UniqueInconsistency("layer_4", "keras.layers.Dense", ("keras-torch",), (pair,), 3),
        ),
        layers=layers,
        weights=1234,
        maps=(located(layers, 4),),
    )  # fmt: skip


def test_the_screen_names_layer_blame_and_instance() -> None:
    text = render(check_text(example()), width=120)
    assert text.startswith("INCONSISTENT: 1 of 1 pair of targets, from layer_4.")
    assert "alone, with identical input, it differs by 0.2" in text
    assert "Blamed: keras-torch" in text
    assert "Most inconsistent instance: 3 (keras-jax predicts 1, keras-torch 2; label 1)" in text
    assert "keras-tensorflow+litert: not compared. ValueError: <no>" in text


def test_the_screen_ends_with_what_to_do_next(snapshot: SnapshotAssertion) -> None:
    found = msgspec.structs.replace(example(), findings=("77d0", "90ac"))
    again = "assay check m.keras --report report"
    assert render(check_text(found, "", again, " --store x.db"), width=80) == snapshot
    many = msgspec.structs.replace(example(), findings=("1a", "2a", "3a", "4a"))
    assert render(check_text(many, "", "", ""), width=80).endswith("Next: assay findings --all")
    assert "Next" not in render(check_text(found), width=80)


def test_the_document_has_what_it_promises() -> None:
    document = json.loads(json.dumps(check_document(example())))
    assert document["targets"] == ["keras-jax", "keras-torch"]
    assert document["verdict"] == "inconsistent"
    (pair,) = document["pairs"]
    promised = {"targets", "verdict", "top1_agreement", "max_abs", "max_rel", "d_class_max"}
    assert promised | {"d_mad_max", "suspect"} <= set(pair)
    assert {"layer", "op", "rate"} <= set(pair["suspect"])
    assert document["findings"] == []


def test_a_large_model_is_drawn_with_few_boxes_and_its_suspect() -> None:
    layers = chain(1000)
    root = ElementTree.fromstring(layer_graph(layers, located(layers, 501)))
    boxes = root.findall("{*}g")
    assert len(boxes) < 80
    (marked,) = [box for box in boxes if "suspect" in box.attrib["class"]]
    assert "layer_501" in "".join(marked.itertext())
    covered = [int(n) for box in boxes for n in re.findall(r"^(\d+) layers", box[2].text or "")]
    assert sum(covered) + sum("run" not in box.attrib["class"] for box in boxes) == 1000


def test_long_names_fit_their_boxes_and_keep_their_ends() -> None:
    name = "separable_conv_2_bn_normal_left2_8_of_a_large_model"
    layers = (LayerSpec(name, "keras.layers.BatchNormalization", ("x",), (name,)),)
    root = ElementTree.fromstring(layer_graph(layers, located(layers, 0)))
    first = next(root.iter("{http://www.w3.org/2000/svg}text")).text or ""
    assert len(first) <= 30
    assert first.startswith("separable")
    assert first.endswith("large_model")


def test_boxes_of_one_row_do_not_overlap() -> None:
    layers = chain(1000)
    root = ElementTree.fromstring(layer_graph(layers, located(layers, 501)))
    places = [(float(r.attrib["x"]), float(r.attrib["y"])) for r in root.iter("{*}rect")]
    assert len(set(places)) == len(places)


def test_the_report_needs_no_network_and_escapes_what_it_shows(tmp_path: Path) -> None:
    page = Path(write_report(example(), str(tmp_path / "out")))
    text = page.read_text("utf-8")
    assert "ValueError: &lt;no&gt;" in text
    assert not re.search(r'src=|href=(?!"#)|url\(|@import|<script', text)
    (wanted,) = re.findall(r'href="#([^"]+)"', text)
    assert f'id="{wanted}"' in text
    assert json.loads((tmp_path / "out" / "check.json").read_text())["model"] == "m.keras"
    nodes = json.loads((tmp_path / "out" / "model-explorer-0.json").read_text())
    assert nodes["m.keras"]["results"]["layer_4"]["value"] == 5e5
