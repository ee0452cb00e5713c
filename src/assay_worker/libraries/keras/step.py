"""A node of a Keras graph at work."""

import inspect

from assay_worker.eager import flatten
from assay_worker.libraries._base import at, call_arguments
from assay_worker.libraries.keras import random

#: Layers whose initial weights are what they mean (windows and Fourier kernels): left as they are,
#: also by scripts.
CONSTANT_WEIGHTS = ("keras.layers.STFTSpectrogram",)


class Step(object):
    """A node at work: its callable, built and with its weights assigned."""

    def __init__(self, adapter, question, node):
        self.id = node["id"]
        self.node = node
        self.question = question
        self._keras = adapter.keras
        self._placed = adapter.engine.placed
        with at("build", self.id):
            self.function = adapter.construct(node["op"], node["params"])
        self.keywords = {}
        self.weights = None  # unknown until built
        self.draws = isinstance(self.function, random.Draws)
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
            weights = [] if self.node["op"] in CONSTANT_WEIGHTS else list(weights)
            weights += _recurrent_states(layer)
            self.weights = [w for w in weights if "float" in str(w.dtype)]
            self.trainable = [w for w in self.weights if w.trainable]
            self.state = [w for w in self.weights if not w.trainable]
        self.assign()

    def assign(self):
        """Our weights, whatever a call has made of them."""
        for index, weight in enumerate(self.weights):
            name = getattr(weight, "path", weight.name)
            shape = tuple(weight.shape)
            value = self.question.weight(self.id, index, name, shape, "float32")
            weight.assign(self._placed(value))

    def called_with(self, weights, positional, keywords):
        """The result with these trainable weights, and the state after it; a pure function."""
        mapping = list(zip(self.trainable, weights))
        with self._keras.StatelessScope(state_mapping=mapping) as scope:
            result = self.function(*positional, **keywords)
            state = [scope.get_current_value(weight) for weight in self.state]
        return result, [w.value if v is None else v for w, v in zip(self.state, state)]

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
