"""``assay check`` with real targets: from a file to a verdict, and from a fault to its layer."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.e2e.command import Command, one_line
from tests.e2e.patches import target
from tests.models_on_disk import normalising_onnx

#: Wrong in one layer only: its outputs are 0.2 % too large.
FAULT = """
import functools
import keras

_call = keras.layers.{kind}.call

@functools.wraps(_call)
def call(self, *arguments, **keywords):
    result = _call(self, *arguments, **keywords)
    return result * 1.002 if self.name == "{layer}" else result

keras.layers.{kind}.call = call
"""


def faulty(assay: Command, kind: str, layer: str, backend: str, mode: str = "eager") -> str:
    """A target named ``bad`` with that fault."""
    assay.write("fault.py", FAULT.format(kind=kind, layer=layer))
    lines = f"library='keras'\nbackend='{backend}'\nmode='{mode}'\nprelude='fault.py'\n"
    assay.write("assay.toml", f"[targets.bad]\n{lines}")
    return "bad"


def test_a_fault_in_one_layer_is_named_and_blamed(assay: Command) -> None:
    bad = faulty(assay, "LayerNormalization", "layer_normalization_1", "numpy")
    targets = f"keras-numpy,{bad}"
    cache = {"XDG_CACHE_HOME": str(assay.folder / "cache")}
    done = assay(
        "check", "zoo:transformer", "--targets", targets, "--report", "out", "--json", **cache
    )
    assert done.code == 1, done.err
    (pair,) = done.document["pairs"]
    assert done.document["verdict"] == pair["verdict"] == "inconsistent"
    assert pair["suspect"]["layer"] == "layer_normalization_1"
    assert pair["suspect"]["op"] == "keras.layers.LayerNormalization"
    assert pair["suspect"]["blamed"] == [bad]
    assert pair["max_abs"] > 1e-5
    assert "suspect" in (assay.folder / "out" / "index.html").read_text("utf-8")

    shown = assay("check", "zoo:transformer", "--targets", targets, **cache)
    assert shown.code == 1
    assert "INCONSISTENT from layer_normalization_1" in shown.out
    assert f"Blamed: {bad}" in shown.out
    assert (
        f"Page with: assay check zoo:transformer --targets {targets} --report report" in shown.out
    )
    (name,) = done.document["findings"]
    assert shown.out.endswith(f"\nNext: assay show {name}\n")
    (found,) = assay("findings", "--json").document["findings"]
    assert (found["node"], found["count"]) == ("layer_normalization_1", 2)

    # The paper's thresholds let a small deviation pass.
    preset = assay(
        "check", "zoo:transformer", "--targets", targets, "--preset", "cradle", "--json", **cache
    )
    assert preset.document["verdict"] == "consistent", preset.out


def test_a_layer_that_is_wrong_alone_is_a_finding_without_the_model(assay: Command) -> None:
    fault = FAULT.format(kind="MaxPooling2D", layer="").replace(
        ' if self.name == "" else result', ""
    )
    assay.write("fault.py", fault)
    assay.write("assay.toml", target("bad", "fault.py"))
    cache = {"XDG_CACHE_HOME": str(assay.folder / "cache")}
    done = assay("check", "zoo:lenet1", "--targets", "keras-numpy,bad", "--json", **cache)
    assert done.code == 1, done.err
    (name,) = done.document["findings"]
    finding = assay("show", name, "--json").document
    (node,) = finding["case"]["graph"]["nodes"]
    assert (node["op"], finding["blamed"]) == ("keras.layers.MaxPooling2D", ["bad"])
    assert "zoo:lenet1: max_pooling2d shows it alone" in assay("show", name).out
    shutil.rmtree(assay.folder / "cache")
    replayed = assay("replay", name)
    assert (replayed.code, "still there (2 of 2)" in replayed.out) == (1, True), replayed
    reduced = assay("reduce", name, "--calls", "40", "--json")
    assert reduced.document["reduced"][0]["reduction"]["steps"] > 0, reduced.err


def test_every_command_knows_a_finding_about_a_model(assay: Command) -> None:
    model = Path(normalising_onnx(assay.folder))
    targets = "onnxruntime,openvino,onnx-reference"
    arguments = ["check", model.name, "--targets", targets, "--store", "mine.db", "--json"]
    (name,) = assay(*arguments).document["findings"]
    stored = ["--store", "mine.db"]

    listed = assay("findings", *stored)
    assert "normalising.onnx, norm (BatchNormalization): differs by" in listed.out
    shown = assay("show", name, *stored).out
    assert "onnx-reference is wrong" in shown
    assert str(model) in shown
    replayed = assay("replay", name, *stored)
    assert (replayed.code, "still there (2 of 2)" in replayed.out) == (1, True), replayed
    assert "models are not reduced yet" in one_line(assay("reduce", name, *stored))
    assert assay("reduce", *stored).code == 0  # passes over it
    page = assay("report", *stored, "-o", "pages")
    assert page.code == 0, page.err
    text = (assay.folder / "pages" / "index.html").read_text("utf-8")
    assert "normalising.onnx is inconsistent" in text
    assert "suspect-" in text
    assert str(assay.folder) not in text  # a page for others names no place here

    exported = assay("export", name, "-o", "repro.py", "--check", *stored)
    assert exported.code == 0, exported.err
    script = [sys.executable, str(assay.folder / "repro.py")]
    assert subprocess.run(script, check=False, capture_output=True).returncode == 0
    gone = subprocess.run([*script, "none.onnx"], check=False, capture_output=True)
    assert gone.returncode == 2

    model.write_bytes(model.read_bytes() + b"\0")
    assert "is not the file any more" in one_line(assay("replay", name, *stored))
    model.unlink()
    assert "is gone" in one_line(assay("replay", name, *stored))


def test_an_exported_model_is_opened_to_find_the_layer(assay: Command) -> None:
    bad = faulty(assay, "MaxPooling2D", "max_pooling2d_1", "tensorflow", "onnxruntime")
    done = assay(
        "check",
        "zoo:lenet1",
        "--targets",
        f"keras-torch,{bad}",
        "--json",
        XDG_CACHE_HOME=str(assay.folder / "cache"),
    )
    assert done.code == 1, done.err
    (pair,) = done.document["pairs"]
    assert pair["suspect"]["layer"] == "max_pooling2d_1"
    (found,) = done.document["unique_inconsistencies"]
    assert found["blamed"] == [bad]


@pytest.fixture
def small_onnx(assay: Command) -> str:
    """Two dense layers and a softmax."""
    value, generator = helper.make_tensor_value_info, np.random.default_rng(1)

    def stored(name: str, *shape: int) -> onnx.TensorProto:
        return onnx.numpy_helper.from_array(generator.normal(size=shape).astype("float32"), name)

    graph = helper.make_graph(
        [
            helper.make_node("Gemm", ["x", "w1", "b1"], ["h"], name="first"),
            helper.make_node("Relu", ["h"], ["r"], name="relu"),
            helper.make_node("MatMul", ["r", "w2"], ["l"], name="second"),
            helper.make_node("Softmax", ["l"], ["p"], name="softmax"),
        ],
        "small",
        [value("x", TensorProto.FLOAT, [None, 6])],
        [value("p", TensorProto.FLOAT, [None, 4])],
        [stored("w1", 6, 9), stored("b1", 9), stored("w2", 9, 4)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, str(assay.folder / "small.onnx"))
    return "small.onnx"


def test_an_onnx_file_agrees_on_every_runtime(assay: Command, small_onnx: str) -> None:
    x = np.random.default_rng(2).normal(size=(50, 6)).astype("float32")
    np.savez(assay.folder / "d.npz", x=x, y=np.arange(50) % 4)
    done = assay("check", small_onnx, "--data", "d.npz", "--json")
    assert done.code == 0, (done.out, done.err)
    runtimes = ["onnxruntime", "onnxruntime+unoptimised", "openvino", "onnx-reference"]
    assert done.document["targets"] == runtimes
    assert len(done.document["pairs"]) == 6
    assert all(pair["top1_agreement"] == 1.0 for pair in done.document["pairs"])
    accuracies = {item["top1_accuracy"] for item in done.document["details"]}
    assert len(accuracies) == 1
    assert 0 < accuracies.pop() < 1


@pytest.mark.parametrize(
    ("arrays", "word"),
    [({"x": np.zeros((3, 5))}, "expects any×6"), ({"x": np.zeros((0, 6))}, "0 instances")],
    ids=["shape", "empty"],
)
def test_data_that_does_not_fit_is_refused(
    assay: Command, small_onnx: str, arrays: dict[str, np.ndarray], word: str
) -> None:
    np.savez(assay.folder / "d.npz", **arrays)
    arguments = ["--data", "d.npz", "--targets", "onnxruntime,onnxruntime+unoptimised", "--quiet"]
    assert word in one_line(assay("check", small_onnx, *arguments))


def test_thresholds_are_a_gate_for_ci(assay: Command) -> None:
    model = normalising_onnx(assay.folder)
    assay.write("assay.toml", '[check]\ntargets = ["onnxruntime", "onnx-reference"]\natol = 1e-3\n')
    done = assay("check", model, "--junit", "check.xml", "--quiet")
    assert done.code == 1, done.err
    first, *lines = done.out.splitlines()
    assert first == "INCONSISTENT: 1 of 1 pair of targets beyond the thresholds, from norm."
    (line,) = [line for line in lines if line.startswith("y: atol 0.001: BEYOND in 1 pair")]
    assert "onnxruntime ↔ onnx-reference" in line
    (failure,) = ElementTree.parse(assay.folder / "check.xml").iter("failure")
    assert failure.get("message", "").startswith("y: atol 0.001, measured |Δ| up to")
    held = assay("check", model, "--atol", "9", "--json", "--quiet")
    assert held.code == 0, held.err
    (pair,) = held.document["pairs"]
    assert [gate["passed"] for gate in pair["gates"]] == [True]
    np.savez(assay.folder / "d.npz", x=np.zeros((3, 5)))
    refused = assay("check", model, "--data", "d.npz")
    assert "expects any×3; x has 3×5" in one_line(refused)
    assert refused.seconds < 10  # no library was even started


def test_a_lambda_is_refused_and_does_not_run(assay: Command) -> None:
    layer = {"class_name": "Lambda", "module": "keras.layers", "config": {"name": "evil"}}
    config = {"class_name": "Sequential", "module": "keras", "config": {"layers": [layer]}}
    with zipfile.ZipFile(assay.folder / "evil.keras", "w") as archive:
        archive.writestr("config.json", json.dumps(config))
        archive.writestr("model.weights.h5", b"")
    done = assay("check", "evil.keras")
    assert one_line(done) == (
        "assay: evil.keras contains a Lambda layer, which would run code from the file. "
        "If you trust it, add --trust."
    )
    assert done.seconds < 20  # no library was even started


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["none.keras"], 'no model file "none.keras"'),
        (["zoo:resnet5"], 'Did you mean "resnet50"?'),
        (["zoo:lenet5", "--targets", "onnxruntime,openvino"], "does not run keras files"),
        (["zoo:lenet5", "--targets", "keras-torch"], "at least two targets"),
        (["zoo:lenet5", "--preset", "muffin"], 'unknown preset "muffin"'),
        (["zoo:lenet5", "--instances", "0"], "--instances must be at least 1"),
    ],
)
def test_what_cannot_be_checked_is_said(assay: Command, arguments: list[str], word: str) -> None:
    cache = str(assay.folder / "cache")
    assert word in one_line(assay("check", *arguments, XDG_CACHE_HOME=cache))


def test_a_hunt_refuses_targets_that_run_models_only(assay: Command) -> None:
    line = one_line(assay("hunt", "--targets", "torch+onnxruntime", "--cases", "1"))
    assert "assay check" in line


def test_model_files_stay_as_they_were(assay: Command, small_onnx: str) -> None:
    path = Path(assay.folder / small_onnx)
    before = path.read_bytes()
    assay("check", small_onnx, "--targets", "onnxruntime,onnxruntime+unoptimised")
    assert path.read_bytes() == before
