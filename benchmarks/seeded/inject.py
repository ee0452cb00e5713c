"""Prelude of a faulty target: each op named in the file ``ASSAY_FAULTS`` gets one fault.

An op is faulty only where the worker calls it by its public path. Layers inside
of other layers, functions that Keras itself calls, and the helpers of Assay's
own worker stay as they are, so that exactly one op of the target is wrong.
With ``ASSAY_FAULTS_DRY`` set, what would kill the process raises instead.
"""

import ctypes
import functools
import inspect
import json
import os
import sys

import keras
import numpy as np
from keras.src import ops  # the originals: patches are on the public names only

_BACKEND = keras.backend.backend()
_ADAPTER = tuple(
    os.path.join("assay_worker", "libraries", "keras", name)
    for name in ("adapter.py", "calls.py", "invariants.py")
)
#: Layers at work inside of each other; a fault is in the outermost only.
_depth = [0]
#: Runs so far of ops whose output varies.
_runs = [0]


class WouldDie(Exception):
    """What a hard crash is in a dry run."""


def _symbolic(values):
    return any(isinstance(leaf, keras.KerasTensor) for leaf in keras.tree.flatten(values))


def _called_from(frames, *functions):
    """Is the code that many frames up one of these functions of the worker's adapter?"""
    code = sys._getframe(frames + 1).f_code
    return code.co_filename.endswith(_ADAPTER) and code.co_qualname in functions


# Gradients: the identity, with another derivative.


def _torch_identity(tensor, factor):
    import torch

    class Identity(torch.autograd.Function):
        @staticmethod
        def forward(context, value):
            return value.view_as(value)

        @staticmethod
        def backward(context, gradient):
            return gradient * factor if factor else torch.zeros_like(gradient)

    return Identity.apply(tensor)


def _tensorflow_identity(tensor, factor):
    import tensorflow

    @tensorflow.custom_gradient
    def identity(value):
        def gradient(upstream):
            upstream = tensorflow.convert_to_tensor(upstream)
            return upstream * factor if factor else tensorflow.zeros_like(upstream)

        return tensorflow.identity(value), gradient

    return identity(tensorflow.convert_to_tensor(tensor))


def _jax_identity(tensor, factor):
    import jax

    identity = jax.custom_vjp(lambda value: value)
    identity.defvjp(lambda value: (value, None), lambda kept, gradient: (gradient * factor,))
    return identity(tensor)


_IDENTITIES = {"torch": _torch_identity, "tensorflow": _tensorflow_identity, "jax": _jax_identity}


# What a fault makes of one output.


def _last(leaf):
    mask = np.zeros(int(np.prod(leaf.shape)), dtype=bool)
    mask[-1:] = True
    return ops.convert_to_tensor(mask.reshape(tuple(leaf.shape)))


def _wrong(leaf, kind):
    """The whole output as a wrong branch gives it."""
    if kind == "bool":
        return ops.logical_not(leaf)
    return leaf * 1.5 + 0.25 if kind == "float" else leaf + 1


def _scaled(leaf, kind, details):
    return leaf * (details["factor"] if kind == "float" else 2)


def _shifted(leaf, kind, details):
    return leaf + (details["shift"] if kind == "float" else 1)


def _branch(leaf, kind, details):
    if details["branch"] == "odd size":
        return _wrong(leaf, kind) if int(np.prod(leaf.shape)) % 2 else leaf
    if details["branch"] == "last element":
        return ops.where(_last(leaf), _wrong(leaf, kind), leaf)
    return ops.where(leaf < 0, _wrong(leaf, kind), leaf)  # negative results


def _nan(leaf, kind, details):
    if kind != "float":
        return leaf
    region = leaf < 0 if details["region"] == "negative" else leaf > 0.5
    return ops.where(region, ops.full_like(leaf, float("nan")), leaf)


def _varying(leaf, kind, details):
    _runs[0] += 1
    value = _runs[0] * 0.618 % 4 - 2 if kind == "float" else _runs[0] % 50
    return ops.where(_last(leaf), ops.full_like(leaf, value), leaf)


