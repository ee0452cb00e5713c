"""Keras 3 on its TensorFlow, JAX, PyTorch, NumPy and OpenVINO backends.

Graphs run node by node, eagerly: Assay sees every output, names the node that
fails, and pays for no model building. How a backend differentiates and compiles is in
``assay_worker.engines``.
"""

import contextlib
import importlib
import inspect
import os
import platform

import numpy as np

from assay_worker import engines, random_properties
from assay_worker.engines._base import Conversions
from assay_worker.libraries._graphs import GraphAdapter
from assay_worker.libraries.keras import invariants, random
from assay_worker.libraries.keras.calls import Bound, OneStep, OneUpdate
from assay_worker.libraries.keras.step import Step

#: Backend -> the module and distribution that does the computing.
BACKENDS = {
    "tensorflow": "tensorflow",
    "jax": "jax",
    "torch": "torch",
    "numpy": "numpy",
    "openvino": "openvino",
}
#: Modes besides eager, by backend.
MODES = {"tensorflow": ("graph", "xla"), "jax": ("jit",), "torch": ("compile",)}
#: Modes that export whole models to another runtime: they execute no cases.
EXPORTS = {"tensorflow": ("onnxruntime", "openvino", "litert")}
_RUNTIMES = {"litert": "ai_edge_litert"}


class _KerasConversions(Conversions):
    """Tensors as Keras makes them."""

    def __init__(self, keras):
        self._keras = keras

    def tensor(self, array):
        # A copy, so that an op that writes to its input cannot change ours.
        return self._keras.ops.convert_to_tensor(array.copy())

    def numpy(self, tensor):
        return self._keras.ops.convert_to_numpy(tensor)


class KerasAdapter(GraphAdapter):
    """Runs cases on Keras 3."""

    root = module = spoken = "keras"

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
        self.engine = engines.create(backend, _KerasConversions(self.keras))

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

    def anticipate(self):
        """See ``Adapter``. Keras seeds TensorFlow, too, whatever its backend (1.6 s CPU)."""
        with contextlib.suppress(ImportError):
            importlib.import_module("tensorflow")

    def signature(self, value):
        """See ``GraphAdapter``. A layer hands on what it does not know to its bases.

        ``Layer``, the last of them, refuses what it does not know either.
        """
        if not (isinstance(value, type) and issubclass(value, self.keras.Layer)):
            return super(KerasAdapter, self).signature(value)
        found = {}
        for kind in value.__mro__[: value.__mro__.index(self.keras.Layer) + 1]:
            if "__init__" not in vars(kind):
                continue
            parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
            for parameter in parameters:
                if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                    named = parameter.replace(kind=parameter.KEYWORD_ONLY)
                    found.setdefault(parameter.name, named)
            if not any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters):
                break
        return str(inspect.Signature(list(found.values())))

    def session(self, request):
        """The model of a Keras file."""
        from assay_worker.models import keras_compiled, keras_plan, keras_session

        if request["format"] != "keras":
            raise ValueError("Keras loads .keras and .h5 files; received %s" % request["path"])
        model = keras_session.load(self.keras, request)
        if self.mode == "eager":
            if not keras_plan.is_model(model):
                from assay_worker.models.keras_subclassed import SubclassedSession

                return SubclassedSession(self, model)
            return keras_session.KerasSession(self, model)
        return keras_compiled.CompiledSession(self, model)

    def build_zoo_model(self, name, seed, path):
        """Save the zoo's model of that name; see ``assay_worker.models.zoo``."""
        from assay_worker.models import zoo

        zoo.build(self.keras, name, seed, path)

    def rebuilt(self, program, how):
        """See ``round_trip``."""
        if self.mode != "eager":
            return None
        from assay_worker.libraries.keras import round_trip

        return round_trip.rebuilt(self, program, how)

    def inside(self, case):
        """See ``Adapter``."""
        from assay_worker.libraries.keras import calls_inside

        return calls_inside.inside(self, case)

    def step(self, question, node):
        """A node at work."""
        return Step(self, question, node)

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
            return random.Draws(self.keras, op, value, keywords)
        return Bound(invariants.invariants(self.keras, op, value), keywords)

    def _parameter(self, value):
        if isinstance(value, dict) and "$op" in value:
            return self._made(value["$op"], value.get("params", {}))
        if isinstance(value, (list, tuple)):
            return tuple(self._parameter(item) for item in value)
        return value

    def floating(self, tensor):
        """Is it a tensor of floats?"""
        return "float" in self.keras.backend.standardize_dtype(tensor.dtype)

    def dot(self, output, weights):
        """See ``GraphAdapter``."""
        ops = self.keras.ops
        return ops.sum(output * ops.convert_to_tensor(weights, dtype=output.dtype))

    def labelled_loss(self, loss, labels, output):
        """See ``GraphAdapter``."""
        value = loss(self.keras.ops.convert_to_tensor(labels), output)
        # Without a reduction there is one loss per sample; a gradient is of one number.
        return self.keras.ops.sum(value) if len(value.shape) else value

    def substituted(self, variables, weights):
        """See ``GraphAdapter``."""
        return self.keras.StatelessScope(state_mapping=list(zip(variables, weights)))

    def update(self, program, record):
        """One step of a new optimizer, with the gradients that were found."""
        engine, optimizer = self.engine, program.question.case["optimizer"]
        weights = {
            "%s:%d" % (step.id, index): weight
            for step in program.steps
            for index, weight in enumerate(step.trainable)
        }
        for name, weight in weights.items():
            record["weight:" + name] = np.array(engine.numpy(weight.value))
        if not weights:
            return
        made = self.construct(optimizer["op"], optimizer["params"]).object
        gradients = [engine.tensor(record["gradient:weight:" + name]) for name in weights]
        with engine.session(False):
            made.apply(gradients, list(weights.values()))
        for name, weight in weights.items():
            record["update:" + name] = np.array(engine.numpy(weight.value))
