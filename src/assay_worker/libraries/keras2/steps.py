"""A node of a graph in Keras 2: how it is called, and where its weights are."""

import numpy as np

from assay_worker.libraries._base import NotOffered, at, call_arguments

#: Layers whose kernels lie reversed in their weights where the backend computes true convolutions.
CONVOLUTIONS = (
    "Conv1D",
    "Conv2D",
    "Conv3D",
    "Conv2DTranspose",
    "Conv3DTranspose",
    "ConvLSTM2DCell",
)
_KERNELS = ("kernel", "recurrent_kernel")
#: A reduction of losses that Keras 2 has only where there are no weights.
_WEIGHTED = "mean_with_sample_weight"


def flatten(value):
    """Everything in nested lists and tuples, as one list."""
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in flatten(part)]
    return [value]


def _inner(layer):
    """The layer and all layers and cells inside it."""
    found = [layer]
    for name in ("layer", "forward_layer", "backward_layer", "cell"):
        part = getattr(layer, name, None)
        if part is not None and not isinstance(part, (int, float, str)):
            found += _inner(part)
    for part in getattr(layer, "cells", ()):
        found += _inner(part)
    return found


def kernels(layer):
    """The weights of a layer that are kernels of convolutions.

    Those of depthwise and separable ones are not among them: Keras reverses these itself.
    """
    for part in _inner(layer):
        if type(part).__name__ in CONVOLUTIONS:
            for name in _KERNELS:
                weight = getattr(part, name, None)
                if weight is not None:
                    yield weight


def remembered_by(layer):
    """What stateful recurrent layers remember between calls, to be given like weights."""
    found = []
    for part in _inner(layer):
        if getattr(part, "stateful", False) and hasattr(part, "cell"):
            found += [state for state in part.states or () if state is not None]
    return found


def turned(array):
    """A kernel reversed in space, its first axes; the last two are channels."""
    return np.ascontiguousarray(array[(slice(None, None, -1),) * (array.ndim - 2)])


class Step(object):
    """A node of the graph: its tensors and weights."""

    def __init__(self, adapter, question, node):
        self.id, self.node, self.question = node["id"], node, question
        self.adapter, self.engine = adapter, adapter.engine
        self.backend = adapter.keras.backend
        with at("build", self.id):
            self.made = adapter.construct(node["op"], node["params"])
        self.layer = self.made if isinstance(self.made, adapter.keras.layers.Layer) else None
        self.trainable, self.state, self._reversed = [], [], set()

    def call(self, tensors):
        """Add the node to the graph; its output tensors."""
        positional, keywords = call_arguments(self.node, tensors)
        with at("forward", self.id), self.engine.building():
            if self.layer is None:
                result = self._function(positional, keywords)
            elif hasattr(self.layer, "state_size") and "states" in keywords:
                result = self._cell(positional, keywords)
            else:
                result = self._called(positional, keywords)
            flat = flatten(result)
            given = [id(item) for item in flatten(positional)]
            # Some hand their input on, which is no output of theirs.
            flat = [self.engine.copied(item) if id(item) in given else item for item in flat]
        with at("build", self.id):
            self._find_weights()
        return flat

    def _function(self, positional, keywords):
        if self.node["op"].startswith("keras.losses."):
            positional = [self._as_floats(item) for item in positional]
            keywords = {name: self._as_floats(item) for name, item in keywords.items()}
            if "sample_weight" in keywords and self.node["params"].get("reduction") == _WEIGHTED:
                raise NotOffered("Keras 2 does not divide a loss by the sum of the weights")
        result = self.made(*positional, **keywords)
        if self.node["op"].startswith(("keras.activations.", "keras.constraints.")):
            # For layers behind it; Theano does not know shapes.
            result._keras_shape = self.backend.int_shape(positional[0])
        return result

    def _as_floats(self, tensor):
        """A tensor as Keras 3 gives it to a loss: it casts labels and weights itself."""
        if self.backend.dtype(tensor) == "float32":
            return tensor
        found = self.backend.cast(tensor, "float32")
        found._keras_shape = self.backend.int_shape(tensor)
        return found

    def _called(self, positional, keywords):
        if len(positional) != 1:
            raise NotOffered("layers of Keras 2 take one tensor or one list of tensors")
        has = self.adapter.keras.utils.generic_utils.has_arg
        for name in keywords:
            if not has(self.layer.call, name) and not has(type(self.layer).__call__, name):
                raise NotOffered("%s: its call takes no %s in Keras 2" % (self.node["op"], name))
        # Keras 2 wants lists where it means several tensors.
        keywords = {k: list(v) if isinstance(v, tuple) else v for k, v in keywords.items()}
        if self.question.training and has(self.layer.call, "training"):
            keywords["training"] = True
        return self.layer(positional[0], **keywords)

    def _cell(self, positional, keywords):
        """Cells give nested lists, which Keras 2 cannot take through a layer's own call."""
        states = flatten(keywords["states"])
        self.layer.build(self.backend.int_shape(positional[0]))
        found = flatten(self.layer.call(positional[0], states))
        # As a layer's own call does it, for layers behind it: Theano does not know shapes.
        for tensor, like in zip(found, states[:1] + states):
            tensor._keras_shape = self.backend.int_shape(like)
        return found

    def _find_weights(self):
        if self.layer is None:
            return
        self.trainable = list(self.layer.trainable_weights)
        remembered = remembered_by(self.layer)
        if any(0 in self.backend.int_shape(state) for state in remembered):
            raise NotOffered("Keras 2 has no state of an empty batch")
        self.state = list(self.layer.non_trainable_weights) + remembered
        if self.engine.flips_kernels:
            self._reversed = {id(weight) for weight in kernels(self.layer)}

    @property
    def updates(self):
        """What a call in training changes."""
        return list(self.layer.updates) if self.layer is not None else []

    def assign(self):
        """Give every weight its array."""
        for index, weight in enumerate(self.trainable + self.state):
            shape = self.backend.int_shape(weight)
            array = self.question.weight(self.id, index, weight.name, shape, "float32")
            self.backend.set_value(weight, self.turned(weight, array))

    def turned(self, weight, array):
        """An array of a weight, or of its gradient, from our layout to the backend's or back."""
        return turned(array) if id(weight) in self._reversed else array

    def states(self):
        """Values of what is not trained, by index.

        Without the moving variance: Keras 2 corrects it by n / (n - 1 - epsilon), and not on
        CNTK; Keras 3 does not.
        """
        for index, weight in enumerate(self.state):
            if "moving_variance" not in weight.name:
                yield index, np.array(self.backend.get_value(weight))
