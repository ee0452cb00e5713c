"""``assay ops``: the vocabulary as a table and as JSON."""

import json
from pathlib import Path

import pytest

from assay.cli.main import run
from assay.libraries import everything


def test_every_op_is_listed_with_its_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ops", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["ops"]
    assert {op["name"] for op in listed} == set(everything())
    dense = next(op for op in listed if op["name"] == "keras.layers.Dense")
    assert (dense["family"], dense["reference"], dense["works"]) == ("layers", True, {})
    assert dense["parameters"]["units"]["required"]
    assert dense["parameters"]["units"]["invalid"]


def test_a_word_or_a_pattern_narrows_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ops", "averagepooling2d"]) == 0
    text = capsys.readouterr().out
    assert "keras.layers.AveragePooling2D" in text
    assert "keras.layers.Dense" not in text
    assert run(["ops", "keras.losses.*", "--summary"]) == 0
    assert capsys.readouterr().out.split()[:4] == ["family", "ops", "with", "reference"]


def test_an_unknown_op_is_an_error_with_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ops", "Dence"]) == 2
    error = capsys.readouterr().err
    assert error.startswith('assay: no op matches "Dence". Did you mean "Dense"?')
    assert len(error.splitlines()) == 1


def test_probing_says_which_targets_run_an_op(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ops", "keras.layers.Dense", "--probe", "keras-numpy,reference", "--json"]) == 0
    (dense,) = json.loads(capsys.readouterr().out)["ops"]
    assert dense["works"] == {"keras-numpy": True, "reference": True}


def test_probing_an_unknown_target_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ops", "Dense", "--probe", "keras-nmpy"]) == 2
    assert 'Did you mean "keras-numpy"?' in capsys.readouterr().err


def test_a_target_says_what_it_offers(capsys: pytest.CaptureFixture[str]) -> None:
    """Signatures, documentation and the library's own registry, with a hash of all that."""
    told = []
    for _ in range(2):
        assert run(["ops", "onnx.C*", "--offers", "onnx-reference", "--json"]) == 0
        told.append(json.loads(capsys.readouterr().out)["offers"])
    first, second = told
    assert first == second
    assert first["digest"]
    assert first["versions"]["onnx"]
    assert first["absent"] == []
    assert first["ops"]["onnx.Conv"]["signature"].startswith("(X, W, B, auto_pad")
    assert "convolution" in first["ops"]["onnx.Conv"]["documentation"]
    assert any(row.startswith("Conv-1(X, W, B; ") for row in first["tables"]["schemas"])


def test_what_is_offered_is_not_asked_with_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ops", "--offers", "torch", "--summary"]) == 2
    assert capsys.readouterr().err.startswith("assay: --offers stands alone.")


def test_what_ops_have_met_is_told_from_the_last_campaign(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(tmp_path / "met.db")
    hunted = ["hunt", "--targets", "keras-numpy", "--ops", "keras.ops.average_pool"]
    limits = ["--technique", "single-op", "--cases", "12", "--seed", "1"]
    assert run([*hunted, *limits, "--store", store, "--quiet", "--json"]) in (0, 1)
    capsys.readouterr()
    assert run(["ops", "average_pool", "--met", "--json", "--store", store]) == 0
    (told,) = json.loads(capsys.readouterr().out)["ops"]
    assert told["op"] == "keras.ops.average_pool"
    assert "dtype: x0 float32" in told["met"]
    assert not {*told["met"]} & {*told["missing"]}
    assert len(told["missing"]) > 0
    assert run(["ops", "average_pool", "--met", "--store", store]) == 0
    text = capsys.readouterr().out
    assert f"{len(told['met'])} of {len(told['met']) + len(told['missing'])}" in text


def test_without_a_campaign_nothing_was_met(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(tmp_path / "none.db")
    assert run(["ops", "--met", "--summary", "--store", store]) == 2
    assert "--met stands alone" in capsys.readouterr().err
    assert run(["ops", "--met", "--store", store]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
