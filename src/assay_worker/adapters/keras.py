"""Keras 3 on its TensorFlow, JAX, PyTorch, NumPy and OpenVINO backends.

Graphs run node by node, eagerly: Assay sees every output, names the node that
fails, and pays for no model building. The compiled modes are in
``keras_compiled``; how a backend differentiates is in ``keras_engines``.
"""

import importlib
import inspect
import os
import platform

import numpy as np

from assay_worker import random_properties
from assay_worker.adapters import keras_invariants, keras_random
from assay_worker.adapters._base import Adapter, at, call_arguments, lookup, tensor_names

#: Backend -> the module and distribution that does the computing.
BACKENDS = {
    "tensorflow": "tensorflow",
    "jax": "jax",
    "torch": "torch",
    "numpy": "numpy",
    "openvino": "openvino",
}
#: Layers whose initial weights are what they mean (windows and Fourier kernels): left as they are.
_CONSTANT_WEIGHTS = ("keras.layers.STFTSpectrogram",)
#: Modes besides eager, by backend.
MODES = {"tensorflow": ("graph", "xla"), "jax": ("jit",), "torch": ("compile",)}
#: Modes that export whole models to another runtime: they execute no cases.
EXPORTS = {"tensorflow": ("onnxruntime", "openvino", "litert")}
_RUNTIMES = {"litert": "ai_edge_litert"}


class KerasAdapter(Adapter):
    """Runs cases on Keras 3."""

    def __init__(self, backend, mode):
        if backend not in BACKENDS:
            raise ValueError("unknown backend %r; expected one of %s" % (backend, sorted(BACKENDS)))
        modes = MODES.get(backend, ()) + EXPORTS.get(backend, ())
        if mode != "eager" and mode not in modes:
            expected = ("eager",) + modes
            raise ValueError("unknown mode %r; %s has %s" % (mode, backend, ", ".join(expected)))
        os.environ["KERAS_BACKEND"] = backend
        self.backend, self.mode = backend, mode
        self.library = importlib.import_module(BACKENDS[backend])
        self.keras = importlib.import_module("keras")
        from assay_worker.adapters import keras_engines

        self.engine = keras_engines.create(backend, self.keras)
        self._kinds = {}

    def describe(self):
        """Versions, and what this backend and mode can do."""
        exports = self.mode in EXPORTS.get(self.backend, ())
        capabilities = [] if exports else ["forward"]
        if self.engine.differentiable and not exports:
            capabilities += ["loss", "gradient"]
        if self.engine.differentiable and self.mode == "eager":
            capabilities.append("update")
        capabilities.append("model")
        versions = {"keras": self.keras.__version__, "python": platform.python_version()}
        versions[self.backend] = self.library.__version__.split("-")[0]
        if exports:
            runtime = importlib.import_module(_RUNTIMES.get(self.mode, self.mode))
            versions[self.mode] = runtime.__version__.split("-")[0]
        return {"versions": versions, "capabilities": capabilities}

    def program(self, question):
        """Eager or compiled."""
        if self.mode == "eager":
            return EagerProgram(self, question)
        from assay_worker.adapters import keras_compiled

        return keras_compiled.CompiledProgram(self, question)

    def session(self, request):
        """The model of a Keras file."""
        from assay_worker.models import keras_compiled, keras_session

        if request["format"] != "keras":
            raise ValueError("Keras loads .keras and .h5 files; received %s" % request["path"])
        model = keras_session.load(self.keras, request)
        if self.mode == "eager":
            return keras_session.KerasSession(self, model)
        return keras_compiled.CompiledSession(self, model)

    def build_zoo_model(self, name, seed, path):
        """Save the zoo's model of that name; see ``assay_worker.models.zoo``."""
        from assay_worker.models import zoo

        zoo.build(self.keras, name, seed, path)

    def rebuilt(self, program, how):
        """See ``keras_round_trip``."""
        if self.mode != "eager":
            return None
        from assay_worker.adapters import keras_round_trip

        return keras_round_trip.rebuilt(self, program, how)

    def resolve(self, path):
        """The public object of an op's path; ``prelude.NAME`` is the user's own."""
        root, _, rest = path.partition(".")
        if root not in ("keras", "prelude") or not rest:
            raise LookupError("unknown op %r" % path)
        value = self.keras if root == "keras" else importlib.import_module("prelude")
        for part in rest.split("."):
            value = getattr(value, part)
        return value

    def construct(self, op, params):
        """A callable for the op: an object made from ``params``, or a bound function."""
        return self.callable(self._made(op, params))

    def callable(self, value):
        """The object itself, or what to call where it has no call of one result."""
        if isinstance(value, self.keras.metrics.Metric):
            return OneUpdate(self.keras, value)
        if isinstance(value, self.keras.optimizers.Optimizer):
            return OneStep(self.keras, value)
        return value

    def _made(self, op, params):
        value = self.resolve(op)
        keywords = {key: self._parameter(item) for key, item in params.items()}
        if isinstance(value, type):
            if issubclass(value, self.keras.metrics.Metric):
                # Several thresholds must be a list (keras 3.15.1 fails on a tuple).
                for key, item in keywords.items():
                    keywords[key] = list(item) if isinstance(item, tuple) else item
            return value(**keywords)
        if random_properties.names(op):
            return keras_random.Draws(self.keras, op, value, keywords)
        return _Bound(keras_invariants.invariants(self.keras.ops, op, value), keywords)

    def _parameter(self, value):
        if isinstance(value, dict) and "$op" in value:
            return self._made(value["$op"], value.get("params", {}))
        if isinstance(value, (list, tuple)):
            return tuple(self._parameter(item) for item in value)
        return value


