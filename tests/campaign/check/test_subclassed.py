"""A Keras model whose layers are in Python code: as a whole, and by the layers it tracks."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from assay.campaign.check.checking import check
from assay.campaign.check.request import requested
from assay.campaign.events import CheckFinished
from assay.config import Config, TargetConfig

_CLASS = """
import keras

@keras.saving.register_keras_serializable("tests")
class Twin(keras.Model):
    def __init__(self, **keywords):
        super().__init__(**keywords)
        self.one = keras.layers.Dense(4, name="one", kernel_initializer="ones")
        self.two = keras.layers.LeakyReLU(name="two")
        self.three = keras.layers.Dense(2, name="three", kernel_initializer="ones")

    def call(self, x):
        return self.three(self.two(self.one(x)) + 1.0)
"""
_FAULT = """
_call = keras.layers.LeakyReLU.call
keras.layers.LeakyReLU.call = lambda self, x: _call(self, x) * 1.01
"""
_SAVE = """
import sys
import numpy as np
model = Twin()
model(np.zeros((1, 3), "float32"))
model.save(sys.argv[1])
"""


def test_a_subclassed_model_is_compared_by_the_layers_it_tracks(tmp_path: Path) -> None:
    path = str(tmp_path / "twin.keras")
    environment = {**os.environ, "KERAS_BACKEND": "numpy"}
    command = [sys.executable, "-c", _CLASS + _SAVE, path]
    subprocess.run(command, check=True, env=environment, capture_output=True)
    targets = {}
    for name, text in (("good", _CLASS), ("same", _CLASS), ("bad", _CLASS + _FAULT)):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        targets[name] = TargetConfig("keras", "numpy", prelude=str(tmp_path / f"{name}.py"))
    settings = Config(store=str(tmp_path / "assay.db"), targets=targets)
    rows = np.random.default_rng(2).normal(size=(5, 3)).astype("float32")
    *_, finished = check(requested(settings, path, rows, targets=tuple(targets), trust=True))
    assert isinstance(finished, CheckFinished)
    found = {pair.targets: pair for pair in finished.check.pairs}
    assert found["good", "same"].verdict == "consistent"
    wrong = found["good", "bad"]
    assert wrong.verdict == "inconsistent"
    assert wrong.suspect is not None
    assert (wrong.suspect.layer, wrong.suspect.op) == ("two", "keras.layers.LeakyReLU")
    assert [layer.name for layer in finished.check.layers] == ["one", "two", "three"]
