"""Several files in one check: arms, what they are called, and where they differ."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import assay
from assay.campaign.check.again import replay_model
from assay.campaign.check.arms import arms_for, labelled
from assay.campaign.check.models import LIMITS, Models
from assay.campaign.check.request import requested
from assay.config import Config
from assay.errors import AssayError
from assay.execute import Supervisor
from assay.ir.model import model_of
from assay.models import ModelFile, inspect
from assay.report.check import check_text
from assay.report.console import render
from assay.store import open_store
from assay.targets import known_targets
from tests.models_on_disk import dense_keras, dense_onnx, dense_torch, normalising_onnx

ROWS = np.random.default_rng(1).normal(size=(6, 3)).astype("float32")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


def changed(path: str, to: Path, weight: str) -> str:
    """The model of an .onnx file with one weight 10 % larger."""
    model = onnx.load(path)
    for item in model.graph.initializer:
        if item.name == weight:
            item.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(item) * 1.1, weight))
    onnx.save(model, str(to))
    return str(to)


def test_a_model_and_its_export_agree_whatever_they_call_their_inputs(folder: Path) -> None:
    files = [dense_keras(folder), dense_onnx(folder)]
    url = str(folder / "export.db")
    result = assay.check(files, ROWS, targets=["keras-numpy", "onnxruntime"], store=url)
    assert (result.verdict, result.model) == ("consistent", "dense.keras, dense.onnx")
    assert [item.name for item in result.targets] == ["keras-numpy", "onnxruntime"]
    first, second = result.files
    assert (first.targets, first.inputs) == (("keras-numpy",), "")
    assert second.inputs.startswith("by order: ")
    assert second.inputs.endswith(" → x")
    (pair,) = result.pairs
    assert 0 <= pair.max_abs < 1e-5


def test_outputs_are_matched_also_if_nobody_can_run_the_first_file(tmp_path: Path) -> None:
    x = helper.make_tensor_value_info("x", 1, ["n", 3])
    outputs = [helper.make_tensor_value_info(name, 1, ["n", 3]) for name in ("a", "b")]
    nodes = [helper.make_node("Neg", ["x"], ["a"]), helper.make_node("Exp", ["x"], ["b"])]
    unknown = helper.make_node("Mine", ["x"], ["a"], domain="mine")
    opsets = [helper.make_opsetid("", 15), helper.make_opsetid("mine", 1)]
    files = []
    for name, inside, order in (
        ("unknown", [unknown, nodes[1]], outputs),
        ("one", nodes, outputs),
        ("other", nodes, outputs[::-1]),
    ):
        graph = helper.make_graph(inside, name, [x], order)
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        files.append(str(tmp_path / f"{name}.onnx"))
        onnx.save(model, files[-1])
    result = assay.check(files, ROWS, store=str(tmp_path / "assay.db"))
    assert [bool(item.failure) for item in result.targets] == [True, False, False]
    assert result.verdict == "consistent"


def test_layers_of_a_file_for_one_instance_are_moved_one_instance_at_a_time(folder: Path) -> None:
    """Moving its inputs alone would give a bound that is too tight."""
    first, second = inspect(dense_keras(folder)), inspect(dense_torch(folder), trust=True)
    arms = arms_for(Config(), ("keras-numpy", "torch"), [first, second])
    targets = [arm.target for arm in arms]
    with Supervisor(targets, LIMITS, standbys=False) as supervisor:
        models = Models(supervisor, targets)
        models.start()
        models.load(first, {arm.target.name: arm.file for arm in arms})
        assert models.bound["torch"].inputs.singly
        plain, again, *moved = models.nudged("torch", [ROWS], 2, 1.0)
        whole = models.predict_on("torch", [ROWS])
    assert whole is not None
    np.testing.assert_array_equal(plain[0], whole[0])
    np.testing.assert_array_equal(again[0], whole[0])
    assert len(moved) == 2
    for copy in moved:
        assert (np.abs(copy[0] - whole[0]).max(axis=1) > 0).all()


def test_two_versions_part_at_the_layer_that_was_changed(folder: Path) -> None:
    old = normalising_onnx(folder)
    new = changed(old, folder / "new.onnx", "scale")
    url = str(folder / "versions.db")
    result = assay.check([old, new], ROWS, targets=["onnxruntime"], store=url)
    assert result.verdict == "inconsistent"
    names = ("normalising.onnx@onnxruntime", "new.onnx@onnxruntime")
    assert result.files[1].weights_differ == (
        "1 of 5 arrays of weights differ (2 of 14 numbers are in them), first scale"
    )
    (pair,) = result.pairs
    assert pair.targets == names
    assert pair.suspect is not None
    assert (pair.suspect.layer, pair.suspect.blamed) == ("norm", ())
    with open_store(url, create=False) as store:
        (finding,) = store.findings()
    model = model_of(finding.case)
    assert model is not None
    assert {name: Path(held.path).name for name, held in model.arms.items()} == {
        names[0]: "normalising.onnx",
        names[1]: "new.onnx",
    }
    shown, hellos = replay_model(finding, known_targets(Config()), 1)
    assert shown == [frozenset()]  # it shows, and nobody is blamed
    assert set(hellos) >= set(names)
    again = assay.check([old, new], ROWS, targets=["onnxruntime"], store=url)
    assert again.findings == result.findings


def test_several_files_have_one_target_each_unless_told() -> None:
    files = [ModelFile("a.onnx", "onnx"), ModelFile("v1/b.onnx", "onnx")]
    arms = arms_for(Config(), (), files)
    assert [arm.target.name for arm in arms] == ["a.onnx@onnxruntime", "b.onnx@onnxruntime"]
    arms = arms_for(Config(), ("openvino", "onnxruntime"), files)
    assert len(arms) == 4
    mixed = arms_for(Config(), (), [files[0], ModelFile("m.keras", "keras")])
    assert [arm.target.name for arm in mixed] == ["onnxruntime", "keras-tensorflow"]


def test_files_are_told_apart_by_as_little_as_possible() -> None:
    assert labelled(["x/a.onnx", "x/b.onnx"]) == {"x/a.onnx": "a.onnx", "x/b.onnx": "b.onnx"}
    two = ["x/v1/m.onnx", "x/v2/m.onnx"]
    assert list(labelled(two).values()) == ["v1/m.onnx", "v2/m.onnx"]


def test_files_that_cannot_be_compared_are_refused(folder: Path) -> None:
    path = dense_onnx(folder)
    with pytest.raises(AssayError, match="expected different files; received one twice"):
        requested(Config(), [path, path])
    with pytest.raises(AssayError, match="by their files; received zoo:lenet1"):
        requested(Config(), [path, "zoo:lenet1"])
    other = normalising_onnx(folder)
    with pytest.raises(AssayError, match="keras-numpy runs none of these files"):
        requested(Config(), [path, other], targets=("keras-numpy", "onnxruntime"))
    with pytest.raises(AssayError, match=r"expected a target that runs onnx files .* keras-numpy"):
        requested(Config(), [path, other], targets=("keras-numpy",))


def test_a_slow_target_runs_few_instances_where_two_others_run_all(tmp_path: Path) -> None:
    names, url = ["onnxruntime", "openvino", "onnx-reference"], str(tmp_path / "assay.db")
    result = assay.check(dense_onnx(tmp_path), ROWS, targets=names, store=url)
    assert [item.instances for item in result.targets] == [6, 6, 4]
    assert result.verdict == "consistent"
    assert "onnx-reference: ran on the first 4 instances only" in render(check_text(result), 100)
