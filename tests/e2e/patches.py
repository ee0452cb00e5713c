"""Preludes: files that make a real library misbehave, as a user's patch under test would."""

#: ReLU and Softmax give half as much again as they should.
WRONG = """
import keras

def scaled(call):
    def patched(self, *arguments, **keywords):
        return call(self, *arguments, **keywords) * 1.5
    return patched

for layer in (keras.layers.ReLU, keras.layers.Softmax):
    layer.call = scaled(layer.call)
"""


def misbehaving(statement: str, layer: str = "ReLU") -> str:
    """A prelude after which a layer executes a statement when it is called."""
    return f"""
import ctypes, os, sys
import keras

def patched(original):
    def call(self, *arguments, **keywords):
        {statement}
        return original(self, *arguments, **keywords)
    return call

keras.layers.{layer}.call = patched(keras.layers.{layer}.call)
"""


def target(name: str, prelude: str, backend: str = "numpy") -> str:
    """The configuration of a target with a prelude."""
    return f"""
[targets.{name}]
library = "keras"
backend = "{backend}"
prelude = "{prelude}"
"""
