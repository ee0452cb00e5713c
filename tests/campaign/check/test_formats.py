"""The same model in every format: each runs, and they agree."""

from pathlib import Path

import numpy as np
import onnx
import pytest

import assay
from assay.models import ModelError, inspect, sha256_of
from tests.models_on_disk import (
    WEIGHTS,
    dense_onnx,
    dense_openvino,
    dense_tensorflow,
    flagged_torch,
)

ROWS = np.random.default_rng(1).normal(size=(6, 3)).astype("float32")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("formats")
    dense_tensorflow(made)
    dense_openvino(made)
    return made


def test_the_same_model_in_other_formats_agrees(folder: Path) -> None:
    files = [str(folder / name) for name in ("dense.onnx", "dense.tflite", "saved")]
    result = assay.check(
        [*files, str(folder / "whole.tflite")],
        ROWS,
        targets=["onnxruntime", "litert", "tensorflow"],
        trust=True,
        store=str(folder / "assay.db"),
    )
    assert [(item.name, item.failure) for item in result.targets] == [
        ("onnxruntime", ""),
        ("dense.tflite@litert", ""),
        ("tensorflow", ""),
        ("whole.tflite@litert", ""),
    ]
    exact = [pair for pair in result.pairs if pair.targets[1] != "whole.tflite@litert"]
    assert [pair.verdict for pair in exact] == ["consistent"] * 3
    whole = next(p for p in result.pairs if p.targets == ("onnxruntime", "whole.tflite@litert"))
    assert whole.verdict == "inconsistent"
    assert 1e-4 < whole.max_abs < 0.1 * np.abs(ROWS @ WEIGHTS).max()
    told = {item.name: item for item in result.files}
    assert "(quantised)" in told["whole.tflite"].inputs
    assert told["dense.tflite"].inputs == "by name"


def test_openvino_runs_what_others_made(folder: Path) -> None:
    files = [str(folder / name) for name in ("dense.tflite", "dense.xml")]
    targets = ["litert+reference", "openvino"]
    result = assay.check(files, ROWS, targets=targets, store=str(folder / "openvino.db"))
    assert [(item.name, item.failure) for item in result.targets] == [
        ("litert+reference", ""),
        ("dense.tflite@openvino", ""),
        ("dense.xml@openvino", ""),
    ]
    assert result.verdict == "consistent"
    assert [item.weights for item in result.files] == [WEIGHTS.size, WEIGHTS.size]


def test_a_flag_that_was_exported_with_a_program_stays_as_it_was(tmp_path: Path) -> None:
    targets = ["torch", "torch+onnxruntime"]
    path, store = flagged_torch(tmp_path), str(tmp_path / "assay.db")
    result = assay.check(path, ROWS, targets=targets, trust=True, store=store)
    assert [(item.name, item.failure) for item in result.targets] == [(n, "") for n in targets]
    assert result.verdict == "consistent"


def test_weights_beside_an_onnx_file_belong_to_it(tmp_path: Path) -> None:
    path, data = tmp_path / "outside.onnx", tmp_path / "outside.data"
    inside = onnx.load(dense_onnx(tmp_path))
    settings = {"save_as_external_data": True, "location": data.name, "size_threshold": 0}
    onnx.save(inside, str(path), **settings)
    digest = sha256_of(str(path))
    targets = ["onnxruntime", "openvino"]
    result = assay.check(str(path), ROWS, targets=targets, store=str(tmp_path / "assay.db"))
    assert (result.verdict, result.weights) == ("consistent", WEIGHTS.size)
    data.write_bytes(data.read_bytes()[::-1])
    assert sha256_of(str(path)) != digest
    data.unlink()
    with pytest.raises(ModelError, match=r"its weights are missing. Put .*outside\.data"):
        inspect(str(path))


def test_what_is_no_model_is_said_before_anything_starts(tmp_path: Path) -> None:
    (tmp_path / "model.pt").write_bytes(b"PK\x03\x04")
    with pytest.raises(ModelError, match=r"torch\.export\.save\(program, \"model\.pt2\"\)"):
        inspect(str(tmp_path / "model.pt"))
    (tmp_path / "bad.tflite").write_bytes(b"0123456789abcdef")
    with pytest.raises(ModelError, match="no LiteRT model"):
        inspect(str(tmp_path / "bad.tflite"))
    with pytest.raises(ModelError, match=r"no SavedModel: it has no saved_model\.pb"):
        inspect(str(tmp_path))
    (tmp_path / "saved_model.pb").write_bytes(b"x")
    with pytest.raises(ModelError, match=r"is a program.*add --trust"):
        inspect(str(tmp_path))
    (tmp_path / "net.xml").write_text('<?xml version="1.0"?><net name="x">', encoding="utf-8")
    with pytest.raises(ModelError, match=r"its weights are missing. Put .*net\.bin"):
        inspect(str(tmp_path / "net.xml"))
    outside = onnx.load(dense_onnx(tmp_path))
    weight = outside.graph.initializer[0]
    weight.data_location = onnx.TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="../secret")
    (tmp_path / "escapes.onnx").write_bytes(outside.SerializeToString())
    with pytest.raises(ModelError, match=r"outside of its folder: \.\./secret"):
        inspect(str(tmp_path / "escapes.onnx"))
