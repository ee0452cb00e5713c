"""Keras 2 (2.2, 2.3) on its TensorFlow, Theano and CNTK backends: build, then run.

The vocabulary is that of Keras 3; ``meaning`` says what its words mean here.
"""

import importlib
import platform

import numpy as np

from assay_worker.libraries._base import (
    Adapter,
    NotOffered,
    StageFailure,
    at,
    lookup,
    tensor_names,
)
from assay_worker.libraries.keras2 import engines, meaning
from assay_worker.libraries.keras2.steps import Step, flatten

BACKENDS = ("tensorflow", "theano", "cntk")
#: What these ops take is a weight, whose first axis is no batch.
_OF_WEIGHTS = ("keras.constraints.", "keras.regularizers.")


class Keras2Adapter(Adapter):
    """Runs cases on Keras 2."""

    def __init__(self, backend, mode):
        if backend not in BACKENDS:
            raise ValueError("unknown backend %r; expected one of %s" % (backend, list(BACKENDS)))
        if mode != "eager":
            raise ValueError("unknown mode %r; Keras 2 has only the default, eager" % mode)
        engines.prepare(backend)
        self.name = backend
        self.library = importlib.import_module(backend)
        self.keras = importlib.import_module("keras")
        self.engine = engines.create(backend, self.keras)

    def describe(self):
        """Versions and capabilities."""
        versions = {"keras": self.keras.__version__, "python": platform.python_version()}
        versions[self.name] = self.library.__version__
        return {"versions": versions, "capabilities": ["forward", "loss", "gradient", "model"]}

    def offers(self, names):
        """See ``Adapter.offers``."""
        found = {}
        for op in names:
            try:
                known = meaning.parameters_of(op, meaning.resolve(self.keras, op))
                # More than these: what it lacks may be given where that changes nothing.
                found[op] = "(%s, **)" % ", ".join(known)
            except NotOffered:
                continue
        return found

    def program(self, question):
        """See ``Adapter.program``."""
        return Program(self, question)

    def session(self, request):
        """The model of a file of Keras 2."""
        from assay_worker.models import keras2_session

        if request["format"] != "keras":
            raise ValueError("Keras 2 loads .h5 files; received %s" % request["path"])
        self.engine.fresh()
        return keras2_session.Keras2Session(self, keras2_session.load(self.keras, request))

    def construct(self, op, params):
        """A layer, or a function or object of tensors, with its parameters."""
        if op.startswith("prelude."):
            value = getattr(importlib.import_module("prelude"), op.partition(".")[2])
            said = params
        else:
            value = meaning.resolve(self.keras, op)
            said = meaning.translated(op, value, params)
            self.engine.check(op, said)
        keywords = {name: self._parameter(item) for name, item in said.items()}
        if isinstance(value, type):
            return value(**keywords)
        return lambda *arguments, **more: value(*arguments, **dict(keywords, **more))

    def _parameter(self, value):
        if isinstance(value, dict) and "$op" in value:
            return self.construct(value["$op"], value.get("params", {}))
        if isinstance(value, (list, tuple)):
            return tuple(self._parameter(item) for item in value)
        return value


