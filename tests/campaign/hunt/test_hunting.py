"""A hunt in which Assay's own code fails on single findings: it goes on, and says so."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.campaign import explain
from assay.cli.main import run
from assay.ir import Finding, Verdict
from assay.store import recording
from tests.e2e.patches import WRONG, target

RELU, SOFTMAX = "keras.layers.ReLU", "keras.layers.Softmax"


@pytest.fixture
def patched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a target on which two layers are wrong."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patch.py").write_text(WRONG)
    (tmp_path / "assay.toml").write_text(target("mine", "patch.py"))
    return tmp_path


def hunted(capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], list[str]]:
    """The summary of a hunt that found a bug, and the faults it told."""
    options = ["--cases", "8", "--seed", "3", "--technique", "single-op", "--json"]
    ops = ["--ops", f"{RELU},{SOFTMAX}"]
    assert run(["hunt", "--targets", "mine,keras-torch", *ops, *options]) == 1
    told = capsys.readouterr()
    document = json.loads(told.out)
    assert document["trials"] == 8
    return document, [line for line in told.err.splitlines() if "fault of Assay's own:" in line]


def bugs(document: dict[str, Any]) -> set[str]:
    return {item["op"] for item in document["findings"] if item["category"] == "bug"}


def test_a_finding_that_cannot_be_explained_ends_no_hunt(
    patched: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fingerprint = explain.fingerprint

    def sometimes(verdict: Verdict, implementations: frozenset[str]) -> str:
        if verdict.op == RELU:
            raise KeyError("lost")
        return fingerprint(verdict, implementations)

    monkeypatch.setattr(explain, "fingerprint", sometimes)
    document, told = hunted(capsys)
    assert bugs(document) == {SOFTMAX}
    assert document["faults"] == len(told) > 0
    for line in told:
        assert f"the inconsistency of {RELU} was not judged" in line
        assert "KeyError: 'lost' (test_hunting.py line " in line


def test_a_finding_that_cannot_be_stored_ends_no_hunt(
    patched: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add_finding = recording.add_finding

    def sometimes(connection: Any, finding: Finding, arrays: int) -> None:
        if finding.op == RELU:
            raise TypeError("cannot serialise it")
        add_finding(connection, finding, arrays)

    monkeypatch.setattr(recording, "add_finding", sometimes)
    document, told = hunted(capsys)
    assert bugs(document) == {SOFTMAX}
    assert document["faults"] == len(told) > 0
    for line in told:
        assert "is kept without what it showed (" in line
        assert "TypeError: cannot serialise it" in line
