"""Faults that no hunt's screen would see, in a real library: found, blamed and confirmed."""

import json
from pathlib import Path

import pytest

from assay.cli.main import run

#: A slope that is off by 2^-12 for small numbers, log(1 + x) for log1p, 17 units at most between
#: one half and one.
_FAULTY = """
import torch

tanh = torch.tanh
torch.tanh = lambda x: torch.where(x.abs() < 2.0**-6, tanh(x) * (1.0 + 2.0**-12), tanh(x))
torch.log1p = lambda x: torch.log(1.0 + x)
sin = torch.sin
torch.sin = lambda x: torch.where((x >= 0.5) & (x < 1.0), sin(x) * (1.0 + 2.0**-20), sin(x))
"""
_CONFIG = """
[targets.torch-faulty]
library = "torch"
prelude = "faulty.py"
"""
_LINE = "precision keras.ops.tanh keras.ops.log1p keras.ops.sin keras.ops.exp keras.ops.relu"


def test_seeded_faults_are_bugs_of_whoever_has_them_and_nothing_else_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("faulty.py").write_text(_FAULTY)
    Path("assay.toml").write_text(_CONFIG)
    line = [*_LINE.split(), "--inputs", "1500", "--json"]
    assert run([*line, "--targets", "torch-faulty,jax"]) == 1
    document = json.loads(capsys.readouterr().out)
    bugs = [item for item in document["findings"] if item["category"] == "bug"]
    assert {item["op"] for item in bugs} == {"torch.tanh", "torch.log1p", "torch.sin"}
    for bug in bugs:
        assert bug["kind"] == "precision"
        assert bug["blamed"] == ["torch-faulty"]
        assert bug["evidence"]["confirmations"] == bug["evidence"]["attempts"]
        assert bug["script"]["reason"] == "", "its script shows it, too"
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
    (small,) = (item for item in bugs if item["op"] == "torch.sin")
    assert small["evidence"]["rule"] == "proven"
    assert "proven to be" in small["evidence"]["reason"]
    (row,) = (
        item
        for item in document["results"]
        if (item["op"], item["target"]) == ("keras.ops.sin", "torch-faulty")
    )
    assert 7.0 < row["excess_at"]["proven"] < 18.0, "less than votes could tell"
    assert run(["findings", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["findings"]) == len(document["findings"])
