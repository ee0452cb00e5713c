"""A Keras model whose layers are in Python code: run as a whole, and seen by the layers it tracks.

Which layers run, in which order and on what, is seen when it runs.
"""

import contextlib

import numpy as np

from assay_worker import recipes
from assay_worker.models._base import directions
from assay_worker.models.keras_session import KerasSession


class SubclassedSession(KerasSession):
    """A model that runs eagerly; its layers are those that it tracks itself."""

    def __init__(self, adapter, model):
        self.keras, self.backend, self.model = adapter.keras, adapter.backend, model
        self._at_once = float("inf")
        self._inputs = _inputs(model)
        self.input_names = [name for name, _ in self._inputs]
        example = [np.zeros([2] + shape[1:], model.input_dtype) for _, shape in self._inputs]
        calls = []
        self._outputs = self._run(example, calls)
        self.steps = self._linked(calls)
        self.by_name = {step.name: step for step in self.steps}

    def packed(self, tensors):
        """As its ``call`` takes them: one, or a list."""
        return tensors[0] if len(tensors) == 1 else tensors

    def _run(self, inputs, calls, change=None):
        """The outputs, as tensors; every call of a tracked layer is put into ``calls``."""
        with self.inference(), self._watched(calls, change):
            tensors = [self.keras.ops.convert_to_tensor(array) for array in inputs]
            calls.append(_Call("", None, (), tensors))
            return self.keras.tree.flatten(self.model(self.packed(tensors), training=False))

    @contextlib.contextmanager
    def _watched(self, calls, change):
        """While inside, the calls of tracked layers are seen, and their outputs changed."""
        flatten, counts = self.keras.tree.flatten, {}

        def watching(layer, own):
            def call(*positional, **keywords):
                result = own(*positional, **keywords)
                if change is not None:
                    result = self.keras.tree.map_structure(change, result)
                number = counts[layer.name] = counts.get(layer.name, 0) + 1
                name = layer.name if number == 1 else "%s#%d" % (layer.name, number)
                plain = all(value is None or name == "training" for name, value in keywords.items())
                read = flatten(positional) if plain else None
                calls.append(_Call(name, layer, read, flatten(result)))
                return result

            return call

        layers = list(self.model.layers)
        try:
            for layer in layers:
                layer.call = watching(layer, layer.call)
            yield
        finally:
            for layer in layers:
                layer.__dict__.pop("call", None)

    def _linked(self, calls):
        """The calls with names for what they read: what nobody tracks is read from the last."""
        known, steps = {}, []
        last = self.input_names
        for call in calls:
            if call.layer is None:
                known.update((id(t), name) for t, name in zip(call.outputs, self.input_names))
                continue
            read = call.read or ()
            exact = bool(read) and all(id(tensor) in known for tensor in read)
            inputs = [known[id(tensor)] for tensor in read] if exact else list(last)
            outputs = [
                call.name if n == 0 else "%s:%d" % (call.name, n) for n in range(len(call.outputs))
            ]
            known.update((id(t), name) for t, name in zip(call.outputs, outputs))
            steps.append(_Step(call.name, call.layer, inputs, outputs, exact))
            last = outputs
        return steps

    def describe(self):
        """See ``Session``."""
        weights = [self.keras.ops.convert_to_numpy(weight) for weight in self.model.weights]
        dtype_of = self.keras.backend.standardize_dtype
        return {
            "inputs": [
                {"name": name, "shape": shape, "dtype": self.model.input_dtype}
                for name, shape in self._inputs
            ],
            "outputs": [
                {
                    "name": "output_%d" % place,
                    "shape": [None] + list(tensor.shape)[1:],
                    "dtype": dtype_of(tensor.dtype),
                }
                for place, tensor in enumerate(self._outputs)
            ],
            "layers": [
                {"name": s.name, "op": s.op, "inputs": s.inputs, "outputs": s.outputs}
                for s in self.steps
            ],
            "weights": int(sum(weight.size for weight in weights)),
            "digest": recipes.digest({str(i): w for i, w in enumerate(weights)}),
        }

    def predict(self, inputs):
        """See ``Session``."""
        with self.inference():
            tensors = [self.keras.ops.convert_to_tensor(array) for array in inputs]
            result = self.model(self.packed(tensors), training=False)
            return [self._numpy(item) for item in self.keras.tree.flatten(result)]

    def nudged(self, inputs, seed, factor=1.0):
        """See ``Session``; what is computed between the layers it tracks is not moved."""
        generator = directions(seed)

        def change(tensor):
            return self._moved(tensor, generator, factor)

        given = [self._numpy(change(self.keras.ops.convert_to_tensor(a))) for a in inputs]
        return [self._numpy(item) for item in self._run(given, [], change)]

    def states(self, inputs):
        """See ``Session``."""
        calls = []
        self._run(inputs, calls)
        arrays = dict(zip(self.input_names, inputs))
        for call in calls[1:]:
            step = self.by_name.get(call.name)
            if step is not None:
                arrays.update(zip(step.outputs, map(self._numpy, call.outputs)))
        return arrays

    def alone(self, layer, arrays):
        """See ``Session``."""
        step = self.by_name[layer]
        if not step.exact:
            raise ValueError("what %s reads is computed outside of any layer" % layer)
        with self.inference():
            tensors = [self.keras.ops.convert_to_tensor(arrays[name]) for name in step.inputs]
            result = self.keras.tree.flatten(step.layer(*tensors))
            return dict(zip(step.outputs, map(self._numpy, result)))

    def layer(self, layer):
        """See ``Session``: its calls are not nodes of a graph."""
        return {}


class _Call(object):
    """What one call of a layer read and gave; ``read`` is None if it was no plain call."""

    def __init__(self, name, layer, read, outputs):
        # The tensors are kept, so that no other gets their identity.
        self.name, self.layer, self.read, self.outputs = name, layer, read, outputs


class _Step(object):
    """One call of one layer, with names."""

    def __init__(self, name, layer, inputs, outputs, exact):
        self.name, self.layer, self.inputs, self.outputs = name, layer, inputs, outputs
        self.exact = exact
        self.op = "keras.layers." + type(layer).__name__


def _inputs(model):
    """Names and shapes of what it was built with."""
    built = model.get_build_config() or {}
    shapes = list(built.get("shapes_dict", built).values())
    if len(shapes) == 1 and shapes[0] and isinstance(shapes[0][0], (list, tuple)):
        shapes = list(shapes[0])
    plain = [
        isinstance(shape, (list, tuple)) and all(n is None or isinstance(n, int) for n in shape)
        for shape in shapes
    ]
    if not shapes or not all(plain):
        raise ValueError(
            "expected a model that was built with tensors; %s was built with %r"
            % (type(model).__name__, built)
        )
    return [("input_%d" % n, [None] + list(shape)[1:]) for n, shape in enumerate(shapes)]
