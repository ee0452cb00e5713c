"""What must never be called consistent: each of these once was."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.campaign.check.comparing import check_loaded
from assay.campaign.check.models import LIMITS, Models
from assay.campaign.check.request import Request, requested
from assay.config import Config, TargetConfig
from assay.execute import Supervisor
from assay.ir.check import Check, Special
from assay.models import in_memory
from assay.report.check import check_document, check_text
from assay.report.console import render
from assay.targets import REFERENCE
from tests.models_on_disk import dense_onnx, dropping_onnx, dropping_torch, stacked_keras

RUNTIMES = ("onnxruntime", "onnxruntime+unoptimised")
ROWS = np.random.default_rng(1).normal(size=(6, 3)).astype("float32")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)  # stores
    return tmp_path


def screen(result: Check) -> str:
    return render(check_text(result), width=80)


def test_a_target_that_differs_from_itself_is_said_first_and_proves_nothing(folder: Path) -> None:
    result = assay.check(dropping_onnx(folder), ROWS, targets=RUNTIMES)
    assert (result.verdict, result.findings) == ("inconsistent", ())
    assert result.nondeterministic == RUNTIMES
    assert all(item.itself > 0.01 for item in result.targets)
    (pair,) = result.pairs
    assert (pair.verdict, pair.category) == ("nothing to compare", "")
    assert screen(result).startswith("NONDETERMINISTIC: onnxruntime, onnxruntime+unoptimised ")
    assert check_document(result)["nondeterministic"] == list(RUNTIMES)


def test_a_program_that_drops_is_no_measure_of_rounding(folder: Path) -> None:
    """Its export is steady, and would be measured by running the program itself."""
    targets = ("torch", "torch+onnxruntime")
    result = assay.check(dropping_torch(folder), ROWS, targets=targets, trust=True)
    assert result.verdict == "inconsistent"
    assert "torch" in result.nondeterministic
    assert result.pairs[0].verdict == "nothing to compare"


def test_outputs_that_are_all_nan_are_nothing_to_compare(folder: Path) -> None:
    result = assay.check(dense_onnx(folder), ROWS * np.float32("nan"), targets=RUNTIMES)
    assert (result.verdict, result.pairs[0].verdict) == ("nothing to compare",) * 2
    assert [item.special for item in result.targets] == [(Special("dense", 1.0, 0.0),)] * 2
    assert screen(result).startswith("NOTHING TO COMPARE: no finite number")
    assert "onnxruntime: output dense is 100% NaN." in screen(result)


def test_what_is_not_nan_is_compared_and_the_share_is_said(folder: Path) -> None:
    rows = ROWS.copy()
    rows[2] = np.nan
    result = assay.check(dense_onnx(folder), rows, targets=RUNTIMES)
    assert result.verdict == "consistent"
    assert result.targets[0].special == (Special("dense", pytest.approx(1 / 6), 0.0),)
    assert "onnxruntime: output dense is 16.7% NaN." in screen(result)


#: Wrong outside of any layer, as the file "fault" says; nothing without one.
PRELUDE = """
import os
import keras
from keras.src.models import functional

_call, _operation_fn = keras.Model.__call__, functional.operation_fn

def fault():
    path = os.path.join({folder!r}, "fault")
    return open(path).read() if os.path.exists(path) else ""

def call(self, inputs, **keywords):
    if fault() == "before":
        inputs = inputs * 1.05
    result = _call(self, inputs, **keywords)
    if fault() == "after":
        result = result * 1.05
    if fault() == "sometimes":  # for the one instance whose first number is large
        result = result + 0.01 * keras.ops.cast(inputs[:, :1] > 50, "float32")
    return result

def operation_fn(operation, **keywords):
    inner = _operation_fn(operation, **keywords)
    if fault() == "between" and operation.name == "second":
        return lambda tensor, **more: inner(tensor * 1.05, **more)
    return inner

keras.Model.__call__, functional.operation_fn = call, operation_fn
"""


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Models, Request]]:
    """A model on a healthy target and on one with faults, loaded."""
    folder = tmp_path_factory.mktemp("outside")
    (folder / "prelude.py").write_text(PRELUDE.format(folder=str(folder)), encoding="utf-8")
    bad = TargetConfig("keras", "numpy", prelude=str(folder / "prelude.py"))
    settings = Config(store=str(folder / "assay.db"), targets={"bad": bad})
    request = requested(settings, stacked_keras(folder), targets=("keras-numpy", "bad"))
    targets = (*request.targets, REFERENCE)
    with Supervisor(targets, LIMITS, standbys=False) as supervisor:
        models = Models(supervisor, targets)
        models.start()
        assert request.file is not None
        models.load(request.file)
        yield folder, models, request


@pytest.mark.parametrize(
    ("fault", "where"),
    [
        ("before", "before first, which does not read the model's input"),
        ("between", "between first and second, which reads something else"),
        ("after", "after third: the model's output is not what that layer gave"),
        ("sometimes", "after third"),
    ],
)
def test_a_fault_outside_of_any_layer_is_placed_and_blamed(
    faulty: tuple[Path, Models, Request], fault: str, where: str
) -> None:
    folder, models, request = faulty
    rows = ROWS.copy()
    rows[4] = [100.0, 1.0, 2.0]
    (folder / "fault").write_text(fault)
    result = check_loaded(request, models, in_memory({"x": rows}, models.spec.inputs))
    (pair,) = result.pairs
    assert (pair.verdict, pair.category, pair.suspect) == ("inconsistent", "bug", None)
    assert pair.ratio is not None
    assert pair.ratio > 10
    assert pair.outside is not None
    assert where in pair.outside.where
    assert pair.outside.blamed == ("bad",)
    assert screen(result).startswith("INCONSISTENT: 1 of 1 pair of targets, outside any layer.")
    if fault == "sometimes":
        assert pair.worst == 4


def test_without_a_fault_the_same_model_is_consistent(
    faulty: tuple[Path, Models, Request],
) -> None:
    folder, models, request = faulty
    (folder / "fault").unlink(missing_ok=True)
    result = check_loaded(request, models, in_memory({"x": ROWS}, models.spec.inputs))
    assert result.verdict == "consistent"
