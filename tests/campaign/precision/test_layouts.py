"""``--format``: an operator once for each place of its channels."""

import json
from pathlib import Path

import pytest

from assay.campaign.precision.request import Asked, Request, requested
from assay.cli.main import run
from assay.config import Config
from assay.errors import AssayError
from assay.libraries import everything
from assay.sources.precision import drawn


def request(*ops: str, layouts: tuple[str, ...] = ("both",), **facts: object) -> Request:
    asked = Asked(ops=ops, layouts=layouts, targets=("keras-torch",), **facts)  # type: ignore[arg-type]
    return requested(Config(), asked, "unused.db")


def test_an_op_is_measured_in_both_layouts_on_the_same_data_moved() -> None:
    first, last = request("keras.layers.AveragePooling2D").operators
    assert first.label == "keras.layers.AveragePooling2D channels_first"
    assert last.label == "keras.layers.AveragePooling2D channels_last"
    spec = everything()[first.op]
    moved, plain = drawn(spec, first.wishes, 0), drawn(spec, last.wishes, 0)
    assert plain.tensors[0].shape == (1, 7, 8, 3)
    assert moved.tensors[0].shape == (1, 3, 7, 8)
    assert moved.case.graph.nodes[0].params["data_format"] == "channels_first"


def test_a_preset_keeps_what_has_no_layout() -> None:
    found = request("conv2d", "relu", preset="predoo", layouts=("channels_first",)).operators
    assert [item.label for item in found] == ["conv2d channels_first", "relu"]
    assert found[0].wishes.shape == (1, 3, 10, 10)
    assert found[1].wishes.fixed == {}


def test_ops_without_a_layout_are_counted_or_refused() -> None:
    found = request("keras.ops.max_pool", "keras.ops.tanh", layouts=("channels_last",))
    assert [item.op for item in found.operators] == ["keras.ops.max_pool"]
    assert found.skipped == 1
    with pytest.raises(AssayError, match=r"keras\.ops\.tanh has no data_format"):
        request("keras.ops.tanh")
    with pytest.raises(AssayError, match='unknown format "NCHW"'):
        request("keras.ops.max_pool", layouts=("NCHW",))


def test_both_layouts_of_an_average_are_exact_on_a_real_library(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "precision keras.layers.AveragePooling2D --format both --targets keras-torch --box 4"
    options = ["--inputs", "60", "--json", "--store", str(tmp_path / "s.db")]
    assert run([*line.split(), *options]) == 0
    rows = json.loads(capsys.readouterr().out)["results"]
    assert [item["params"]["data_format"] for item in rows] == ["channels_first", "channels_last"]
    assert [item["shape"] for item in rows] == [[1, 3, 7, 8], [1, 7, 8, 3]]
    assert all(item["inputs"] == 60 and item["max_abs"] < 1e-6 for item in rows)
