"""A hunt in which Assay's own code fails on single findings: it goes on, and says so."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.campaign import explain
from assay.campaign.hunt.hunting import hunt, summary_of
from assay.campaign.hunt.options import HuntOptions
from assay.cli.main import run
from assay.ir import Finding, Verdict
from assay.store import recording
from assay.targets import builtin_targets
from tests.e2e.patches import WRONG, target

RELU, SOFTMAX, ELU = (f"keras.layers.{name}" for name in ("ReLU", "Softmax", "ELU"))
#: Wrong in a third layer, too.
PRELUDE = WRONG + "\nkeras.layers.ELU.call = scaled(keras.layers.ELU.call)\n"


def test_findings_that_cannot_be_explained_or_stored_end_no_hunt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fingerprint, add_finding = explain.fingerprint, recording.add_finding

    def explained(verdict: Verdict, implementations: frozenset[str]) -> str:
        if verdict.op == RELU:
            raise KeyError("lost")
        return fingerprint(verdict, implementations)

    def stored(connection: Any, finding: Finding, arrays: int) -> None:
        if finding.op == ELU:
            raise TypeError("cannot serialise it")
        add_finding(connection, finding, arrays)

    monkeypatch.setattr(explain, "fingerprint", explained)
    monkeypatch.setattr(recording, "add_finding", stored)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patch.py").write_text(PRELUDE)
    (tmp_path / "assay.toml").write_text(target("mine", "patch.py"))
    ops = ",".join((RELU, SOFTMAX, ELU))
    arguments = ["--targets", "mine,keras-torch", "--no-witnesses", "--ops", ops]
    options = ["--cases", "12", "--seed", "3", "--technique", "single-op", "--json"]
    assert run(["hunt", *arguments, *options]) == 1
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert document["trials"] == 12
    bugs = {item["op"] for item in document["findings"] if item["category"] == "bug"}
    assert bugs == {SOFTMAX}
    faults = [line for line in told.err.splitlines() if "fault of Assay's own:" in line]
    assert document["faults"] == len(faults)
    unexplained = [line for line in faults if "is kept without what it showed (" not in line]
    unstored = [line for line in faults if line not in unexplained]
    assert unexplained
    assert unstored
    for line in unexplained:
        assert f"the inconsistency of {RELU} was not judged" in line
        assert "KeyError: 'lost' (test_hunting.py line " in line
    for line in unstored:
        assert "TypeError: cannot serialise it" in line


def test_what_was_spent_before_a_hunt_is_of_its_budget(tmp_path: Path) -> None:
    options = HuntOptions(
        techniques=("single-op",),
        targets=(builtin_targets()["torch"],),
        seed=1,
        budget_seconds=300.0,
        prepared_seconds=300.0,
        store=str(tmp_path / "assay.db"),
    )
    summary = summary_of(hunt(options))
    assert summary.trials == 0
    assert 300 <= summary.seconds < 400
