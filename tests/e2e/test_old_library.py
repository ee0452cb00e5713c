"""A library of 2019 on the Python of its time: made from a definition, hunted on, taken away."""

import pytest

from assay.targets.environments.interpreters import Interpreter, find
from tests.e2e.command import Command

#: The pins have wheels for these (the bundled pip of 3.6 knows only the oldest kind).
PYTHONS = ("3.7", "3.6")
#: 50 MB to download: Keras 2.3.1 has no need of TensorFlow where Theano computes for it.
DEFINITION = """
[environments.old]
about = "Keras 2.3.1 on Theano 1.0.4"
python = "{python}"
pip = [[
    "--no-compile",
    "keras==2.3.1",
    "theano==1.0.4",
    "numpy==1.16.6",
    "scipy<1.5",
    "h5py<3",
    "pyyaml<6",
]]

[environments.old.targets.keras-theano]
library = "keras2"
backend = "theano"
"""
THEANO = "keras-theano@old"
#: Two with faults on Theano that were published, and one without.
POOLING, CONVOLUTION = "keras.layers.AveragePooling2D", "keras.layers.Conv1D"
OPS = (POOLING, CONVOLUTION, "keras.layers.Dense")


@pytest.fixture
def python() -> str:
    """The version of an interpreter that the old library runs on."""
    for version in PYTHONS:
        if isinstance(find(version), Interpreter):
            return version
    pytest.skip(f"no Python {' or '.join(PYTHONS)} that can make environments on this machine")


def test_faults_of_keras_2_3_are_found_in_an_environment_made_for_it(
    assay: Command, python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assay.write("assay.toml", DEFINITION.format(python=python))
    monkeypatch.setenv("ASSAY_CACHE", str(assay.folder / "cache"))
    made = assay("env", "create", "old", "--quiet", "--json")
    assert made.code == 0, f"not installed (it needs the package index of pip): {made.err}"
    assert made.document["environment"]["targets"] == [THEANO]

    done = assay(
        *("hunt", "--targets", THEANO, "--ops", ",".join(OPS)),
        *("--cases", "24", "--seed", "6", "--quiet", "--json"),
    )
    assert done.code == 1, done.err
    summary = done.document
    assert (summary["trials"], summary["faults"]) == (24, 0)
    # Besides the reference there is nobody else: what was compared, was compared with Theano.
    assert summary["targets"] == [THEANO, "reference"]
    assert summary["coverage"]["ops"] == 1
    # What Keras 3 has beyond it (half precision, padding modes) is not offered there.
    assert summary["coverage"]["valid"] > 0.4
    bugs = [finding for finding in summary["findings"] if finding["category"] == "bug"]
    assert {finding["op"] for finding in bugs} == {POOLING, CONVOLUTION}
    for finding in bugs:
        assert finding["blamed"] == [THEANO]
        assert (finding["kind"], finding["stage"]) == ("inconsistency", "forward")
        assert finding["params"]["padding"] == "same"
        # A witness says so too, and all of it happens again in new processes.
        assert len(finding["evidence"]["believed"]) > 1
        assert finding["evidence"]["anew"] is True

    assert assay("env", "remove", "old").code == 0
