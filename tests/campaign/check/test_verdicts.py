"""What must never be called consistent: each of these once was."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.ir.check import Check, Special
from assay.report.check import check_document, check_text
from assay.report.console import render
from tests.models_on_disk import dense_onnx, dropping_onnx

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
