"""Errors of gradients on a real library: their truth, their findings, and what is left out."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.cli.main import run
from assay_worker.precision.formats import unit

#: The gradient of tanh is off by 2^-9 between one half and one; results are right.
_FAULTY = """
import torch

tanh = torch.tanh


class Tanh(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return tanh(x)

    @staticmethod
    def backward(context, upstream):
        (x,) = context.saved_tensors
        slope = 1.0 - tanh(x) ** 2
        between = (x.abs() > 0.5) & (x.abs() < 1.0)
        return upstream * torch.where(between, slope * (1.0 + 2.0**-9), slope)


torch.tanh = Tanh.apply
"""
_CONFIG = """
[targets.torch-faulty]
library = "torch"
prelude = "faulty.py"
"""
_OPS = ["keras.ops.log1p", "keras.ops.hypot", "keras.ops.floor", "keras.ops.softmax"]


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("gradients")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = folder / "result.json"
        options = [
            "--stage",
            "both",
            "--inputs",
            "600",
            "--box",
            "10",
            "--targets",
            "torch",
            "--json",
        ]
        with result.open("w") as stream:
            patch.setattr("sys.stdout", stream)
            assert run(["precision", *_OPS, *options, "--store", str(folder / "s.db")]) == 0
        return json.loads(result.read_text())


def row(document: Any, op: str, stage: str = "gradient") -> Any:
    (found,) = (item for item in document["results"] if item["op"] == op and item["stage"] == stage)
    return found


def test_a_worst_gradient_is_what_the_library_gives_there(document: Any) -> None:
    import torch

    found = row(document, "keras.ops.log1p")
    assert found["truth"] == "balls"
    (x,) = found["at"]["inputs"].values()
    assert found["at"]["truth"] == pytest.approx(1.0 / (1.0 + x), rel=1e-15)
    given = torch.full((17,), x, requires_grad=True)
    torch.log1p(given).sum().backward()
    assert found["at"]["answer"] in given.grad.tolist()
    units = abs(found["at"]["answer"] - 1.0 / (1.0 + x)) / unit(1.0 / (1.0 + x), "float32")
    assert found["max_ulp"] == pytest.approx(units, rel=1e-6)
    assert 0.6 < found["max_ulp"] < 3.0
    assert found["condition"] == pytest.approx(abs(x / (1.0 + x)), rel=1e-6)


def test_gradients_are_measured_by_each_tensor(document: Any) -> None:
    found = row(document, "keras.ops.hypot")
    numbers = [found["at"]["inputs"][name] for name in ("x0", "x1")]
    slopes = np.abs(numbers) / np.hypot(*numbers)
    assert np.isclose(slopes, abs(found["at"]["truth"]), rtol=1e-12).any()


def test_steps_have_a_gradient_of_zero_and_none_where_they_jump(document: Any) -> None:
    found = row(document, "keras.ops.floor")
    assert found["max_ulp"] == 0.0
    assert found["special"] == 0


def test_an_op_without_derivatives_in_balls_is_left_out_and_told(document: Any) -> None:
    (left,) = document["left_out"]
    assert left["op"] == "keras.ops.softmax"
    assert "is no function of numbers by themselves" in left["why"]
    assert row(document, "keras.ops.softmax", "forward")["inputs"] == 600


def test_a_fault_in_a_gradient_is_a_bug_of_whoever_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("faulty.py").write_text(_FAULTY)
    Path("assay.toml").write_text(_CONFIG)
    line = "precision keras.ops.tanh --stage both --inputs 1000 --box 1.5 --json"
    assert run([*line.split(), "--targets", "torch-faulty,torch,jax"]) == 1
    told = json.loads(capsys.readouterr().out)
    bugs = [item for item in told["findings"] if item["category"] == "bug"]
    assert [(item["op"], item["stage"], item["kind"]) for item in bugs] == [
        ("torch.tanh", "gradient", "precision")
    ]
    assert bugs[0]["blamed"] == ["torch-faulty"]
    assert bugs[0]["evidence"]["confirmations"] == bugs[0]["evidence"]["attempts"]
    (x,) = row(
        {"results": [item for item in told["results"] if item["target"] == "torch-faulty"]},
        "keras.ops.tanh",
    )["excess_at"]["inputs"].values()
    assert 0.5 < abs(x) < 1.0


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("keras.ops.tanh --stage backward", 'unknown stage "backward"'),
        ("keras.ops.softmax --stage gradient", "nothing could be measured"),
        ("--preset predoo --stage gradient", "--preset measures results"),
        ("keras.ops.tanh --stage gradient --targets onnxruntime", "has no gradients"),
    ],
)
def test_what_cannot_be_measured_is_one_line(
    line: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [] if "--targets" in line else ["--targets", "torch,keras-torch"]
    options += ["--quiet", "--store", str(tmp_path / "s.db"), "--inputs", "20"]
    assert run(["precision", *line.split(), *options]) == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert len(captured.err.strip().splitlines()) == 1
