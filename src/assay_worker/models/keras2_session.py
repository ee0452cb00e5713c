"""A model of Keras 2 at work: one compiled function for the whole, one for each layer."""

import numpy as np

from assay_worker import recipes
from assay_worker.libraries.keras2.steps import flatten, kernels, turned
from assay_worker.models._base import Session, directions, moved
from assay_worker.models.custom import custom_objects

#: Stands before the name of a tensor for the mask that Keras carries with it.
MASK = "mask of "
#: Instances that run together.
_AT_ONCE = 256


def load(keras, request):
    """The model of a file, without compiling it. The host has looked for code in it."""
    if not request["path"].endswith((".h5", ".hdf5")):
        raise ValueError("Keras 2 loads .h5 files; received %s" % request["path"])
    custom = custom_objects(keras, request.get("custom", ()))
    if request.get("architecture"):
        model = keras.models.model_from_json(request["architecture"], custom_objects=custom)
        model.load_weights(request["path"])
        return model
    return keras.models.load_model(request["path"], custom_objects=custom, compile=False)


class Keras2Session(Session):
    """A model in a graph. A model inside the model is one layer."""

    def __init__(self, adapter, model):
        self.keras, self.engine = adapter.keras, adapter.engine
        self.backend = adapter.keras.backend
        self.model = model
        self.inputs = list(zip(model.input_names, model.inputs))
        self.names = {id(tensor): name for name, tensor in self.inputs}
        self.steps = list(self._plan())
        self.by_name = {step.name: step for step in self.steps}
        self._functions = {}

    def _plan(self):
        taken = {name for name, _ in self.inputs}
        nodes = self.model._nodes_by_depth
        for node in [node for depth in sorted(nodes, reverse=True) for node in nodes[depth]]:
            if isinstance(node.outbound_layer, self.keras.layers.InputLayer):
                continue
            name, number = node.outbound_layer.name, 1
            while name in taken:
                number += 1
                name = "%s#%d" % (node.outbound_layer.name, number)
            taken.add(name)
            for place, tensor in enumerate(node.output_tensors):
                self.names[id(tensor)] = name if place == 0 else "%s:%d" % (name, place)
            yield _Step(name, node, self.names)

    def describe(self):
        """See ``Session``. Weights are told as they lie where convolutions are correlations."""
        # Layer by layer, as Keras 3 has them: Keras 2 lists all trainable ones first.
        weights = [weight for layer in _layers(self.model) for weight in layer.weights]
        arrays = self.backend.batch_get_value(weights)
        if self.engine.flips_kernels:
            reversed_ones = {id(w) for layer in _layers(self.model) for w in kernels(layer)}
            arrays = [
                turned(array) if id(weight) in reversed_ones else array
                for weight, array in zip(weights, arrays)
            ]
        outputs = [(self.names[id(tensor)], tensor) for tensor in self.model.outputs]
        return {
            "inputs": [self._described(name, tensor) for name, tensor in self.inputs],
            "outputs": [self._described(name, tensor) for name, tensor in outputs],
            "layers": [
                {"name": step.name, "op": step.op, "inputs": step.reads, "outputs": step.writes}
                for step in self.steps
            ],
            "weights": int(sum(array.size for array in arrays)),
            "digest": recipes.digest({str(i): array for i, array in enumerate(arrays)}),
        }

    def _described(self, name, tensor):
        shape = list(self.backend.int_shape(tensor))
        return {"name": name, "shape": shape, "dtype": self.backend.dtype(tensor)}

    def _function(self, key, inputs, outputs):
        if key not in self._functions:
            self._functions[key] = self.engine.function(inputs, outputs)
        return self._functions[key]

    def reset(self):
        """See ``Session``."""
        self.model.reset_states()

    def predict(self, inputs):
        """See ``Session``."""
        tensors = [tensor for _, tensor in self.inputs]
        run = self._function("predict", tensors, self.model.outputs)
        count = inputs[0].shape[0]
        size = _AT_ONCE if self.backend.int_shape(tensors[0])[0] is None else max(1, count)
        parts = [
            run([array[start : start + size] for array in inputs])
            for start in range(0, max(1, count), size)
        ]
        return [np.concatenate(items) for items in zip(*parts)]

    def states(self, inputs):
        """See ``Session``; masks are among the tensors."""
        named = []
        for step in self.steps:
            named += zip(step.writes, step.node.output_tensors)
            named += [
                (MASK + name, mask)
                for name, mask in zip(step.writes, step.node.output_masks)
                if mask is not None
            ]
        run = self._function("states", [t for _, t in self.inputs], [t for _, t in named])
        arrays = {name: array for (name, _), array in zip(self.inputs, inputs)}
        arrays.update(zip([name for name, _ in named], run(list(inputs))))
        return arrays

    def alone(self, layer, arrays):
        """See ``Session``."""
        found = self._alone(self.by_name[layer], arrays)
        return {name: array for name, array in found.items() if not name.startswith(MASK)}

    def nudged(self, inputs, seed, factor=1.0):
        """See ``Session``."""
        generator = directions(seed)
        arrays = {
            name: moved(np.asarray(array), generator, factor)
            for (name, _), array in zip(self.inputs, inputs)
        }
        for step in self.steps:
            for name, array in self._alone(step, arrays).items():
                shown = name in step.writes
                arrays[name] = moved(array, generator, factor) if shown else array
        return [arrays[self.names[id(tensor)]] for tensor in self.model.outputs]

    def _alone(self, step, arrays):
        """A layer's outputs and their masks, given the arrays that it reads and their masks."""
        masks = [name for name in step.reads if MASK + name in arrays]
        given = [arrays[name] for name in step.reads] + [arrays[MASK + name] for name in masks]
        key = (step.name,) + tuple(masks)
        if key not in self._functions:
            self._functions[key] = self._called_again(step, masks)
        names, run = self._functions[key]
        return dict(zip(names, run(given)))

    def _called_again(self, step, masks):
        """The layer called on tensors of their own: names of its results, and a function."""
        node, layer, keywords = step.node, step.node.outbound_layer, dict(step.arguments)
        make = self.keras.layers.Input
        tensors = [
            self.engine.input(None, self._shape(t), self.backend.dtype(t), "tensor", False)
            for t in node.input_tensors
        ]
        added = [make(batch_shape=(None, None), dtype="bool") for _ in masks]
        if masks:
            by_name = dict(zip(masks, added))
            found = [by_name.get(name) for name in step.reads]
            keywords["mask"] = found if len(found) > 1 else found[0]
        listed = tensors if len(tensors) > 1 else tensors[0]
        with self.engine.building():
            results = flatten(layer(listed, **keywords))
            told = layer._inbound_nodes[-1].output_masks
        named = list(zip(step.writes, results))
        named += [(MASK + n, m) for n, m in zip(step.writes, told) if m is not None]
        run = self.engine.function(tensors + added, [tensor for _, tensor in named])
        return [name for name, _ in named], run

    def _shape(self, tensor):
        return tuple(size or 1 for size in self.backend.int_shape(tensor))


def _layers(model):
    """All layers, those of models inside the model too."""
    for layer in model.layers:
        if hasattr(layer, "_nodes_by_depth"):
            for inner in _layers(layer):
                yield inner
        else:
            yield layer


class _Step(object):
    """One call of one layer."""

    def __init__(self, name, node, names):
        self.name, self.node = name, node
        self.reads = [names[id(tensor)] for tensor in node.input_tensors]
        self.writes = [names[id(tensor)] for tensor in node.output_tensors]
        self.op = "keras.layers." + type(node.outbound_layer).__name__
        self.arguments = node.arguments or {}
