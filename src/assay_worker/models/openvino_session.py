"""A file that OpenVINO reads itself: its own IR (.xml and .bin), .tflite, a SavedModel.

Layers are the ops of the model as OpenVINO has it, not those of the file.
"""

import numpy as np

from assay_worker.models._base import Session
from assay_worker.models.files import digest
from assay_worker.models.onnx_session import openvino_compiled

_NO_LAYERS = ("Constant", "Parameter", "Result")


class OpenvinoSession(Session):
    """A model on OpenVINO's CPU device."""

    def __init__(self, path):
        import openvino

        self._openvino = openvino
        self._path = path
        self.model = openvino.Core().read_model(path)
        self.inputs = [(_name(port), port) for port in self.model.inputs]
        self.outputs = [(_name(port), port) for port in self.model.outputs]
        self.tensors, self.layers = {}, []
        given = {port.get_node().get_friendly_name(): name for name, port in self.inputs}
        taken, self.weights = set(given.values()), 0
        for op in self.model.get_ordered_ops():
            kind = op.get_type_name()
            if kind == "Constant":
                self.weights += int(np.prod(list(op.output(0).shape), dtype="int64"))
            if kind not in _NO_LAYERS:
                self._add(op, kind, given, taken)
        self._whole = None
        self._open = None

    def _add(self, op, kind, given, taken):
        # Its own name says where it comes from, if it has one; else its tensor's does.
        own = op.get_friendly_name()
        told = sorted(name for port in op.outputs() for name in port.names)
        name = free = (own if not own.isdigit() or not told else told[0]).replace(":", "_")
        number = 1
        while free in taken:
            number += 1
            free = "%s#%d" % (name, number)
        taken.add(free)
        reads = []
        for port in op.inputs():
            source = port.get_source_output()
            key = (source.get_node().get_friendly_name(), source.get_index())
            if key in self.tensors or key[0] in given:
                reads.append(self.tensors.get(key) or given[key[0]])
        writes = [free if n == 0 else "%s:%d" % (free, n) for n in range(len(op.outputs()))]
        self.tensors.update(((own, n), written) for n, written in enumerate(writes))
        self.layers.append((free, "openvino." + kind, reads, writes, op))

    def describe(self):
        """See ``Session``."""
        return {
            "inputs": [_described(name, port) for name, port in self.inputs],
            "outputs": [
                _described(self._writer(port) or name, port) for name, port in self.outputs
            ],
            "layers": [
                {"name": name, "op": op, "inputs": list(dict.fromkeys(reads)), "outputs": writes}
                for name, op, reads, writes, _ in self.layers
            ],
            "weights": self.weights,
            "digest": digest(self._path),
            "words": "openvino",
        }

    def _writer(self, port):
        source = port.get_node().input(0).get_source_output()
        return self.tensors.get((source.get_node().get_friendly_name(), source.get_index()))

    def predict(self, inputs):
        """See ``Session``."""
        if self._whole is None:
            self._whole = openvino_compiled(self.model)
        result = self._whole(list(inputs))
        return [np.array(result[place]) for place in range(len(self.outputs))]

    def states(self, inputs):
        """See ``Session``."""
        if self._open is None:
            opened = self._openvino.Core().read_model(self._path)
            by_name = {op.get_friendly_name(): op for op in opened.get_ordered_ops()}
            opened.add_outputs(
                [
                    by_name[op.get_friendly_name()].output(place)
                    for _, _, _, writes, op in self.layers
                    for place in range(len(writes))
                ]
            )
            names = [self._writer(port) for port in opened.outputs]
            self._open = names, openvino_compiled(opened)
        names, compiled = self._open
        result = compiled(list(inputs))
        arrays = {name: array for (name, _), array in zip(self.inputs, inputs)}
        arrays.update((name, np.array(result[n])) for n, name in enumerate(names) if name)
        return arrays

    def alone(self, layer, arrays):
        """See ``Session``."""
        raise ValueError("an op of a model that OpenVINO reads itself does not run alone")


def _name(port):
    """The name that the file gives it: TensorFlow's converter adds ``Identity``."""
    names = sorted(port.names)
    telling = [name for name in names if not name.startswith("Identity")]
    return (telling or names or [port.get_node().get_friendly_name()])[0]


def _described(name, port):
    shape = [d.get_length() if d.is_static else None for d in port.partial_shape]
    return {"name": name, "shape": shape, "dtype": port.element_type.to_dtype().name}