class _Bound(object):
    """A function with its keyword arguments; no weights."""

    weights = ()

    def __init__(self, function, keywords):
        self._function = function
        self._keywords = dict(keywords)
        # What stands before any number of tensors (the subscripts of einsum) has no keyword.
        leading = [name for name in _before_tensors(function) if name in keywords]
        self._leading = tuple(self._keywords.pop(name) for name in leading)

    def __call__(self, *arguments, **keywords):
        arguments = self._leading + arguments
        return self._function(*arguments, **dict(self._keywords, **keywords))


def _before_tensors(function):
    """Names of the parameters before ``*tensors``; none if there is no such parameter."""
    described = list(inspect.signature(function).parameters.values())
    kinds = [item.kind for item in described]
    if inspect.Parameter.VAR_POSITIONAL not in kinds:
        return []
    return [item.name for item in described[: kinds.index(inspect.Parameter.VAR_POSITIONAL)]]


class OneUpdate(object):
    """A metric: its result after one update of fresh state."""

    weights = ()

    def __init__(self, keras, metric):
        self.object = metric
        self._keras = keras

    def __call__(self, *arguments, **keywords):
        """The result."""
        self.object.reset_state()
        result = self.object(*arguments, **keywords)
        # A copy: the result may be the state itself, which the next call resets.
        return self._keras.tree.map_structure(self._keras.ops.copy, result)


class OneStep(object):
    """An optimizer: the value of a variable after one step from fresh state; of several, a list.

    The variables and the state are made once and set back on every call: a
    compiled function cannot make variables.
    """

    weights = ()

    def __init__(self, keras, optimizer):
        self.object = optimizer
        self._keras = keras
        self._variables = None
        self._fresh = []

    def __call__(self, value, gradient):
        """The updated value or values."""
        several = isinstance(value, (list, tuple))
        values, gradients = (value, gradient) if several else ([value], [gradient])
        if self._variables is None:
            copy = self._keras.ops.copy
            made = [self._keras.Variable(copy(item), dtype=item.dtype) for item in values]
            self._variables = made
            self.object.build(made)
            numpy = self._keras.ops.convert_to_numpy
            self._fresh = [(weight, numpy(weight).copy()) for weight in self.object.variables]
        for weight, fresh in self._fresh:
            weight.assign(fresh)
        for variable, item in zip(self._variables, values):
            variable.assign(item)
        self.object.apply(list(gradients), self._variables)
        updated = [self._keras.ops.copy(variable.value) for variable in self._variables]
        return updated if several else updated[0]


class Step(object):
    """A node at work: its callable, built and with its weights assigned."""

    def __init__(self, adapter, question, node):
        self.id = node["id"]
        self.node = node
        self.question = question
        with at("build", self.id):
            self.function = adapter.construct(node["op"], node["params"])
        self.keywords = {}
        self.weights = None  # unknown until built
        self.draws = isinstance(self.function, keras_random.Draws)
        call = getattr(self.function, "call", None)
        if question.training and call and "training" in inspect.signature(call).parameters:
            self.keywords["training"] = True

    def prepare(self, positional, keywords):
        """Build on the first call; assign our weights on every call."""
        layer = self.function
        if self.draws:
            layer.rewind()
        if self.weights is None:
            # Building without a call saves a forward pass, where the signature is plain.
            if not getattr(layer, "built", True):
                if len(positional) == 1 and not keywords:
                    layer.build(_shapes(positional[0]))
                else:
                    layer(*positional, **keywords)
            weights = getattr(layer, "weights", ())  # losses and constraints have none
            weights = [] if self.node["op"] in _CONSTANT_WEIGHTS else list(weights)
            weights += _recurrent_states(layer)
            self.weights = [w for w in weights if "float" in str(w.dtype)]
            self.trainable = [w for w in self.weights if w.trainable]
            self.state = [w for w in self.weights if not w.trainable]
        for index, weight in enumerate(self.weights):
            name = getattr(weight, "path", weight.name)
            shape = tuple(weight.shape)
            weight.assign(self.question.weight(self.id, index, name, shape, "float32"))

    def arguments(self, tensors):
        """Positional and keyword arguments of the call."""
        positional, keywords = call_arguments(self.node, tensors)
        return positional, dict(keywords, **self.keywords)

    def seen(self, output, positional, numpy):
        """What a trace holds of an output: its array; of random draws, their properties."""
        if self.draws:
            return self.function.truths(positional, output, numpy)
        return numpy(output)


