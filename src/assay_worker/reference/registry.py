"""Which function says what an op means, and how a call reaches it.

A function is registered with ``@reference(path, ...)`` and has the op's own
signature: the positional arguments of the call first, then every parameter it
knows, with the documented default::

    @reference("keras.layers.Dense", weights=dense_weights)
    def dense(call, x, units, activation=None, use_bias=True): ...

A parameter it does not declare is not silently ignored: the op is then
``Unsupported``. If the first parameter is named ``call``, it receives the
``Call``: weights by name, the training flag, and where to put new state.

``weights`` is a function of the same arguments (by name; take ``**others`` for
the rest) that gives the layer's float weights in the library's order.

Arrays arrive as float64, integers and booleans included, unless the op is
registered with ``integers=True``: then those keep their dtype.
"""

import collections
import functools
import inspect

import numpy as np

#: One weight of a layer. The name decides how it is drawn (see ``weight_recipe``).
Weight = collections.namedtuple("Weight", ["name", "shape", "trainable"])
Weight.__new__.__defaults__ = (True,)

_Entry = collections.namedtuple(
    "_Entry", ["op", "function", "parameters", "defaults", "wants_call", "weights", "integers"]
)

_REGISTRY = {}

#: Parameters of any layer or loss object that do not change what it computes:
#: weights are assigned, so initializers do not matter; regularizers and
#: constraints act on training loops.
_WITHOUT_EFFECT = ("name", "trainable", "autocast", "synchronized")
_WITHOUT_EFFECT_ENDINGS = ("_initializer", "_regularizer", "_constraint")
_FLOAT_DTYPES = (
    None,
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "mixed_float16",
    "mixed_bfloat16",
)


class Unsupported(Exception):
    """The reference makes no claim: it does not know the op or a parameter of it."""


class Undocumented(Unsupported):
    """The documentation leaves the result open: whatever a library gives is right."""


# The names that a trace carries; hosts tell "no reference" from "raises" by them.
Unsupported.__module__ = Undocumented.__module__ = "assay_worker.reference"


def reference(*paths, **options):
    """Register a function under the paths of ops with the same meaning.

    Options ``weights`` and ``integers`` are described above; any other is an
    argument fixed for these paths (``rank=2``), unknown to callers.
    """
    weights = options.pop("weights", None)
    integers = options.pop("integers", False)

    def register(function):
        described = list(inspect.signature(function).parameters.values())
        wants_call = bool(described) and described[0].name == "call"
        described = [p for p in described[1 if wants_call else 0 :] if p.name not in options]
        names = tuple(p.name for p in described)
        defaults = {p.name: p.default for p in described if p.default is not p.empty}
        bound = functools.partial(function, **options) if options else function
        weight_function = functools.partial(weights, **options) if weights and options else weights
        for path in paths:
            if path in _REGISTRY:
                raise ValueError("%s has two references" % path)
            _REGISTRY[path] = _Entry(
                path, bound, names, defaults, wants_call, weight_function, integers
            )
        return function

    return register


def names():
    """The paths of all ops that have a reference."""
    return tuple(sorted(_REGISTRY))


class Call(object):
    """What a function may need beside its arguments.

    ``weights``: arrays by name. ``training``: is this a training call?
    ``state``: put new values of non-trainable weights here, by name.
    """

    def __init__(self, weights, training):
        self.weights = weights
        self.training = training
        self.state = {}

    def activate(self, activation, x):
        """``x`` after an activation: None, a name, or an op given as a parameter."""
        if activation is None:
            return x
        if isinstance(activation, str):
            activation = Operation("keras.activations." + activation, {})
        return activation.run((x,), {}, {}, self.training)[0]


class Operation(object):
    """An op with its parameters: what a node, or a nested op parameter, stands for."""

    def __init__(self, op, params):
        if op not in _REGISTRY:
            raise Unsupported("the reference does not know %s" % op)
        self._entry = _REGISTRY[op]
        self.op = op
        self.params = {key: _parameter(value) for key, value in params.items()}
        known = self._entry.parameters
        self._given = {
            key: value
            for key, value in self.params.items()
            if key in known or not self._idle(key, value)
        }

    def _idle(self, name, value):
        """Has this parameter no effect on what the op computes?"""
        if not self.op.rpartition(".")[2][:1].isupper():
            return False
        if name == "dtype":
            return value in _FLOAT_DTYPES  # a precision, not a meaning
        return name in _WITHOUT_EFFECT or name.endswith(_WITHOUT_EFFECT_ENDINGS)

    def _arguments(self, positional, keywords):
        entry = self._entry
        if len(positional) > len(entry.parameters):
            raise TypeError(
                "%s takes at most %d arguments; received %d"
                % (self.op, len(entry.parameters), len(positional))
            )
        values = dict(entry.defaults)
        values.update(self._given)
        values.update(keywords)
        values.update(zip(entry.parameters, positional))
        for name in values:
            if name not in entry.parameters:
                raise Unsupported("reference does not know parameter %s of %s" % (name, self.op))
        for name in entry.parameters:
            if name not in values:
                raise TypeError("%s needs the parameter %s" % (self.op, name))
        if not entry.integers:
            values = {name: _floating(value) for name, value in values.items()}
        return values

    def weights(self, positional, keywords):
        """The float weights this op has when called on these arguments, in the library's order."""
        if self._entry.weights is None:
            return ()
        return tuple(self._entry.weights(**self._arguments(positional, keywords)))

    def run(self, positional, keywords, weights, training):
        """The result of the call, and new state by weight name."""
        values = self._arguments(positional, keywords)
        if not self._entry.wants_call:
            return self._entry.function(**values), {}
        call = Call(weights, training)
        return self._entry.function(call, **values), call.state


def _parameter(value):
    """A parameter from plain data: nested ops made, lists as tuples."""
    if isinstance(value, dict):
        if "$op" in value:
            return Operation(value["$op"], value.get("params", {}))
        return {key: _parameter(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(_parameter(item) for item in value)
    return value


def _floating(value):
    if isinstance(value, np.ndarray) and value.dtype.kind in "iub":
        return value.astype("float64")
    if isinstance(value, list):  # a list argument; parameters are tuples
        return [_floating(item) for item in value]
    return value
