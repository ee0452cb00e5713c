"""The page of a check: readable for large models, whole without a network."""

import base64
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from assay.ir.check import (
    DECADES,
    Check,
    Exhibit,
    LayerDeviation,
    LayerFacts,
    LayerSpec,
    LocalizationMap,
    PairResult,
    Suspect,
    TargetResult,
    UniqueInconsistency,
    WeightFacts,
)
from assay.report.check import check_document, check_text
from assay.report.check_charts import deviation_bars, layer_curve
from assay.report.check_instance import image_of
from assay.report.check_page import check_page, write_report
from assay.report.console import render
from assay.report.html import png
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


def exhibit(image: np.ndarray[Any, Any] | None = None, attribute: str = "'relu'") -> Exhibit:
    """The worst instance of the example's pair: an image unless told otherwise."""
    picture = np.linspace(0, 1, 64, dtype="float32").reshape(1, 8, 8, 1) if image is None else image
    first = np.array([[0.1, 0.6, 0.3]], "float32")
    weight = WeightFacts("layer_4/kernel", (3, 3), "float32", -0.5, 0.5, 0.0, 0.1)
    return Exhibit(
        targets=("keras-jax", "keras-torch"),
        instance=3,
        inputs={"image": picture},
        outputs=((first,), (first[:, ::-1],)),
        output_names=("scores",),
        facts=(LayerFacts("layer_4", {"activation": attribute}, (weight,)),),
    )


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
    assert not re.search(r'src=|href=(?!"#|"data:,")|url\(|@import|<script', text)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)
    assert json.loads((tmp_path / "out" / "check.json").read_text())["model"] == "m.keras"
    nodes = json.loads((tmp_path / "out" / "model-explorer-0.json").read_text())
    assert nodes["m.keras"]["results"]["layer_4"]["value"] == 5e5


def test_the_worst_instance_is_shown_with_both_answers() -> None:
    page = check_page(example(), [exhibit()])
    assert 'alt="input image"' in page
    assert "0.600000024 ◀" in page
    assert "1 (label)" in page
    assert "layer_4/kernel: float32[3,3]" in page
    numbers = exhibit(np.arange(5, dtype="int32").reshape(1, 5))
    regression = msgspec.structs.replace(example(), task="regression")
    page = check_page(regression, [numbers])
    assert "<img" not in page
    assert "0 1 2 3 4" in page
    assert "the elements that differ most, of 3" in page


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((1, 8, 9, 3), (8, 9, 3)),
        ((1, 3, 8, 9), (8, 9, 3)),
        ((8, 9, 1), (8, 9, 1)),
        ((1, 600, 700, 1), (300, 350, 1)),
        ((1, 8, 9, 4), None),
        ((1, 2, 9, 3), None),
        ((1, 40), None),
    ],
)
def test_what_looks_like_an_image_is_one(
    shape: tuple[int, ...], expected: tuple[int, ...] | None
) -> None:
    pixels = image_of(np.arange(np.prod(shape), dtype="float32").reshape(shape))
    assert (None if pixels is None else pixels.shape) == expected


def test_a_picture_is_a_png_that_others_read() -> None:
    image = pytest.importorskip("PIL.Image")
    for channels in (1, 3):
        pixels = np.arange(5 * 4 * channels, dtype="uint8").reshape(5, 4, channels)
        content = base64.b64decode(png(pixels).partition(",")[2])
        read = np.asarray(image.open(io.BytesIO(content)))
        assert (read.reshape(pixels.shape) == pixels).all()


def test_the_histogram_counts_every_instance() -> None:
    counts = tuple(range(len(DECADES) + 2))
    pair = msgspec.structs.replace(example().pairs[0], deviations=counts)
    shown = re.findall(r'<td class="count">(\d+)</td>', deviation_bars(pair))
    assert [int(count) for count in shown] == list(counts[1:])  # from the first that occurs
    assert deviation_bars(msgspec.structs.replace(pair, deviations=())) == ""


def test_the_curve_is_drawn_for_any_deviation_and_marks_the_suspect() -> None:
    values = (0.0, 1e-30, float("inf"), float("nan"), 3.0)
    layers = tuple(
        LayerDeviation(f"<l{place}>", "op", value, 0.0, 0.0, alone=value)
        for place, value in enumerate(values)
    )
    shown = layer_curve(LocalizationMap(("a", "b"), 0, "<l4>", layers), {"<l4>": "panel"})
    assert "&lt;l4&gt; ▼" in shown
    assert 'href="#panel"' in shown
    heights = re.search(r'points="([^"]+)"', shown)
    assert heights is not None
    assert all(0 <= float(point.split(",")[1]) <= 300 for point in heights[1].split())
    same = tuple(msgspec.structs.replace(item, deviation=0.0, alone=None) for item in layers)
    assert layer_curve(LocalizationMap(("a", "b"), 0, "", same), {}) == ""