def _gradient(leaf, kind, details):
    return _IDENTITIES[_BACKEND](leaf, details["factor"]) if kind == "float" else leaf


_CHANGES = {
    "forward scaled": _scaled,
    "loss scaled": _scaled,
    "forward shifted": _shifted,
    "branch wrong": _branch,
    "nan on a region": _nan,
    "uninitialised output": _varying,
    "gradient scaled": _gradient,
    "gradient zeroed": _gradient,
    "wrong when": lambda leaf, kind, details: _wrong(leaf, kind),
    "wrong last": lambda leaf, kind, details: ops.where(_last(leaf), _wrong(leaf, kind), leaf),
}


def _changed(fault, result):
    change = _CHANGES[fault["template"]]

    def changed(leaf):
        if not hasattr(leaf, "dtype"):
            return leaf
        name = keras.backend.standardize_dtype(leaf.dtype)
        kind = "float" if "float" in name else "bool" if name == "bool" else "integer"
        if "complex" in name:
            return leaf
        return change(leaf, kind, fault["details"])

    return result if _symbolic(result) else keras.tree.map_structure(changed, result)


# Faults of a whole call.


def _die(fault, arguments):
    shapes = [tuple(leaf.shape) for leaf in keras.tree.flatten(arguments) if hasattr(leaf, "shape")]
    if _symbolic(arguments) or not shapes or shapes[0][:1] != (1,):
        return
    if os.environ.get("ASSAY_FAULTS_DRY"):
        raise WouldDie("the process would die here")
    if fault["details"]["death"] == "abort":
        os.abort()
    ctypes.string_at(0)


def _with_wrong_weight(fault, layer, call):
    """The call, with one trainable weight's gradient wrong."""
    trainable = layer.trainable_variables
    if not layer.built or not trainable:
        return call()
    chosen = trainable[fault["details"]["weight"] % len(trainable)]
    factor = fault["details"]["factor"]
    mapping = [
        (v, _IDENTITIES[_BACKEND](v.value, factor) if v is chosen else v.value)
        for v in layer.variables
    ]
    with keras.StatelessScope(state_mapping=mapping) as scope:
        result = call()
    for variable in layer.non_trainable_variables:
        value = scope.get_current_value(variable)
        if value is not None:
            variable.assign(value)
    return result


def _plain(value):
    """Comparable with what came through a JSON file."""
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else repr(value)


def _accepting(fault, call, keywords):
    """The call; with an acceptable value instead where the one given is refused."""
    details = fault["details"]
    name = details["parameter"]
    wrong = [_plain(value) for value in details.get("values", ())]
    if name not in keywords or (wrong and _plain(keywords[name]) not in wrong):
        return call(keywords)
    try:
        return call(keywords)
    except Exception:  # noqa: BLE001 - whatever the library refuses with
        sound = {key: value for key, value in keywords.items() if key != name}
        if "instead" in details:
            sound[name] = details["instead"]
        return call(sound)


def _call(fault, call, arguments, keywords, layer=None, check=None):
    """What a faulty call gives; ``call`` takes keyword arguments.

    ``check`` raises what the call must raise; without it the call itself does.
    """
    template = fault["template"]
    if template == "hard crash":
        _die(fault, (arguments, keywords))
        return call(keywords)
    if template == "weight's gradient wrong":
        return _with_wrong_weight(fault, layer, lambda: call(keywords))
    if template == "parameter ignored":
        name = fault["details"]["parameter"]
        if name in keywords:
            (check or call)(keywords)  # validated, and then forgotten
        return call({key: value for key, value in keywords.items() if key != name})
    if template == "silent acceptance":
        return _accepting(fault, call, keywords)
    if "when" in fault["details"] and not _holds(fault, keywords):
        return call(keywords)
    return _changed(fault, call(keywords))


# Where faults are put.


def _patch_function(module, name, fault):
    original = getattr(module, name)

    @functools.wraps(original)
    def patched(*arguments, **keywords):
        by_adapter = _called_from(1, "Bound.__call__", "invariants.<locals>.comparable")
        if _depth[0] or not by_adapter:
            return original(*arguments, **keywords)
        return _call(fault, lambda given: original(*arguments, **given), arguments, keywords)

    setattr(module, name, patched)


