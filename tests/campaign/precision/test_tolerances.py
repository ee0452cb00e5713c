"""``--tolerances``: what tests of the installed libraries grant, beside what was measured."""

import json
from pathlib import Path

import pytest

from assay.cli.main import run
from assay_worker.precision.tolerances import tolerance


def test_those_of_torch_are_of_the_operator_or_else_of_the_format() -> None:
    import torch

    plain = tolerance("torch", "torch.relu", "float16")
    assert (plain["rtol"], plain["atol"]) == torch.testing._comparison.default_tolerances(
        torch.float16
    )
    assert plain["source"] == "torch.testing"
    from assay_worker.catalogue.torch_tables import tables

    own = [tolerance("torch", path, "float32") for path in tables().operators]
    special = [item for item in own if item["source"].startswith("OpInfo")]
    assert len(special) > 20
    assert all(item["rtol"] >= 0.0 and item["atol"] >= 0.0 for item in special)


def test_those_of_jax_and_keras_are_of_their_test_cases() -> None:
    from jax._src.public_test_util import default_tolerance

    found = tolerance("jax", "jax.numpy.tanh", "bfloat16")
    assert found["rtol"] == found["atol"]
    assert found["rtol"] in default_tolerance().values()
    assert tolerance("jax", "jax.numpy.tanh", "float32")["rtol"] < found["rtol"]
    assert tolerance("keras", "keras.ops.tanh", "float32") == {
        "rtol": 1e-6,
        "atol": 1e-6,
        "source": "keras.src.testing",
    }


def test_who_has_none_says_so() -> None:
    for library in ("tensorflow", "onnxruntime", "openvino"):
        told = tolerance(library, "tf.tanh", "float32")
        assert told == {"why": f"{library} ships no tolerances of its tests"}


def test_they_stand_beside_what_was_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = "precision keras.ops.exp --targets keras-torch,onnxruntime --inputs 60 --box 4"
    options = ["--tolerances", "--store", str(tmp_path / "s.db")]
    assert run([*line.split(), *options, "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["results"]
    granted, at = first["tolerance"], first["at"]
    share = abs(at["answer"] - at["truth"]) / (1e-6 + 1e-6 * abs(at["truth"]))
    assert granted["used"] >= share > 0.0
    assert second["tolerance"]["why"] == "onnxruntime ships no tolerances of its tests"
    assert run([*line.split(), *options, "--quiet"]) == 0
    told = capsys.readouterr().out
    assert "keras.src.testing" in told
    assert "onnxruntime ships no tolerances" in told
