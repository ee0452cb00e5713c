"""``--repeat`` on a real library."""

import json
from pathlib import Path

import pytest

from assay.cli.main import run


def test_growth_is_in_the_rows_and_told_in_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "precision keras.ops.add keras.ops.relu keras.ops.max --inputs 40 --repeat 8"
    options = ["--targets", "keras-torch", "--store", str(tmp_path / "s.db"), "--quiet"]
    ops = line.split()
    assert run([*ops, *options, "--json"]) == 0
    rows = {item["op"]: item for item in json.loads(capsys.readouterr().out)["results"]}
    added = rows["keras.ops.add"]["growth"]
    assert [item["executions"] for item in added] == list(range(1, 9))
    assert added[0]["max_ulp"] <= 0.5
    assert added[-1]["mean_abs"] > 3 * added[0]["mean_abs"] > 0.0
    assert {item["mean_abs"] for item in rows["keras.ops.relu"]["growth"]} == {0.0}
    assert rows["keras.ops.max"]["growth"] == []
    assert rows["keras.ops.max"]["growth_stopped"] == "gives another shape than it takes"
    assert run([*ops, *options]) == 0
    told = capsys.readouterr().out
    assert "not executed again: keras.ops.max: gives another shape than it takes" in told


def test_no_executions_and_too_many_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for count in ("0", "-1", "5000", "many"):
        assert run(["precision", "keras.ops.tanh", "--repeat", count, "--targets", "torch"]) == 2
        assert "--repeat takes" in capsys.readouterr().err
