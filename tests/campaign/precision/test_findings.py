"""Faults that no hunt's screen would see, in a real library: found, blamed and confirmed."""

import json
from pathlib import Path

import pytest

from assay.cli.main import run

#: A slope that is off by 2^-12 for small numbers, and log(1 + x) for log1p.
_FAULTY = """
import torch

tanh = torch.tanh
torch.tanh = lambda x: torch.where(x.abs() < 2.0**-6, tanh(x) * (1.0 + 2.0**-12), tanh(x))
torch.log1p = lambda x: torch.log(1.0 + x)
"""
_CONFIG = """
[targets.torch-faulty]
library = "torch"
prelude = "faulty.py"
"""
_LINE = "precision keras.ops.tanh keras.ops.log1p keras.ops.exp keras.ops.relu --inputs 1500 --json"


def test_seeded_faults_are_bugs_of_whoever_has_them_and_nothing_else_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("faulty.py").write_text(_FAULTY)
    Path("assay.toml").write_text(_CONFIG)
    assert run([*_LINE.split(), "--targets", "torch-faulty,jax"]) == 1
    document = json.loads(capsys.readouterr().out)
    bugs = [item for item in document["findings"] if item["category"] == "bug"]
    assert {item["op"] for item in bugs} == {"torch.tanh", "torch.log1p"}
    for bug in bugs:
        assert bug["kind"] == "precision"
        assert bug["blamed"] == ["torch-faulty"]
        assert bug["evidence"]["confirmations"] == bug["evidence"]["attempts"]
        assert bug["script"]["reason"] == "", "its script shows it, too"
        # Below what the screen of hunts lets pass.
    (tanh,) = (item for item in bugs if item["op"] == "torch.tanh")
    (row,) = (
        item
        for item in document["results"]
        if (item["op"], item["target"]) == ("keras.ops.tanh", "torch-faulty")
    )
    assert 1000 < row["max_ulp"] < 2.0**13, "less than a thousandth of the number"
    assert row["condition"] == pytest.approx(1.0, abs=1e-3)
    (x,) = row["at"]["inputs"].values()
    assert abs(x) < 2.0**-6
    (array,) = tanh["case"]["inputs"].values()
    assert array["kind"] == "explicit"
    assert run(["findings", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["findings"]) == len(document["findings"])
