"""Errors of gradients on a real library: their truth, their findings, and what is left out."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.campaign.precision.cotangents import upstream_of
from assay.cli.main import run
from assay.ir import derive
from assay.libraries import everything
from assay.sources.precision import Wishes, drawn
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
_KERAS_CONFIG = """
[targets.keras-faulty]
library = "keras"
backend = "torch"
prelude = "faulty.py"
"""
_CONFIG = """
[targets.torch-faulty]
library = "torch"
prelude = "faulty.py"
"""
#: What a softmax and a layer normalization subtract of upstream gradients is off by 2^-9.
_FAULTY_SUMS = """
import torch

softmax = torch.softmax


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(context, x, dim):
        y = softmax(x, dim)
        context.save_for_backward(y)
        context.dim = dim
        return y

    @staticmethod
    def backward(context, upstream):
        (y,) = context.saved_tensors
        inner = (upstream * y).sum(context.dim, keepdim=True)
        return y * (upstream - inner * (1.0 + 2.0**-9)), None


torch.nn.functional.softmax = lambda input, dim, dtype=None: Softmax.apply(input, dim)
normal = torch.nn.functional.layer_norm


class Normal(torch.autograd.Function):
    @staticmethod
    def forward(context, x, shape, eps):
        context.save_for_backward(x)
        context.eps = eps
        return normal(x, shape, eps=eps)

    @staticmethod
    def backward(context, upstream):
        (x,) = context.saved_tensors
        root = torch.sqrt(x.var(-1, unbiased=False, keepdim=True) + context.eps)
        y = (x - x.mean(-1, keepdim=True)) / root
        inner = (upstream * y).mean(-1, keepdim=True) * (1.0 + 2.0**-9)
        return (upstream - upstream.mean(-1, keepdim=True) - y * inner) / root, None, None


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    y = Normal.apply(input, normalized_shape, eps)
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


torch.nn.functional.layer_norm = layer_norm
"""
_OPS = [
    "keras.ops.log1p",
    "keras.ops.hypot",
    "keras.ops.floor",
    "keras.ops.softmax",
    "keras.ops.inv",
]


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
    assert left["op"] == "keras.ops.inv"
    assert "no slopes of the formula of keras.ops.inv are known" in left["why"]
    assert row(document, "keras.ops.inv", "forward")["inputs"] == 600


def test_where_results_hang_on_several_numbers_each_is_multiplied_by_one(document: Any) -> None:
    import mpmath
    import torch

    found = row(document, "keras.ops.softmax")
    assert found["truth"] == "balls"
    assert found["inputs"] == 600
    assert not [item for item in document["findings"] if item["op"] == "torch.softmax"]
    at = found["at"]
    (x,) = (np.array(array) for array in at["inputs"].values())
    call = drawn(everything()["keras.ops.softmax"], Wishes(), derive(0, "keras.ops.softmax"))
    (recipe,) = upstream_of(call)
    shares = recipe.materialise(x.shape, "float32")
    assert set(shares) <= set(range(1, 9))
    given = torch.tensor(x.astype("float32"), requires_grad=True)
    (torch.softmax(given, -1) * torch.tensor(shares)).sum().backward()
    assert given.grad is not None
    assert at["answer"] == pytest.approx(float(given.grad[at["place"]]), rel=1e-4, abs=1e-30)
    with mpmath.workdps(120):
        powers = [mpmath.exp(mpmath.mpf(item)) for item in x]
        y = [item / sum(powers) for item in powers]
        inner = sum(mpmath.mpf(float(s)) * item for s, item in zip(shares, y, strict=True))
        truth = y[at["place"]] * (float(shares[at["place"]]) - inner)
    assert at["truth"] == pytest.approx(float(truth), rel=1e-14)


@pytest.mark.parametrize("op", ["keras.ops.softmax", "keras.ops.layer_normalization"])
def test_a_fault_in_the_rule_of_a_sum_is_a_bug_of_whoever_has_it(
    op: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("faulty.py").write_text(_FAULTY_SUMS)
    Path("assay.toml").write_text(_KERAS_CONFIG)
    line = f"precision {op} --stage gradient --inputs 200 --box 4 --json"
    assert run([*line.split(), "--targets", "keras-faulty,keras-torch,keras-jax"]) == 1
    told = json.loads(capsys.readouterr().out)
    bugs = [item for item in told["findings"] if item["category"] == "bug"]
    assert [(item["op"], item["stage"], item["kind"]) for item in bugs] == [
        (op, "gradient", "precision")
    ]
    assert bugs[0]["blamed"] == ["keras-faulty"]


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
        ("keras.ops.inv --stage gradient", "nothing could be measured"),
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
