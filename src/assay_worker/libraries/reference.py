"""The reference as a target: float64 NumPy semantics of every op it knows.

Writes the same arrays as a library's adapter, in float64, and beside each
gradient ``G`` a boolean ``undecided:G`` that is true where no value is claimed.
"""

import platform

import numpy as np
import scipy

from assay_worker.libraries._base import Adapter, at, call_arguments, lookup, tensor_names
from assay_worker.reference import Operation
from assay_worker.reference.differences import gradient

#: Finite differences need six forward passes per element: beyond this many, some are
#: sampled. Few are enough to say who is wrong where a whole array is.
MAX_GRADIENT_ELEMENTS = 64
SAMPLED_ELEMENTS = 24


class ReferenceAdapter(Adapter):
    """Runs cases on the reference."""

    def __init__(self, backend, mode):
        if backend not in ("", "numpy") or mode != "eager":
            raise ValueError(
                "the reference has no backends or modes; received %r, %r" % (backend, mode)
            )

    def describe(self):
        """Versions and capabilities."""
        versions = {
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "python": platform.python_version(),
        }
        return {"versions": versions, "capabilities": ["forward", "loss", "gradient"]}

    def offers(self, names):
        """See ``Adapter``: of what it does not know it says so itself, when asked."""
        return dict.fromkeys(names, "")

    def program(self, question):
        """See ``Adapter.program``."""
        return _Program(question)


class _Step(object):
    """A node at work; its weights are drawn on its first call."""

    def __init__(self, question, node):
        self.id = node["id"]
        self.node = node
        self.question = question
        with at("build", self.id):
            self.operation = Operation(node["op"], node["params"])
        self.specifications = None
        self.weights = {}

    def prepare(self, positional, keywords):
        if self.specifications is not None:
            return
        specifications = self.operation.weights(positional, keywords)
        for index, weight in enumerate(specifications):
            array = self.question.weight(self.id, index, weight.name, weight.shape, "float32")
            if array.shape != weight.shape:
                raise ValueError(
                    "expected weight %d of shape %s; received %s"
                    % (index, weight.shape, array.shape)
                )
            self.weights[weight.name] = _widened(array)
        self.specifications = specifications

    def trainable(self):
        return [self.weights[item.name] for item in self.specifications if item.trainable]

    def state(self, new):
        """Non-trainable weights after the call."""
        names = [item.name for item in self.specifications if not item.trainable]
        return [new.get(name, self.weights[name]) for name in names]

    def call(self, tensors, record):
        """The node's outputs, put into ``tensors`` and, if there is one, ``record``."""
        positional, keywords = call_arguments(self.node, tensors)
        with at("build", self.id):
            self.prepare(positional, keywords)
        with at("forward", self.id):
            result, state = self.operation.run(
                positional, keywords, self.weights, self.question.training
            )
            flat = [
                np.asarray(item) for item in (result if isinstance(result, tuple) else (result,))
            ]
        for name, array in zip(tensor_names(self.id, len(flat)), flat):
            tensors[name] = array
            if record is not None:
                record["output:" + name] = array
        if record is not None and self.question.training:
            for index, value in enumerate(self.state(state)):
                record["state:%s:%d" % (self.id, index)] = value


class _Program(object):
    def __init__(self, question):
        self.question = question
        self.steps = [_Step(question, node) for node in question.graph["nodes"]]
        loss = question.loss
        self.loss = None
        if loss is not None and loss["kind"] == "op":
            with at("build", "loss"):
                self.loss = Operation(loss["op"], loss["params"])

    def __call__(self, inputs, record):
        with np.errstate(all="ignore"):
            self._run({name: _widened(array) for name, array in inputs.items()}, record)

    def _run(self, inputs, record):
        outputs = self._forward(inputs, record)
        if not self.question.wants("loss"):
            return
        with at("loss"):
            record["loss"] = np.asarray(self._loss(outputs))
        if self.question.wants("gradient") and any(item.dtype.kind == "f" for item in outputs):
            with at("gradient"):
                self._gradients(inputs, record)

    def _forward(self, inputs, record):
        tensors = dict(inputs)
        for step in self.steps:
            step.call(tensors, record)
        return [lookup(tensors, name) for name in self.question.graph["outputs"]]

    def _loss(self, outputs):
        if self.loss is not None:
            labels = _widened(self.question.labels())
            return np.sum(self.loss.run((labels, outputs[0]), {}, {}, True)[0])
        total = 0.0
        some_floats = any(output.dtype.kind == "f" for output in outputs)
        for index, output in enumerate(outputs):
            if some_floats and output.dtype.kind != "f":
                continue
            upstream = self.question.upstream(index, output.shape)
            # As adapters do: the upstream gradient takes the dtype of the output.
            total = total + np.sum(output * upstream.astype(output.dtype))
        return total

    def _gradients(self, inputs, record):
        wanted = [
            ("gradient:input:" + name, array)
            for name, array in inputs.items()
            if array.dtype.kind == "f"
        ]
        for step in self.steps:
            for index, array in enumerate(step.trainable()):
                wanted.append(("gradient:weight:%s:%d" % (step.id, index), array))
        total = sum(array.size for _, array in wanted)
        share = 1.0 if total <= MAX_GRADIENT_ELEMENTS else SAMPLED_ELEMENTS / float(total)

        def loss():
            return float(self._loss(self._forward(inputs, None)))

        for name, array in wanted:
            most = max(2, int(array.size * share))
            record[name], record["undecided:" + name] = gradient(loss, array, most)


def _widened(array):
    """A copy: floats as float64, which is exact; integers and booleans as they are."""
    return np.array(array, dtype="float64" if array.dtype.kind == "f" else array.dtype, order="C")
