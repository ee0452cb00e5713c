"""A Keras model on one of Keras' backends: eager, layer by layer where asked."""

import collections
import contextlib
import inspect

import numpy as np

from assay_worker import recipes
from assay_worker.models import keras_plan
from assay_worker.models._base import Session, directions, moved
from assay_worker.models.custom import custom_objects

#: Stands before the name of a tensor for the mask that Keras carries with it.
MASK = "mask of "
#: Bytes that the outputs of all layers may take together.
_AT_ONCE_BYTES = 512 << 20
#: The distance from one to the next number, of types that travel as another.
_EPSILON = {"bfloat16": 2.0**-7}
#: Endings of parameters that do not change what a layer computes from given weights.
_WITHOUT_MEANING = (
    "name",
    "dtype",
    "trainable",
    "seed",
    "_initializer",
    "_regularizer",
    "_constraint",
    "quantization_config",
    # What an attention layer was built for; it is in the inputs.
    "query_shape",
    "key_shape",
    "value_shape",
)


def load(keras, request):
    """The model of a file, without compiling it and without running code from it."""
    safe = not request["trust"]
    custom = custom_objects(keras, request.get("custom", ()))
    if request.get("architecture"):
        model = keras.models.model_from_json(request["architecture"], custom_objects=custom)
        model.load_weights(request["path"])
        return model
    return keras.models.load_model(
        request["path"], custom_objects=custom, compile=False, safe_mode=safe
    )


