"""Faults that an operator has in a half format alone: found, blamed, asked again, as scripts."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import run

#: An eighth too much for small numbers of bfloat16, and for others of float16.
_FAULTY = """
import torch

def off(plain, dtype, least):
    def called(x):
        wrong = (x.dtype == dtype) & (x.abs() >= least) & (x.abs() < 2.0 * least)
        return torch.where(wrong, plain(x) * 1.125, plain(x))
    return called

torch.tanh = off(torch.tanh, torch.bfloat16, 2.0**-20)
torch.expm1 = off(torch.expm1, torch.float16, 2.0**-6)
"""
_CONFIG = """
[targets.torch-faulty]
library = "torch"
prelude = "faulty.py"
"""


def _document(
    line: str, capsys: pytest.CaptureFixture[str], code: int
) -> dict[str, list[dict[str, Any]]]:
    assert run([*line.split(), "--json"]) == code
    found: dict[str, list[dict[str, Any]]] = json.loads(capsys.readouterr().out)
    return found


@pytest.fixture
def faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("faulty.py").write_text(_FAULTY)
    Path("assay.toml").write_text(_CONFIG)


@pytest.mark.usefixtures("faulty")
def test_a_fault_of_bfloat16_is_a_bug_that_scripts_and_other_commands_take(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = "precision keras.ops.tanh keras.ops.exp keras.ops.relu --inputs 1000"
    document = _document(f"{line} --dtype bfloat16 --targets torch-faulty,jax", capsys, 1)
    (bug,) = document["findings"]
    assert (bug["op"], bug["kind"], bug["category"]) == ("torch.tanh", "precision", "bug")
    assert bug["blamed"] == ["torch-faulty"]
    assert bug["case"]["graph"]["inputs"][0]["dtype"] == "bfloat16"
    assert bug["evidence"]["rule"] == "proven"
    assert {"torch-faulty", "jax", "reference"} <= {
        item["target"] for item in bug["evidence"]["observations"]
    }, "everybody is asked in bfloat16"
    assert "jax" in bug["evidence"]["believed"]
    assert bug["evidence"]["confirmations"] == bug["evidence"]["attempts"]
    assert bug["script"]["reason"] == "", "its script shows it, too"
    (script,) = Path("assay-artefacts").glob("*.py")
    assert "dtype=torch.bfloat16" in script.read_text()
    assert run(["show", bug["id"]]) == 0
    assert "on bfloat16[" in capsys.readouterr().out
    assert run(["replay", bug["id"]]) == 1
    assert "still there" in capsys.readouterr().out
    assert run(["reduce", bug["id"]]) == 0
    capsys.readouterr()
    assert run(["export", bug["id"], "--check"]) == 0
    assert "torch.bfloat16" in capsys.readouterr().out


@pytest.mark.usefixtures("faulty")
def test_a_script_of_a_format_that_only_its_own_words_take_has_the_proven_result(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = "precision torch.expm1 --dtype float16 --exhaustive --targets torch-faulty"
    (bug,) = _document(line, capsys, 1)["findings"]
    assert (bug["op"], bug["blamed"]) == ("torch.expm1", ["torch-faulty"])
    assert bug["script"]["reason"] == ""
    (script,) = Path("assay-artefacts").glob("*.py")
    assert "# ball arithmetic" in script.read_text()


def test_clean_operators_have_no_bugs_in_bfloat16(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    line = "precision keras.ops.exp keras.ops.log1p keras.layers.Dense"
    document = _document(
        f"{line} --dtype bfloat16 --inputs 500 --targets keras-torch,keras-jax", capsys, 0
    )
    assert [item for item in document["findings"] if item["category"] == "bug"] == []
    assert {item["dtype"] for item in document["results"]} == {"bfloat16"}


def test_compiled_functions_get_bfloat16_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    line = "precision keras.ops.tanh --dtype bfloat16 --inputs 250 --targets jax+jit"
    (row,) = _document(line, capsys, 0)["results"]
    assert row["formats"] == ["bfloat16"]
    assert 0.25 < row["max_ulp"] < 2.0, "in units of what it computes in"
