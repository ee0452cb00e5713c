"""Puts one fault into one layer of Keras, as the file named by ASSAY_CHECK_FAULT says.

The file holds JSON: ``{"layer": name, "template": name}``, or ``{}`` for none. It is read
anew on every call, so that one process can have many faults, one after the other.
"""

import json
import os

import keras

_PATH = os.environ["ASSAY_CHECK_FAULT"]
_CALL = keras.layers.Layer.__call__


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
}


def _call(self, *arguments, **keywords):
    result = _CALL(self, *arguments, **keywords)
    with open(_PATH) as file:
        fault = json.load(file)
    if fault.get("layer") != self.name or not hasattr(result, "dtype"):
        return result
    if "float" not in keras.backend.standardize_dtype(result.dtype):
        return result
    changed = TEMPLATES[fault["template"]](result)
    mask = getattr(result, "_keras_mask", None)
    if mask is not None:
        changed._keras_mask = mask
    return changed


keras.layers.Layer.__call__ = _call
