"""``--baseline``: an earlier measurement beside this one."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.campaign.precision.baseline import compared, read
from assay.cli.main import run
from assay.errors import AssayError
from tests.report.test_precision import measurement

_CONFIG = """
[targets.mine]
library = "torch"
prelude = "patch.py"
"""
_FAULT = """
import torch

exp = torch.exp
torch.exp = lambda x: exp(x) * (1.0 + 2.0**-19)
"""
_LINE = ["precision", "keras.ops.exp", "keras.ops.tanh", "--targets", "mine", "--inputs", "200"]


def error(ulp: float, **facts: Any) -> Any:
    return measurement(excess_ulp=ulp, excess_at=None, **facts)


def statuses(now: Any, then: Any) -> list[str]:
    return [row.status for row in compared([now], [then]).rows]


def test_a_factor_and_a_floor_keep_noise_quiet() -> None:
    assert statuses(error(4.1), error(2.0)) == ["worse"]
    assert statuses(error(3.9), error(2.0)) == ["same"]
    assert statuses(error(1.9), error(0.5)) == ["same"], "less than two units is no alarm"
    assert statuses(error(2.1), error(0.5)) == ["worse"]
    assert statuses(error(2.0), error(4.1)) == ["better"]
    assert statuses(error(0.5), error(1.9)) == ["same"]


def test_answers_that_became_nan_and_calls_that_raise_are_worse() -> None:
    assert statuses(error(1.0, special=2), error(1.0)) == ["worse"]
    assert statuses(error(1.0, special=2), error(1.0, special=1)) == ["same"]
    (row,) = compared([error(1.0, raised=3, failure="ValueError: no")], [error(1.0)]).rows
    assert (row.status, row.why) == ("worse", "ValueError: no")


def test_rows_are_told_apart_by_op_target_format_mode_and_stage() -> None:
    then = [error(1.0)]
    for facts in (
        {"label": "other"},
        {"target": "jax"},
        {"dtype": "float16"},
        {"mode": "input"},
        {"stage": "gradient"},
    ):
        found = compared([error(9.0, **facts)], then)
        assert [row.status for row in found.rows] == ["new"]
        assert len(found.gone) == 1
    assert statuses(error(9.0, strategy="climb"), then[0]) == ["worse"]


def test_a_target_of_another_environment_is_the_same_target() -> None:
    old = error(1.0, target="keras-torch@keras-3.6")
    (row,) = compared([error(9.0, target="keras-torch")], [old]).rows
    assert (row.status, row.against) == ("worse", "keras-torch@keras-3.6")
    both = [old, error(20.0, target="keras-torch")]
    (row,) = compared([error(9.0, target="keras-torch")], both).rows
    assert (row.status, row.before) == ("better", 20.0), "the same name comes first"
    several = [old, error(2.0, target="keras-torch@keras-3.12")]
    assert statuses(error(9.0, target="keras-torch"), several[0]) == ["worse"]
    assert [row.status for row in compared([error(9.0, target="keras-torch")], several).rows] == [
        "new"
    ]


def test_a_release_that_became_worse_fails_and_one_that_did_not_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("assay.toml").write_text(_CONFIG)
    Path("patch.py").write_text("")
    assert run([*_LINE, "--json", "--store", "then.db"]) == 0
    Path("then.json").write_text(capsys.readouterr().out)
    assert run([*_LINE, "--baseline", "then.json", "--store", "same.db"]) == 0
    assert "0 worse, 0 better, 0 new, 2 same" in capsys.readouterr().out
    Path("patch.py").write_text(_FAULT)
    for source in ("then.json", "then.db"):
        assert run([*_LINE, "--baseline", source, "--store", "now.db", "--json"]) == 1
        told = json.loads(capsys.readouterr().out)["baseline"]["rows"]
        assert {row["op"]: row["status"] for row in told} == {
            "keras.ops.exp": "worse",
            "keras.ops.tanh": "same",
        }
        (worse,) = (row for row in told if row["status"] == "worse")
        assert worse["before"] < 1.0
        assert 8.0 < worse["now"] < 40.0
    Path("patch.py").write_text("")
    assert run([*_LINE, "--baseline", "now.db", "--store", "then.db"]) == 0
    told_text = capsys.readouterr().out
    assert "better keras.ops.exp" in told_text
    assert "0 worse, 1 better" in told_text


def test_what_is_no_baseline_is_one_line(tmp_path: Path) -> None:
    for name, content in (("a.json", "{}"), ("b.json", "[1]"), ("c.json", '{"results": [1]}')):
        (tmp_path / name).write_text(content)
        with pytest.raises(AssayError, match="is neither"):
            read(str(tmp_path / name))
    with pytest.raises(AssayError, match="cannot read"):
        read(str(tmp_path / "missing.json"))
    with pytest.raises(AssayError, match="there is no store"):
        read(str(tmp_path / "missing.db"))
    (tmp_path / "empty.json").write_text('{"results": []}')
    with pytest.raises(AssayError, match="has no rows"):
        read(str(tmp_path / "empty.json"))
