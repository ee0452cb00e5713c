"""Targets of another interpreter, which has no SciPy: they are measured as others are."""

import json
import sys
from pathlib import Path

import pytest

from assay.cli.main import run

#: An interpreter that has no SciPy.
_BARE = 'import sys\n\nsys.modules["scipy"] = None\n'
_LINE = (
    "precision keras.ops.log keras.ops.softmax --targets torch,torch-elsewhere --stage both "
    "--dtype float32,float16 --box 8 --inputs 120 --repeat 2 --json"
)


def test_the_same_library_elsewhere_has_the_same_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bare.py").write_text(_BARE)
    Path("assay.toml").write_text(
        f'[targets.torch-elsewhere]\nlibrary = "torch"\npython = "{sys.executable}"\n'
        'prelude = "bare.py"\n'
    )
    assert run(_LINE.split()) == 0
    rows = json.loads(capsys.readouterr().out)["results"]
    assert len(rows) == 2 * 2 * 2 * 2
    here, there = (
        [item for item in rows if item["target"] == name] for name in ("torch", "torch-elsewhere")
    )
    for one, other in zip(here, there, strict=True):
        assert other["growth"] == []
        for name in ("target", "cpu_seconds", "growth", "growth_stopped"):
            del one[name], other[name]
        assert one == other