class KerasSession(Session):
    """A model that runs eagerly."""

    def __init__(self, adapter, model):
        self.keras = adapter.keras
        self.backend = adapter.backend
        self.model = model
        self.input_names, self.steps, self.output_names = keras_plan.plan(self.keras, model)
        self.by_name = {step.name: step for step in self.steps}
        self._at_once = None

    def describe(self):
        """See ``Session``."""
        inner = keras_plan.functional(self.model)
        dtype_of = self.keras.backend.standardize_dtype
        weights = [self.keras.ops.convert_to_numpy(weight) for weight in self.model.weights]
        return {
            "inputs": [
                {"name": tensor.name, "shape": list(tensor.shape), "dtype": dtype_of(tensor.dtype)}
                for tensor in inner.inputs
            ],
            "outputs": [
                {"name": name, "shape": list(tensor.shape), "dtype": dtype_of(tensor.dtype)}
                for name, tensor in zip(self.output_names, inner.outputs)
            ],
            "layers": [
                {
                    "name": step.name,
                    "op": step.op,
                    "inputs": list(step.inputs),
                    "outputs": list(step.outputs),
                }
                for step in self.steps
            ],
            "weights": int(sum(weight.size for weight in weights)),
            "digest": recipes.digest({str(i): w for i, w in enumerate(weights)}),
        }

    def stored(self):
        """See ``Session``."""
        convert = self.keras.ops.convert_to_numpy
        return ((weight.path, convert(weight)) for weight in self.model.weights)

    def reset(self):
        """See ``Session``; generators of random numbers go on, which shows that they are used."""
        for layer in self.model._flatten_layers():
            if getattr(layer, "stateful", False) and hasattr(layer, "reset_state"):
                layer.reset_state()

    @contextlib.contextmanager
    def inference(self):
        """No gradients are recorded inside."""
        if self.backend != "torch":
            yield
            return
        import torch

        with torch.no_grad():
            yield

    def packed(self, tensors):
        """Flat inputs in the structure that the model takes."""
        struct = getattr(keras_plan.functional(self.model), "_inputs_struct", None)
        if struct is None:
            return tensors if len(tensors) > 1 else tensors[0]
        return self.keras.tree.pack_sequence_as(struct, tensors)

    def predict(self, inputs):
        """See ``Session``. Keras keeps all layers' outputs until the end: few instances at once."""
        if self._at_once is None:
            self._at_once = self._fitting()
        count, size = _instances(inputs), self._at_once
        if count <= size:
            return self._predict(inputs)
        parts = [
            self._predict([array[start : start + size] for array in inputs])
            for start in range(0, count, size)
        ]
        return [np.concatenate(items) for items in zip(*parts)]

    def _predict(self, inputs):
        with self.inference():
            tensors = [self.keras.ops.convert_to_tensor(array) for array in inputs]
            result = self.model(self.packed(tensors), training=False)
            return [self._numpy(item) for item in self.keras.tree.flatten(result)]

    def _fitting(self):
        """How many instances may run together: a power of two, so that few shapes are compiled.

        A model with a fixed or missing batch axis somewhere runs as it is asked.
        """
        inner = keras_plan.functional(self.model)
        outer = list(inner.inputs) + list(inner.outputs)
        if any(not tensor.shape or tensor.shape[0] is not None for tensor in outer):
            return float("inf")
        tensors = [tensor for step in self.steps for tensor in step.node.outputs]
        sizes = [np.prod([size or 1 for size in tensor.shape[1:]]) for tensor in tensors]
        fitting = _AT_ONCE_BYTES / max(1.0, 4.0 * float(np.sum(sizes)))
        return 2 ** max(0, int(np.log2(max(1.0, fitting))))

    def nudged(self, inputs, seed, factor=1.0):
        """See ``Session``."""
        generator = directions(seed)
        with self.inference():
            given = [self._moved(t, generator, factor) for t in self._as_model_does(inputs)]
            tensors = dict(zip(self.input_names, given))
            for step in self.forgetting(tensors):
                result = self.keras.tree.flatten(step.call(tensors))
                for name, tensor in zip(step.outputs, result):
                    tensors[name] = self._moved(tensor, generator, factor)
            return [self._numpy(tensors[name]) for name in self.output_names]

    def forgetting(self, tensors):
        """The steps in turn; after each, what neither a later one reads nor the model gives is
        dropped from ``tensors``: all layers' outputs together may be gigabytes.
        """
        left = collections.Counter(name for step in self.steps for name in step.inputs)
        left.update(self.output_names)
        for step in self.steps:
            yield step
            for name in step.inputs:
                left[name] -= 1
                if not left[name]:
                    del tensors[name]

    def _moved(self, tensor, generator, factor):
        dtype = self.keras.backend.standardize_dtype(tensor.dtype)
        if generator is None or "float" not in dtype:
            return tensor
        array = moved(self._numpy(tensor), generator, factor, _EPSILON.get(dtype))
        changed = self.keras.ops.convert_to_tensor(array, dtype=dtype)
        mask = getattr(tensor, "_keras_mask", None)
        if mask is not None:
            changed._keras_mask = mask
        return changed

    def states(self, inputs):
        """See ``Session``; masks are among the tensors."""
        with self.inference():
            tensors, arrays = {}, {}
            for name, array in zip(self.input_names, self._as_model_does(inputs)):
                tensors[name] = array
                arrays[name] = self._numpy(array)
            for step in self.steps:
                result = self.keras.tree.flatten(step.call(tensors))
                for name, tensor in zip(step.outputs, result):
                    tensors[name] = tensor
                    arrays[name] = self._numpy(tensor)
                    mask = getattr(tensor, "_keras_mask", None)
                    if mask is not None:
                        arrays[MASK + name] = self._numpy(mask)
        return arrays

    def seen(self, inputs):
        """See ``Session``. Each layer's node gets somebody who watches in the layer's place."""
        read, gave = {}, {}

        def copied(tensor):
            # What torch gives shares its memory, which a later layer may overwrite.
            return np.array(self._numpy(tensor))

        def watching(step):
            def note_read(tensors):
                read[step.name] = [copied(tensor) for tensor in tensors]

            def note_given(tensors):
                gave.update(zip(step.outputs, [copied(tensor) for tensor in tensors]))

            return keras_plan.Watcher(self.keras, step, note_read, note_given)

        try:
            for step in self.steps:
                step.node.operation = watching(step)
            outputs = [np.array(array) for array in self._predict(inputs)]
        finally:
            for step in self.steps:
                step.node.operation = step.operation
        return {"read": read, "gave": gave, "outputs": outputs}

    def alone(self, layer, arrays):
        """See ``Session``."""
        step = self.by_name[layer]
        with self.inference():
            tensors = {}
            for name in step.inputs:
                tensor = self.keras.ops.convert_to_tensor(arrays[name])
                if MASK + name in arrays:
                    tensor._keras_mask = self.keras.ops.convert_to_tensor(arrays[MASK + name])
                tensors[name] = tensor
            result = self.keras.tree.flatten(step.call(tensors))
            return {name: self._numpy(t) for name, t in zip(step.outputs, result)}

    def layer(self, layer):
        """See ``Session``."""
        step = self.by_name[layer]
        positional = step.node.arguments.args
        listed = len(positional) == 1 and isinstance(positional[0], (list, tuple))
        given = list(positional[0]) if listed else list(positional)
        if not hasattr(step.operation, "get_build_config") or len(step.inputs) != len(given):
            return {}
        params = self._params(type(step.operation), step.operation.get_config())
        for name, value in step.node.arguments.kwargs.items():
            if name == "training" or value is None:
                continue
            if not isinstance(value, bool) or params is None:
                return {}
            params[name] = value
        if params is None:
            return {}
        weights = [self._numpy(weight) for weight in step.operation.weights]
        return {
            "op": step.op,
            "params": params,
            "weights": [array for array in weights if array.dtype.kind == "f"],
            "listed": listed,
        }

    def facts(self, layer):
        """See ``Session``: the configuration, without what is left at None."""
        return self.told_of(self.by_name[layer].operation)

    def told_of(self, operation):
        """Configuration and weights of a layer or another operation."""
        config = operation.get_config() if hasattr(operation, "get_config") else {}
        told = {name: item for name, item in config.items() if item is not None}
        weights = getattr(operation, "weights", [])
        return told, [(weight.path, self._numpy(weight)) for weight in weights]

    def _params(self, kind, config):
        """What a configuration says that is not said by default; None if it is not that plain."""
        known = inspect.signature(kind.__init__).parameters
        params = {}
        for name, value in config.items():
            default = known[name].default if name in known else None
            idle = value == default or (name not in known and value is False)
            if name.endswith(_WITHOUT_MEANING) or idle:
                continue
            if isinstance(value, dict):
                inner = getattr(self.keras.layers, str(value.get("class_name")), None)
                found = None if inner is None else self._params(inner, value.get("config", {}))
                if found is None:
                    return None
                value = {"$op": "keras.layers." + inner.__name__, "params": found}
            params[name] = value
        return params

    def _as_model_does(self, inputs):
        """Inputs converted to the dtypes and ranks of the model, by Keras' own rule."""
        tensors = [self.keras.ops.convert_to_tensor(array) for array in inputs]
        inner = keras_plan.functional(self.model)
        dtypes = [self.keras.backend.standardize_dtype(item.dtype) for item in inner.inputs]
        return [self.keras.ops.cast(t, dtype) for t, dtype in zip(tensors, dtypes)]

    def _numpy(self, tensor):
        array = np.asarray(self.keras.ops.convert_to_numpy(tensor))
        # Types that NumPy lacks (bfloat16) travel as float32, which holds them exactly.
        return array.astype("float32") if array.dtype.kind == "V" else array


def _instances(inputs):
    """How many instances the arrays have; 1 where they do not say the same."""
    counts = {array.shape[0] if array.ndim else 0 for array in inputs}
    return counts.pop() if len(counts) == 1 else 1
