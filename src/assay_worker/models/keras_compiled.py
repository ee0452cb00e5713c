"""A Keras model compiled by its backend, or exported to another runtime.

Such a model hides its layers. For ``states`` it is compiled again with every
layer's output as an output; ``alone`` compiles a model of that one layer.
"""

import collections
import os
import re
import shutil
import tempfile

import numpy as np

from assay_worker.models import keras_plan
from assay_worker.models.keras_session import MASK, KerasSession

#: Modes that export a model to another runtime.
EXPORTS = ("onnxruntime", "openvino", "litert")
#: Layers that are kept compiled alone: a layer is asked several times in a row.
_KEPT = 16


class CompiledSession(KerasSession):
    """A model that runs as a whole: ``mode`` of the backend, or exported."""

    def __init__(self, adapter, model):
        KerasSession.__init__(self, adapter, model)
        self.mode = adapter.mode
        self._whole = None
        self._open = None
        self._alone = collections.OrderedDict()

    def predict(self, inputs):
        """See ``Session``."""
        if self._whole is None:
            self._whole = self._compiled(self.model, inputs)
        return self._whole(inputs)

    def states(self, inputs):
        """See ``Session``."""
        inner = keras_plan.functional(self.model)
        visible = [step for step in self.steps if "/" not in step.name]
        if self._open is None:
            tensors = [tensor for step in visible for tensor in step.node.outputs]
            opened = self.keras.Model(inner.inputs, tensors)
            self._open = self._compiled(opened, inputs)
        names = [name for step in visible for name in step.outputs]
        arrays = dict(zip(self.input_names, inputs))
        arrays.update(zip(names, self._open(inputs)))
        return arrays

    def seen(self, inputs):
        """See ``Session``: what is compiled cannot be watched."""
        return {}

    def alone(self, layer, arrays):
        """See ``Session``."""
        step = self.by_name[layer]
        if any(MASK + name in arrays for name in step.inputs):
            raise ValueError("a layer that reads a mask cannot be exported alone")
        names = list(dict.fromkeys(step.inputs))
        given = [arrays[name] for name in names]
        key = (layer,) + tuple((array.shape[1:], str(array.dtype)) for array in given)
        if key not in self._alone:
            inputs = [
                self.keras.Input(batch_shape=(None,) + array.shape[1:], dtype=str(array.dtype))
                for array in given
            ]
            result = self.keras.tree.flatten(step.call(dict(zip(names, inputs))))
            self._alone[key] = self._compiled(self.keras.Model(inputs, result), given)
            if len(self._alone) > _KEPT:
                self._alone.popitem(last=False)
        return dict(zip(step.outputs, self._alone[key](given)))

    def _compiled(self, model, inputs):
        """A function from a list of arrays to a list of arrays."""
        if self.mode in EXPORTS:
            return _exported(self.keras, model, self.mode, inputs)
        model.run_eagerly = False
        model.jit_compile = self.mode in ("xla", "jit", "compile")
        # Keras skips compilation of models it has not compiled unless told again.
        model.predict_function = None

        def run(arrays):
            struct = getattr(keras_plan.functional(model), "_inputs_struct", None)
            packed = self.keras.tree.pack_sequence_as(struct, list(arrays))
            result = model.predict_on_batch(packed)
            return [np.asarray(item) for item in self.keras.tree.flatten(result)]

        return run


def _exported(keras, model, mode, inputs):
    directory = tempfile.mkdtemp(prefix="assay-export-")
    struct = getattr(keras_plan.functional(model), "_inputs_struct", None)
    try:
        # Keras exports models only after a first call.
        model(keras.tree.pack_sequence_as(struct, [array[:1] for array in inputs]), training=False)
        if mode == "onnxruntime":
            path = os.path.join(directory, "model.onnx")
            model.export(path, format="onnx", verbose=False)
            return _onnxruntime(path)
        if mode == "openvino":
            path = os.path.join(directory, "model.xml")
            model.export(path, format="openvino", verbose=False)
            return _openvino(path, len(keras_plan.functional(model).outputs))
        path = os.path.join(directory, "model.tflite")
        model.export(path, format="litert", verbose=False)
        return _litert(path, [item.name for item in keras_plan.functional(model).inputs])
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _onnxruntime(path):
    from assay_worker.models.onnx_session import onnxruntime_session

    session = onnxruntime_session(path, optimised=True)
    names = [item.name for item in session.get_inputs()]

    def run(arrays):
        return session.run(None, dict(zip(names, arrays)))

    return run


def _openvino(path, count):
    from assay_worker.models.onnx_session import openvino_compiled

    compiled = openvino_compiled(path)
    ports = _own_outputs(compiled.outputs, count)

    def run(arrays):
        result = compiled(list(arrays))
        return [np.array(result[port]) for port in ports]

    return run


def _own_outputs(ports, count):
    """The ports of the model's own outputs, in order.

    OpenVINO's converter makes outputs of dead ends of the graph, too (a shape that
    MultiHeadAttention computes and nobody reads); TensorFlow names the model's own
    ``Identity:0``, ``Identity_1:0`` …
    """
    if len(ports) == count:
        return list(ports)
    places = {}
    for port in ports:
        for name in port.names:
            found = re.match(r"Identity(?:_(\d+))?:0$", name)
            if found:
                places[int(found.group(1) or 0)] = port
    if sorted(places) != list(range(count)):
        raise ValueError("expected %d outputs after the export; received %r" % (count, ports))
    return [places[place] for place in range(count)]


def _litert(path, names):
    with open(path, "rb") as file:
        content = file.read()
    try:
        from ai_edge_litert.interpreter import Interpreter
    except ImportError:
        from tensorflow.lite import Interpreter
    interpreter = Interpreter(model_content=content, num_threads=1)

    runner = interpreter.get_signature_runner()
    details = runner.get_input_details()
    # One input has a name of the exporter's own; several keep the model's, in another order.
    names = list(details) if len(details) == 1 else names

    def run(arrays):
        given = {n: a.astype(details[n]["dtype"]) for n, a in zip(names, arrays)}
        result = runner(**given)
        return [np.array(result["output_%d" % place]) for place in range(len(result))]

    return run
