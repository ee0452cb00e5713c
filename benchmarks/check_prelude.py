"""Puts one fault into Keras, as the file named by ASSAY_CHECK_FAULT says.

The file holds JSON, ``{}`` for no fault: ``where`` it is (``layer``, ``between``: in what the layer
reads, if the model runs as a whole, ``before`` or ``after`` the model), ``layer`` (its name),
``template``, ``share`` (how much of what the template does), ``above`` (only for instances whose
mean absolute output is above it) and ``noise`` (another draw at every call). It is read anew on
every call, so that one process can have many faults, one after the other.
"""

import json
import os

import keras
import numpy as np
from keras.src.models import functional

_PATH = os.environ["ASSAY_CHECK_FAULT"]
_CALL, _MODEL_CALL = keras.layers.Layer.__call__, keras.Model.__call__
_OPERATION_FN = functional.operation_fn
_DRAW = np.random.RandomState(1)


def _largest(y):
    return keras.ops.max(keras.ops.abs(y))


#: What a wrong kernel may do to a layer's output.
TEMPLATES = {
    "scale": lambda y: y * 1.01,
    "offset": lambda y: y + 0.01 * _largest(y),
    "roll": lambda y: keras.ops.roll(y, 1, axis=-1),
    "flip": lambda y: keras.ops.flip(y, axis=-1),
    "clip": lambda y: keras.ops.minimum(y, 0.8 * _largest(y)),
    "half": lambda y: keras.ops.cast(keras.ops.cast(y, "bfloat16"), y.dtype),
    "lost": lambda y: (
        keras.ops.concatenate([y[..., :-1] * 0, y[..., -1:]], axis=-1) * 0.5 + y * 0.5
    ),
    "negate-small": lambda y: keras.ops.where(keras.ops.abs(y) < 0.2 * _largest(y), -y, y),
    "nan": lambda y: y * float("nan"),
}


def _fault():
    with open(_PATH) as file:
        return json.load(file)


def _changed(fault, tensor):
    """The tensor with the fault, and its mask; whole numbers have none."""
    # While a model is built, a fault would become a part of its graph, and act twice.
    if not hasattr(tensor, "dtype") or isinstance(tensor, keras.KerasTensor):
        return tensor
    if "float" not in keras.backend.standardize_dtype(tensor.dtype):
        return tensor
    if fault.get("noise"):
        drawn = _DRAW.standard_normal(tuple(tensor.shape)).astype("float32")
        difference = tensor * keras.ops.convert_to_tensor(drawn)
    else:
        difference = TEMPLATES[fault["template"]](tensor) - tensor
    changed = tensor + fault.get("share", 1.0) * difference
    if "above" in fault:
        axes = tuple(range(1, len(tensor.shape)))
        size = keras.ops.mean(keras.ops.abs(tensor), axis=axes, keepdims=True)
        changed = keras.ops.where(size > fault["above"], changed, tensor)
    mask = getattr(tensor, "_keras_mask", None)
    if mask is not None:
        changed._keras_mask = mask
    return changed


def _call(self, *arguments, **keywords):
    result = _CALL(self, *arguments, **keywords)
    fault = _fault()
    here = fault.get("where", "layer") == "layer" and fault.get("layer") == self.name
    return _changed(fault, result) if here else result


def _model_call(self, inputs, **keywords):
    fault = _fault()
    if fault.get("where") == "before":
        inputs = keras.tree.map_structure(lambda item: _changed(fault, item), inputs)
    result = _MODEL_CALL(self, inputs, **keywords)
    if fault.get("where") == "after":
        result = keras.tree.map_structure(lambda item: _changed(fault, item), result)
    return result


def _operation_fn(operation, **keywords):
    inner = _OPERATION_FN(operation, **keywords)
    fault = _fault()
    if fault.get("where") != "between" or fault.get("layer") != operation.name:
        return inner

    def call(first, *arguments, **more):
        return inner(
            keras.tree.map_structure(lambda item: _changed(fault, item), first), *arguments, **more
        )

    return call


keras.layers.Layer.__call__ = _call
keras.Model.__call__ = _model_call
functional.operation_fn = _operation_fn
