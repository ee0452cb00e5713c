"""Tiny models in files, for tests that load them with real libraries."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

#: The dense layer of every model here, and an instance for it.
WEIGHTS = np.array([[0.5, -1.0], [0.25, 2.0], [-0.75, 0.125]], "float32")
INSTANCE = np.array([[1.0, -2.0, 3.0]], "float32")
RIGHT = INSTANCE @ WEIGHTS

_KERAS = """
import sys
import keras
import numpy as np
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, use_bias=False)])
model.set_weights([np.load(sys.argv[1])])
model.save(sys.argv[2])
"""
#: Definitions of the layers that ``custom_keras`` has, neither of them registered.
LAYERS = """
import keras


class Doubled(keras.layers.Layer):
    def call(self, x):
        return x * 2


class Halved(keras.layers.Layer):
    def call(self, x):
        return x / 2
"""
_CUSTOM = (
    LAYERS
    + """
import sys
import numpy as np
Doubled = keras.saving.register_keras_serializable(package="mine")(Doubled)
layers = [keras.layers.Dense(2, use_bias=False), Doubled(), Halved()]
model = keras.Sequential([keras.Input((3,)), *layers])
model.set_weights([np.load(sys.argv[1])])
model.save(sys.argv[2])
"""
)
_STACKED = """
import sys
import keras
import numpy as np
weights = np.load(sys.argv[1])
model = keras.Sequential([
    keras.Input((3,)),
    keras.layers.Dense(2, use_bias=False, name="first"),
    keras.layers.Dense(3, use_bias=False, activation="tanh", name="second"),
    keras.layers.Dense(2, use_bias=False, name="third"),
])
model.set_weights([weights, weights.T, weights])
model.save(sys.argv[2])
"""
_TORCH = """
import sys
import numpy as np
import torch
layer = torch.nn.Linear(3, 2, bias=False)
layer.weight.data = torch.from_numpy(np.load(sys.argv[1]).T.copy())
torch.export.save(torch.export.export(layer, (torch.zeros(1, 3),)), sys.argv[2])
"""

#: Its second argument is no tensor.
_FLAGGED = """
import sys
import numpy as np
import torch
class Flagged(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.weights = torch.nn.Parameter(weights)
    def forward(self, x, doubled):
        return 2 * x @ self.weights if doubled else x @ self.weights
program = torch.export.export(
    Flagged(torch.from_numpy(np.load(sys.argv[1]))),
    (torch.zeros(6, 3), True),
)
torch.export.save(program, sys.argv[2])
"""

#: A TensorFlow function as a SavedModel, as LiteRT, and as LiteRT of whole numbers.
_TENSORFLOW = """
import os
import sys
import numpy as np
import tensorflow as tf
weights = np.load(sys.argv[1])
folder = os.path.dirname(sys.argv[2])
class Dense(tf.Module):
    def __init__(self):
        self.weights = tf.Variable(weights)
    @tf.function(input_signature=[tf.TensorSpec((None, 3), tf.float32, name="x")])
    def call(self, x):
        return {"y": tf.linalg.matmul(x, self.weights)}
module = Dense()
tf.saved_model.save(module, os.path.join(folder, "saved"), signatures=module.call)
converter = tf.lite.TFLiteConverter.from_saved_model(os.path.join(folder, "saved"))
with open(os.path.join(folder, "dense.tflite"), "wb") as file:
    file.write(converter.convert())
converter.optimizations = [tf.lite.Optimize.DEFAULT]
rows = np.random.RandomState(1).normal(size=(50, 1, 3)).astype("float32")
converter.representative_dataset = lambda: ([row] for row in rows)
converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
converter.inference_input_type = converter.inference_output_type = tf.int8
with open(os.path.join(folder, "whole.tflite"), "wb") as file:
    file.write(converter.convert())
"""
_DROPPING = """
import sys
import torch
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 2))
torch.export.save(torch.export.export(model.train(), (torch.zeros(6, 3),)), sys.argv[2])
"""


def dense_onnx(folder: Path) -> str:
    """An .onnx file."""
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"], name="dense")],
        "dense",
        [value("x", TensorProto.FLOAT, [None, 3])],
        [value("y", TensorProto.FLOAT, [None, 2])],
        [numpy_helper.from_array(WEIGHTS, "w")],
    )
    return _saved(graph, 17, folder / "dense.onnx")


def dropping_onnx(folder: Path) -> str:
    """A model that was exported while it was trained: half of what it gives is dropped."""
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "w"], ["h"], name="dense"),
            helper.make_node("Dropout", ["h", "share", "training"], ["y"], name="dropout"),
        ],
        "dropping",
        [value("x", TensorProto.FLOAT, [None, 3])],
        [value("y", TensorProto.FLOAT, [None, 2])],
        [
            numpy_helper.from_array(WEIGHTS, "w"),
            numpy_helper.from_array(np.float32(0.5), "share"),
            numpy_helper.from_array(np.array(True), "training"),
        ],
    )
    return _saved(graph, 17, folder / "dropping.onnx")


def normalising_onnx(folder: Path) -> str:
    """A model that ONNX's reference evaluator gets wrong, from ``norm`` on.

    Of opset 11, where BatchNormalization takes mean and variance as they are given; the
    evaluator mixes those of the batch into them (see docs/check.md).
    """
    value = helper.make_tensor_value_info
    numbers = {"scale": [1.5, 0.5], "bias": [0.1, 0.2], "mean": [1.0, -1.0], "var": [0.5, 2.0]}
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "w"], ["h"], name="dense"),
            helper.make_node("BatchNormalization", ["h", *numbers], ["y"], name="norm"),
        ],
        "normalising",
        [value("x", TensorProto.FLOAT, [None, 3])],
        [value("y", TensorProto.FLOAT, [None, 2])],
        [
            numpy_helper.from_array(WEIGHTS, "w"),
            *(numpy_helper.from_array(np.array(v, "float32"), n) for n, v in numbers.items()),
        ],
    )
    return _saved(graph, 11, folder / "normalising.onnx")


def _saved(graph: onnx.GraphProto, opset: int, path: Path) -> str:
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    onnx.save(model, str(path))
    return str(path)


def dense_keras(folder: Path) -> str:
    """A .keras file."""
    return _made(_KERAS, folder / "dense.keras")


def custom_keras(folder: Path) -> str:
    """A .keras file with two custom layers, of which its file tells the names."""
    return _made(_CUSTOM, folder / "custom.keras")


def stacked_keras(folder: Path) -> str:
    """A .keras file with the layers first, second and third."""
    return _made(_STACKED, folder / "stacked.keras")


def dropping_torch(folder: Path) -> str:
    """A .pt2 file of a model that was exported while it was trained, for six instances."""
    return _made(_DROPPING, folder / "dropping.pt2")


def dense_torch(folder: Path) -> str:
    """A .pt2 file."""
    return _made(_TORCH, folder / "dense.pt2")


def flagged_torch(folder: Path) -> str:
    """A .pt2 file of a module that was exported with a flag, for six instances."""
    return _made(_FLAGGED, folder / "flagged.pt2")


def dense_tensorflow(folder: Path) -> None:
    """A SavedModel ``saved``, ``dense.tflite``, and ``whole.tflite`` of quantised numbers."""
    _made(_TENSORFLOW, folder / "saved")


def dense_openvino(folder: Path) -> str:
    """A .xml file, and its .bin."""
    path = folder / "dense.xml"
    script = "import sys, openvino; openvino.save_model(openvino.convert_model(sys.argv[1]), "
    command = [sys.executable, "-c", script + "sys.argv[2], compress_to_fp16=False)"]
    subprocess.run([*command, dense_onnx(folder), str(path)], check=True, capture_output=True)
    return str(path)


def _made(script: str, path: Path) -> str:
    weights = path.with_name("weights.npy")
    np.save(weights, WEIGHTS)
    environment = {**os.environ, "KERAS_BACKEND": "numpy"}
    command = [sys.executable, "-c", script, str(weights), str(path)]
    subprocess.run(command, check=True, env=environment, capture_output=True)
    return str(path)