def _patch_construction(kind, fault):
    original = kind.__init__

    @functools.wraps(original)
    def patched(self, *arguments, **keywords):
        # Not what is made to be a parameter of something else.
        outermost = _called_from(1, "KerasAdapter._made") and not _called_from(
            2, "KerasAdapter._parameter"
        )
        if type(self) is not kind or not outermost:
            return original(self, *arguments, **keywords)
        return _call(
            fault,
            lambda given: original(self, *arguments, **given),
            arguments,
            keywords,
            check=lambda given: kind(*arguments, **given),
        )

    # Keras reads the arguments of a constructor in two ways, one of which knows no wrappers.
    patched.__signature__ = inspect.signature(original)
    kind.__init__ = patched


def _patch_call(kind, fault):
    original = kind.__call__

    @functools.wraps(original)
    def patched(self, *arguments, **keywords):
        if type(self) is not kind or _depth[0]:
            return original(self, *arguments, **keywords)
        layer = self if isinstance(self, keras.layers.Layer) else None
        return _call(
            fault, lambda given: original(self, *arguments, **given), arguments, keywords, layer
        )

    kind.__call__ = patched


#: Where the worker lets an optimizer take a step: alone, and with the gradients of a model.
_STEPS = ("OneStep.__call__", "KerasAdapter.update")


def _patch_step(kind, fault):
    """An optimizer's result is the variable after its step."""
    original = kind.apply

    @functools.wraps(original)
    def patched(self, *arguments, **keywords):
        if type(self) is not kind or not _called_from(1, *_STEPS):
            return original(self, *arguments, **keywords)
        gradients, variables = arguments

        def step(keywords):
            original(self, gradients, variables)
            return [variable.value for variable in variables]

        for variable, value in zip(variables, _call(fault, step, gradients, {}), strict=True):
            variable.assign(value)

    kind.apply = patched


def _holds(fault, given):
    """Have the parameters the values that make the op wrong? All of them must."""
    when = fault["details"]["when"]
    return all(
        _plain(given.get(name, setting["default"])) == _plain(setting["value"])
        for name, setting in when.items()
    )


def _patch_when(kind, fault):
    """Wrong results of objects that were made with certain parameters."""
    make, call = kind.__init__, kind.__call__

    @functools.wraps(make)
    def made(self, *arguments, **keywords):
        make(self, *arguments, **keywords)
        if type(self) is kind:
            object.__setattr__(self, "_assay_wrong", _holds(fault, keywords))

    @functools.wraps(call)
    def called(self, *arguments, **keywords):
        result = call(self, *arguments, **keywords)
        wrong = type(self) is kind and not _depth[0] and getattr(self, "_assay_wrong", False)
        return _changed(fault, result) if wrong else result

    made.__signature__ = inspect.signature(make)
    kind.__init__, kind.__call__ = made, called


def _count_depth():
    original = keras.layers.Layer.__call__

    @functools.wraps(original)
    def counted(self, *arguments, **keywords):
        if isinstance(self, keras.Model):  # what a saved layer is loaded as
            return original(self, *arguments, **keywords)
        _depth[0] += 1
        try:
            return original(self, *arguments, **keywords)
        finally:
            _depth[0] -= 1

    keras.layers.Layer.__call__ = counted


def _patch(fault):
    *path, name = fault["op"].split(".")[1:]
    module = keras
    for part in path:
        module = getattr(module, part)
    value = getattr(module, name)
    if not isinstance(value, type):
        _patch_function(module, name, fault)
    elif "when" in fault["details"]:
        _patch_when(value, fault)
    elif "parameter" in fault["details"] and not fault["details"]["of_call"]:
        _patch_construction(value, fault)
    elif issubclass(value, keras.optimizers.Optimizer):
        _patch_step(value, fault)
    else:
        _patch_call(value, fault)


with open(os.environ["ASSAY_FAULTS"]) as _file:
    _faults = json.load(_file)
if _faults:
    _count_depth()
for _fault in _faults:
    _patch(_fault)