def _recurrent_states(layer):
    """What stateful recurrent layers remember between calls; not among Keras' weights.

    Assigned like weights, so that a run does not depend on those before it.
    """
    if not isinstance(getattr(layer, "stateful", None), bool):
        return []
    # A bidirectional layer has two of them inside.
    inner = [getattr(layer, name, None) for name in ("forward_layer", "backward_layer")]
    found = []
    for item in [part for part in inner if part is not None] or [layer]:
        if getattr(item, "stateful", False):
            found += flatten(getattr(item, "states", None) or [])
    return found


def _shapes(argument):
    if isinstance(argument, list):
        return [tuple(item.shape) for item in argument]
    return tuple(argument.shape)


def flatten(value):
    """A call's result as a list of tensors."""
    if isinstance(value, dict):
        return [item for key in sorted(value) for item in flatten(value[key])]
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in flatten(part)]
    return [value]


class EagerProgram(object):
    """Runs a graph node by node; see ``Adapter.program`` for the contract."""

    def __init__(self, adapter, question):
        self.adapter = adapter
        self.engine = adapter.engine
        self.question = question
        self.steps = [Step(adapter, question, node) for node in question.graph["nodes"]]
        loss = question.loss
        self.loss = None
        if loss is not None and loss["kind"] == "op":
            with at("build", "loss"):
                self.loss = adapter.construct(loss["op"], loss["params"])

    def __call__(self, inputs, record):
        """One run."""
        question, engine = self.question, self.engine
        gradient = question.wants("gradient")
        with engine.session(gradient) as session:
            tensors = {}
            with at("build"):
                # A library may have no tensors of this dtype.
                for name in inputs:
                    tensors[name] = session.watched(name, inputs[name])
            for step in self.steps:
                positional, keywords = step.arguments(tensors)
                with at("build", step.id):
                    step.prepare(positional, keywords)
                with at("forward", step.id):
                    result = session.call(step, positional, keywords)
                    flat = flatten(result)
                    names = tensor_names(step.id, len(flat))
                    flat = session.produced(names, flat)
                    for name, tensor in zip(names, flat):
                        tensors[name] = tensor
                        record["output:" + name] = step.seen(tensor, positional, engine.numpy)
                    if question.training:
                        for index, value in enumerate(session.state(step)):
                            record["state:%s:%d" % (step.id, index)] = value
            if not question.wants("loss"):
                return
            outputs = [lookup(tensors, name) for name in question.graph["outputs"]]
            with at("loss"):
                loss = session.loss(self, outputs)
                record["loss"] = engine.numpy(loss)
            if gradient:
                with at("gradient"):
                    record.update(session.gradients(loss, tensors, inputs, self.steps))
        if question.wants("update"):
            with at("update", "optimizer"):
                self._update(record)

    def _update(self, record):
        """One step of a new optimizer, with the gradients that were found."""
        engine, optimizer = self.engine, self.question.case["optimizer"]
        weights = {
            "%s:%d" % (step.id, index): weight
            for step in self.steps
            for index, weight in enumerate(step.trainable)
        }
        for name, weight in weights.items():
            record["weight:" + name] = np.array(engine.numpy(weight.value))
        if not weights:
            return
        made = self.adapter.construct(optimizer["op"], optimizer["params"]).object
        gradients = [engine.tensor(record["gradient:weight:" + name]) for name in weights]
        with engine.session(False):
            made.apply(gradients, list(weights.values()))
        for name, weight in weights.items():
            record["update:" + name] = np.array(engine.numpy(weight.value))

    def loss_value(self, ops, outputs):
        """The loss as a library tensor; called by the session."""
        if self.loss is not None:
            labels = ops.convert_to_tensor(self.question.labels())
            loss = self.loss(labels, outputs[0])
            # Without a reduction there is one loss per sample; a gradient is of one number.
            return ops.sum(loss) if len(loss.shape) else loss
        dtype_name = self.engine.keras.backend.standardize_dtype
        floats = ["float" in dtype_name(output.dtype) for output in outputs]
        total = None
        for index, output in enumerate(outputs):
            # Indices beside values (top_k) have no gradient.
            if any(floats) and not floats[index]:
                continue
            weights = self.question.upstream(index, tuple(output.shape))
            term = ops.sum(output * ops.convert_to_tensor(weights, dtype=output.dtype))
            total = term if total is None else total + term
        return total
