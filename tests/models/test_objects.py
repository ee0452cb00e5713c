"""Models that are objects in the caller's process; these tests never import a library here."""

import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.models.objects import is_object

_TORCH = """
import sys
import assay
import torch
from assay.errors import AssayError
from assay.models.objects import saved

class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)
        self.dropout = torch.nn.Dropout(0.9)
    def forward(self, x):
        return self.dropout(self.layer(x)).relu()

module, rows = Small().train(), torch.randn(5, 3)
found = assay.check(module, rows, targets=["torch", "torch+onnxruntime"], store=sys.argv[1])
assert (found.verdict, found.instances, found.model) == ("consistent", 5, "Small.pt2"), found
assert module.training and module.dropout.training
one = saved(module, rows[:1], sys.argv[2])
program = torch.export.load(one.path)
assert program.module()(rows).shape == (5, 2)  # an example of one instance is no limit
try:
    assay.check(module)
except AssayError as error:
    assert "example inputs" in str(error)
else:
    raise AssertionError("expected an error")
"""
_KERAS = """
import sys
import assay
import keras
import numpy as np

model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)], name="small")
rows = np.ones((4, 3), "float32")
found = assay.check(
    [model, sys.argv[2]], rows, targets=["keras-numpy", "onnxruntime"], store=sys.argv[1]
)
assert [item.name for item in found.files] == ["small.keras", "dense.onnx"], found.files
assert found.pairs[0].suspect.layer == "dense", found.pairs  # other weights
"""


def _run(script: str, *arguments: str) -> None:
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_module_of_torch_is_exported_for_inference_and_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    _run(_TORCH, str(tmp_path / "assay.db"), str(tmp_path / "folder"))


def test_a_model_of_keras_is_compared_with_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.models_on_disk import dense_onnx

    monkeypatch.setenv("KERAS_BACKEND", "numpy")
    _run(_KERAS, str(tmp_path / "assay.db"), dense_onnx(tmp_path))


def test_what_is_no_model_is_not_taken_for_one() -> None:
    assert not is_object("model.keras")
    assert not is_object(3)
    import assay

    with pytest.raises(AssayError, match="received none"):
        assay.check([])
    with pytest.raises(AssayError, match=r"model takes a path, .* received 3"):
        assay.check(3)