class Program(object):
    """A graph, built once; see ``Adapter.program`` for the contract."""

    def __init__(self, adapter, question):
        self.question, self.engine = question, adapter.engine
        self.backend = adapter.keras.backend
        self.engine.fresh()
        uses = _uses(question.graph)
        for item in question.graph["inputs"]:
            if "float" in item["dtype"] and item["dtype"] != "float32":
                raise NotOffered("Keras 2 does not cast: received an input of %s" % item["dtype"])
        self.tensors = {
            item["name"]: self.engine.input(
                item["name"],
                item["shape"],
                item["dtype"],
                uses.get(item["name"], "tensor"),
                batch=any(_remembers(node["params"]) for node in question.graph["nodes"]),
            )
            for item in question.graph["inputs"]
        }
        self.inputs = list(self.tensors.items())
        self.steps, self.produced = [], []
        for node in question.graph["nodes"]:
            step = Step(adapter, question, node)
            flat = step.call(self.tensors)
            names = tensor_names(step.id, len(flat))
            self.tensors.update(zip(names, flat))
            self.produced.append(names)
            self.steps.append(step)
        self.loss = None
        loss = question.loss
        if loss is not None and loss["kind"] == "op":
            with at("build", "loss"):
                self.loss = adapter.construct(loss["op"], loss["params"])
        self._forward = self._graded = None

    def __call__(self, inputs, record):
        """One run."""
        arrays = [inputs[name] for name, _ in self.inputs]
        outputs = self._outputs(arrays, record)
        if self.question.wants("loss"):
            self._differentiate(arrays, outputs, record)

    def _assign(self):
        for step in self.steps:
            with at("build", step.id):
                step.assign()

    def _outputs(self, arrays, record):
        """Every node's outputs, and what training changed; the graph's own outputs."""
        training = self.question.training
        names = [name for produced in self.produced for name in produced]
        self._assign()
        try:
            with at("forward"):
                if self._forward is None:
                    updates = [item for step in self.steps for item in step.updates]
                    self._forward = self._compiled(names, updates if training else ())
                values = self._forward(arrays)
        except Exception:
            self._name_failure(arrays, record)
            raise
        found = dict(zip(names, values))
        for name in names:
            record["output:" + name] = found[name]
        for step in self.steps if training else ():
            with at("forward", step.id):
                for index, value in step.states():
                    record["state:%s:%d" % (step.id, index)] = value
        found.update((name, array) for (name, _), array in zip(self.inputs, arrays))
        return [lookup(found, name) for name in self.question.graph["outputs"]]

    def _compiled(self, names, updates=()):
        placeholders = [tensor for _, tensor in self.inputs]
        return self.engine.function(placeholders, [self.tensors[name] for name in names], updates)

    def _name_failure(self, arrays, record):
        """Run node by node up to the one that fails, which then raises with its name."""
        for step, names in zip(self.steps, self.produced):
            with at("forward", step.id):
                values = self._compiled(names)(arrays)
            for name, value in zip(names, values):
                record["output:" + name] = value

    def _differentiate(self, arrays, outputs, record):
        question = self.question
        tensors = [lookup(self.tensors, name) for name in question.graph["outputs"]]
        with at("loss"):
            further = self._further(tensors, outputs)
            if self._graded is None:
                with self.engine.building():
                    self._graded = self._graded_function(tensors, further)
        self._assign()
        fed = arrays + further
        if not question.wants("gradient"):
            with at("loss"):
                (record["loss"],) = self._graded(fed)
            return
        try:
            with at("gradient"):
                loss, gradients = self._graded(fed)
        except StageFailure as failure:
            if not isinstance(failure.original, NotOffered):
                raise
            return  # what came before is an answer
        record["loss"] = loss
        with at("gradient"):
            for (key, step, source), value in zip(self._sources, gradients):
                if value is None:
                    record["absent:" + key] = np.zeros(0, dtype="float32")
                    value = np.zeros(self._shape(key, source, record, arrays), dtype="float32")
                record[key] = value if step is None else step.turned(source, value)

    def _further(self, tensors, outputs):
        """Labels, or upstream gradients of the outputs that count."""
        if self.loss is not None:
            return [np.asarray(self.question.labels(), dtype="float32")]
        self._counted = [i for i, t in enumerate(tensors) if self.engine.floating(t)]
        self._counted = self._counted or list(range(len(tensors)))
        return [
            self.question.upstream(i, outputs[i].shape).astype(outputs[i].dtype)
            for i in self._counted
        ]

    def _graded_function(self, tensors, further):
        """The loss, and if they are asked for its gradients, as a function of arrays."""
        beside = [tensors[0]] if self.loss is not None else [tensors[i] for i in self._counted]
        added = [self.engine.companion(*pair) for pair in zip(further, beside)]
        placeholders = [tensor for _, tensor in self.inputs] + added
        if self.loss is not None:
            # The identity drops what Keras knows of a softmax: its logits.
            loss = self.loss(added[0], self.engine.copied(tensors[0]))
            loss = self.engine.total(loss)
        else:
            terms = [self.engine.total(a * b) for a, b in zip(beside, added)]
            loss = sum(terms[1:], terms[0])
        if not self.question.wants("gradient"):
            return self.engine.function(placeholders, [loss])
        self._sources = list(self._named_sources())
        sources = [source for _, _, source in self._sources]
        with at("gradient"):
            return self.engine.differentiated(placeholders, loss, sources)

    def _named_sources(self):
        """What the loss is differentiated by: name, step (of a weight), tensor."""
        names = {name for name, _ in self.inputs}
        for name, tensor in self.tensors.items():
            if self.engine.floating(tensor):
                kind = "input" if name in names else "output"
                if kind == "input" or self.engine.differentiates_outputs:
                    yield "gradient:%s:%s" % (kind, name), None, tensor
        for step in self.steps:
            for index, weight in enumerate(step.trainable):
                yield "gradient:weight:%s:%d" % (step.id, index), step, weight

    def _shape(self, key, source, record, arrays):
        kind, _, name = key[len("gradient:") :].partition(":")
        if kind == "output":
            return record["output:" + name].shape
        if kind == "input":
            return dict(zip([n for n, _ in self.inputs], arrays))[name].shape
        return self.backend.int_shape(source)


def _remembers(value):
    """Is a layer among these parameters, or the one that has them, stateful?"""
    if isinstance(value, dict):
        return value.get("stateful") is True or any(map(_remembers, value.values()))
    return isinstance(value, (list, tuple)) and any(map(_remembers, value))


def _uses(graph):
    """What reads each input where that is not just a tensor: ids, a mask, or a weight."""
    uses = {}
    for node in graph["nodes"]:
        for name in flatten(node["inputs"]):
            use = "tensor"
            if node["op"].startswith(_OF_WEIGHTS):
                use = "weight"
            elif node["op"] == "keras.layers.Embedding":
                use = "ids"
            uses.setdefault(name, set()).add(use)
        mask = node["arguments"].get("mask")
        if isinstance(mask, dict) and "$tensor" in mask:
            uses.setdefault(mask["$tensor"], set()).add("mask")
    return {name: found.pop() for name, found in uses.items() if len(found) == 1}
