"""Model files are read as data; what would run code, or is damaged, is refused in one line."""

import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from assay.ir.check import TensorSpec
from assay.models import ModelError, inspect


def layer(kind: str, **extra: Any) -> dict[str, Any]:
    plain = {"class_name": kind, "module": "keras.layers", "config": {"name": kind.lower()}}
    return {**plain, **extra}


def archive(path: Path, *layers: dict[str, Any], model: str = "Sequential") -> str:
    config = {"class_name": model, "module": "keras", "config": {"layers": list(layers)}}
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("config.json", json.dumps(config))
        file.writestr("metadata.json", "{}")
        file.writestr("model.weights.h5", b"\x89HDF\r\n\x1a\n" + bytes(2000))
    return str(path)


def refusal(path: str, **options: Any) -> str:
    with pytest.raises(ModelError) as caught:
        inspect(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert path in message
    return message


def test_a_plain_archive_is_read_with_the_ids_of_its_embedding(tmp_path: Path) -> None:
    embedding = layer("Embedding")
    embedding["config"]["input_dim"] = 70
    file = inspect(archive(tmp_path / "m.keras", layer("InputLayer"), embedding))
    assert file.format == "keras"
    assert file.ids == {"inputlayer": 70}


@pytest.mark.parametrize("kind", ["Lambda", "TFSMLayer", "TorchModuleWrapper"])
def test_layers_that_run_code_need_trust(tmp_path: Path, kind: str) -> None:
    path = archive(tmp_path / "m.keras", layer("Dense"), layer(kind))
    message = refusal(path)
    assert kind in message
    assert "--trust" in message
    assert inspect(path, trust=True).trust


@pytest.mark.parametrize(
    "odd",
    [
        {"class_name": "Evil", "module": "os", "config": {}},
        {"class_name": "function", "module": "builtins", "config": "system"},
        {"class_name": "function", "module": "keras.utils", "config": "get_file"},
        {"class_name": "Mine", "module": None, "registered_name": "mine>Mine", "config": {}},
        {"class_name": "Mine", "module": None, "registered_name": "Mine", "config": {}},
        {"class_name": "__lambda__", "config": {"value": "4wEAAAA"}},
    ],
    ids=["module", "builtin", "utility", "registered", "unregistered", "lambda"],
)
def test_objects_from_outside_of_keras_need_trust(tmp_path: Path, odd: dict[str, Any]) -> None:
    dense = layer("Dense")
    dense["config"]["activation"] = odd
    assert "--trust" in refusal(archive(tmp_path / "m.keras", dense))


def test_every_custom_object_is_named_with_the_way_out(tmp_path: Path) -> None:
    mine = layer("Mine", module=None, registered_name="mypackage>MyLayer")
    other = layer("Other", module=None, registered_name="Other")
    path = archive(tmp_path / "m.keras", mine, other, mine)
    message = refusal(path)
    assert "contains MyLayer of mypackage, Other, which is code outside of Keras" in message
    assert "put its definition into a file and add --prelude FILE --trust" in message
    assert inspect(path, trust=True).custom == ("mypackage>MyLayer", "Other")


def test_a_nested_model_is_searched_too(tmp_path: Path) -> None:
    inner = {"class_name": "Functional", "config": {"layers": [layer("Lambda")]}}
    assert "Lambda" in refusal(archive(tmp_path / "m.keras", inner))


class Bomb:
    """Leaves a file behind when unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("name", ["m.h5", "m.keras", "m.onnx", "m.pt2"])
def test_a_pickle_by_any_name_is_not_opened(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(pickle.dumps(Bomb(tmp_path / "ran")))
    assert "pickle" in refusal(str(path), trust=True)
    assert not (tmp_path / "ran").exists()


def test_an_archive_cut_off_is_damaged(tmp_path: Path) -> None:
    path = Path(archive(tmp_path / "m.keras", layer("Dense")))
    path.write_bytes(path.read_bytes()[:-300])
    assert "damaged" in refusal(str(path))


def test_an_archive_with_a_flipped_byte_is_damaged(tmp_path: Path) -> None:
    path = Path(archive(tmp_path / "m.keras", layer("Dense")))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert "damaged" in refusal(str(path))


def old_file(path: Path, config: dict[str, Any] | None) -> str:
    with h5py.File(path, "w") as file:
        file.attrs["layer_names"] = [b"dense_1"]
        if config is not None:
            file.attrs["model_config"] = json.dumps(config)
        file.create_group("dense_1")["kernel"] = np.zeros((50, 50))
    return str(path)


def test_a_file_of_keras_2_is_read_and_its_lambda_refused(tmp_path: Path) -> None:
    plain = {"class_name": "Sequential", "config": [{"class_name": "Dense", "config": {}}]}
    assert inspect(old_file(tmp_path / "a.h5", plain)).format == "keras"
    odd = {"class_name": "Sequential", "config": [{"class_name": "Lambda", "config": {}}]}
    assert "Lambda" in refusal(old_file(tmp_path / "b.hdf5", odd))


def test_weights_without_architecture_need_one(tmp_path: Path) -> None:
    path = old_file(tmp_path / "w.h5", None)
    assert "--architecture" in refusal(path)
    text = json.dumps({"class_name": "Sequential", "config": {"layers": [layer("Dense")]}})
    assert inspect(path, architecture=text).architecture == text


def test_hdf5_cut_off_is_damaged(tmp_path: Path) -> None:
    path = Path(old_file(tmp_path / "m.h5", {"class_name": "Sequential", "config": []}))
    path.write_bytes(path.read_bytes()[:4000])
    assert "damaged" in refusal(str(path))


def onnx_file(path: Path) -> str:
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["ids"], ["whole"], to=TensorProto.INT64),
            helper.make_node("Gather", ["table", "whole"], ["y"]),
        ],
        "g",
        [value("ids", TensorProto.INT32, [None, 4])],
        [value("y", TensorProto.FLOAT, None)],
        [helper.make_tensor("table", TensorProto.FLOAT, [9, 2], [0.0] * 18)],
    )
    onnx.save(helper.make_model(graph), str(path))
    return str(path)


def test_keras_archives_tell_their_inputs_and_outputs(tmp_path: Path) -> None:
    def given(name: str, shape: list[int | None], **settings: Any) -> dict[str, Any]:
        return layer("InputLayer", config={"name": name, "batch_shape": shape, **settings})

    sequential = inspect(archive(tmp_path / "s.keras", given("x", [None, 3]), layer("Dense")))
    assert sequential.inputs == (TensorSpec("x", (None, 3), "float32"),)
    assert sequential.outputs == ("dense",)
    layers = [given("b", [None, 5], dtype="int32"), given("a", [2, None]), layer("Dense")]
    body = {"layers": layers, "output_layers": [["dense", 0, 0]]}
    expected = {
        "a": TensorSpec("a", (2, None), "float32"),
        "b": TensorSpec("b", (None, 5), "int32"),
    }
    for order, references in (
        ("ba", [["b", 0, 0], ["a", 0, 0]]),
        ("ab", {"b": ["b", 0, 0], "a": ["a", 0, 0]}),
        ("a", ["a", 0, 0]),
        ("", [["a", 0, 0], ["gone", 0, 0]]),
    ):
        config = {"class_name": "Functional", "config": {**body, "input_layers": references}}
        found = inspect(old_file(tmp_path / "f.h5", config))
        assert found.inputs == tuple(expected[name] for name in order)
        assert found.outputs == ("dense",)
    bare = {"class_name": "Dense", "config": {"batch_input_shape": [None, 4], "dtype": "float32"}}
    old = inspect(old_file(tmp_path / "o.h5", {"class_name": "Sequential", "config": [bare]}))
    assert old.inputs == (TensorSpec("", (None, 4), "float32"),)


def test_onnx_is_read_with_the_rows_its_inputs_select(tmp_path: Path) -> None:
    file = inspect(onnx_file(tmp_path / "m.onnx"))
    assert (file.format, file.ids) == ("onnx", {"ids": 9})
    assert file.inputs == (TensorSpec("ids", (None, 4), "int32"),)
    assert file.outputs == ("y",)


def test_onnx_cut_off_is_damaged(tmp_path: Path) -> None:
    path = Path(onnx_file(tmp_path / "m.onnx"))
    path.write_bytes(path.read_bytes()[:-20])
    assert "damaged" in refusal(str(path))


@pytest.mark.parametrize("name", ["none.keras", "m.txt"])
def test_what_is_no_model_file_is_said(tmp_path: Path, name: str) -> None:
    assert name in refusal(str(tmp_path / name))


def test_an_empty_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "m.keras").touch()
    assert "empty" in refusal(str(tmp_path / "m.keras"))


def program(path: Path, *inputs: dict[str, Any]) -> str:
    values = {
        "w": {"dtype": 7, "sizes": [{"as_int": 9}]},
        "x": {"dtype": 7, "sizes": [{"as_expr": {"expr_str": "s0"}}, {"as_int": 3}]},
        "ids": {"dtype": 5, "sizes": []},
        "odd": {"dtype": 13, "sizes": []},
        "input": {"dtype": 7, "sizes": [{"as_int": 1}]},
    }
    specs = [{"parameter": {"arg": {"name": "w"}}}, *inputs]
    module = {"graph": {"tensor_values": values}, "signature": {"input_specs": specs}}
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("m/models/model.json", json.dumps({"graph_module": module}))
    return str(path)


def test_pt2_tells_the_inputs_that_a_user_gives(tmp_path: Path) -> None:
    def given(name: str, kind: str = "as_tensor") -> dict[str, Any]:
        return {"user_input": {"arg": {kind: {"name": name}}}}

    path = tmp_path / "m.pt2"
    assert inspect(program(path, given("x"), given("ids")), trust=True).inputs == (
        TensorSpec("x", (None, 3), "float32"),
        TensorSpec("ids", (), "int64"),
    )
    for untold in (given("odd"), given("x", "as_int"), given("gone")):
        assert inspect(program(path, given("x"), untold), trust=True).inputs == ()
    # Torch renames what is called as something of Python's.
    shadow = given("input")
    assert inspect(program(path, shadow), trust=True).inputs == (TensorSpec("", (1,), "float32"),)
    assert inspect(program(path, given("x"), shadow), trust=True).inputs == ()
    path.write_bytes(path.read_bytes()[:-30])
    assert "damaged" in refusal(str(path), trust=True)


def test_pt2_needs_trust(tmp_path: Path) -> None:
    (tmp_path / "m.pt2").write_bytes(b"PK\x03\x04")
    assert "--trust" in refusal(str(tmp_path / "m.pt2"))


def classifier(path: Path, *outputs: onnx.ValueInfoProto, given: int = TensorProto.FLOAT) -> str:
    """A classifier as scikit-learn's converter writes it, with these outputs."""
    node = helper.make_node("LinearClassifier", ["x"], ["label", "scores"], domain="ai.onnx.ml")
    inputs = [helper.make_tensor_value_info("x", given, [None, 4])]
    onnx.save(helper.make_model(helper.make_graph([node], "g", inputs, outputs)), str(path))
    return str(path)


LABEL = helper.make_tensor_value_info("label", TensorProto.STRING, [None])
SCORES = helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, 3])
ZIPPED = helper.make_value_info(
    "scores",
    helper.make_sequence_type_proto(
        helper.make_map_type_proto(
            TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, [])
        )
    ),
)


def test_of_the_outputs_those_of_numbers_are_told(tmp_path: Path) -> None:
    assert inspect(classifier(tmp_path / "m.onnx", LABEL, SCORES)).outputs == ("scores",)


def test_a_model_without_an_output_of_numbers_is_refused(tmp_path: Path) -> None:
    message = refusal(classifier(tmp_path / "m.onnx", LABEL, ZIPPED))
    assert "label (string), scores (sequence of maps)" in message
    assert "zipmap" in message


def test_an_input_of_strings_is_refused(tmp_path: Path) -> None:
    path = classifier(tmp_path / "m.onnx", SCORES, given=TensorProto.STRING)
    assert "input x is no array of numbers (string)" in refusal(path)
