"""Prelude of a faulty native target: each op named in ``ASSAY_FAULTS`` gets one fault.

The public name is replaced, nothing else: what the library calls inside of itself stays as
it is, and a script that is run with this prelude meets the fault as the worker does.
With ``ASSAY_FAULTS_DRY`` set, what would kill the process raises instead.
"""

import ctypes
import functools
import importlib
import json
import os

import numpy as np

_runs = [0]


class WouldDie(Exception):
    """What a hard crash is in a dry run."""


class Torch:
    """What a fault is made of, in PyTorch."""

    module = "torch"

    def __init__(self):
        import torch

        self._torch, self.where = torch, torch.where
        self.full_like, self.logical_not = torch.full_like, torch.logical_not

    def kind(self, leaf):
        if not isinstance(leaf, self._torch.Tensor):
            return ""
        if leaf.dtype == self._torch.bool:
            return "bool"
        return "float" if leaf.is_floating_point() else "integer"

    def tensor(self, array):
        return self._torch.tensor(array)

    def identity(self, tensor, factor):
        torch = self._torch

        class Identity(torch.autograd.Function):
            @staticmethod
            def forward(context, value):
                return value.view_as(value)

            @staticmethod
            def backward(context, gradient):
                return gradient * factor if factor else torch.zeros_like(gradient)

        return Identity.apply(tensor)


class TensorFlow:
    """The same in TensorFlow."""

    module = "tensorflow"

    def __init__(self):
        import tensorflow

        self._tensorflow, self.where = tensorflow, tensorflow.where
        self.logical_not = tensorflow.logical_not

    def full_like(self, leaf, value):
        return self._tensorflow.cast(self._tensorflow.fill(leaf.shape, value), leaf.dtype)

    def kind(self, leaf):
        if not self._tensorflow.is_tensor(leaf):
            return ""
        if leaf.dtype == self._tensorflow.bool:
            return "bool"
        return "float" if leaf.dtype.is_floating else "integer"

    def tensor(self, array):
        return self._tensorflow.constant(array)

    def identity(self, tensor, factor):
        tensorflow = self._tensorflow

        @tensorflow.custom_gradient
        def identity(value):
            def gradient(upstream):
                upstream = tensorflow.convert_to_tensor(upstream)
                return upstream * factor if factor else tensorflow.zeros_like(upstream)

            return tensorflow.identity(value), gradient

        return identity(tensor)


class Jax:
    """The same in JAX."""

    module = "jax"

    def __init__(self):
        import jax
        import jax.nn
        import jax.numpy
        import jax.scipy.special

        self._jax, self.where = jax, jax.numpy.where
        self.full_like, self.logical_not = jax.numpy.full_like, jax.numpy.logical_not

    def kind(self, leaf):
        if not hasattr(leaf, "dtype"):
            return ""
        kind = np.dtype(leaf.dtype).kind
        return {"f": "float", "b": "bool"}.get(kind, "integer")

    def tensor(self, array):
        return self._jax.numpy.array(array)

    def identity(self, tensor, factor):
        identity = self._jax.custom_vjp(lambda value: value)
        identity.defvjp(lambda value: (value, None), lambda kept, gradient: (gradient * factor,))
        return identity(tensor)


_LIBRARIES = {"torch": Torch, "tf": TensorFlow, "jax": Jax}


class Fault:
    """One fault at work."""

    def __init__(self, library, fault):
        self._library = library
        self._template, self._details = fault["template"], fault["details"]

    def call(self, original, arguments, keywords):
        """What the faulty op gives."""
        if self._template == "hard crash":
            self._die(arguments)
        if self._template == "parameter ignored":
            name = self._details["parameter"]
            original(*arguments, **keywords)  # validated, and then forgotten
            keywords = {key: value for key, value in keywords.items() if key != name}
        result = original(*arguments, **keywords)
        if isinstance(result, (list, tuple)):
            return type(result)([self._changed(leaf) for leaf in result])
        return self._changed(result)

    def _die(self, arguments):
        flat = [leaf for item in arguments for leaf in (item if isinstance(item, list) else [item])]
        if not flat or tuple(flat[0].shape)[:1] != (1,):
            return
        if os.environ.get("ASSAY_FAULTS_DRY"):
            raise WouldDie("the process would die here")
        if self._details["death"] == "abort":
            os.abort()
        ctypes.string_at(0)

    def _last(self, leaf):
        mask = np.zeros(int(np.prod(leaf.shape)), dtype=bool)
        mask[-1:] = True
        return self._library.tensor(mask.reshape(tuple(leaf.shape)))

    def _wrong(self, leaf, kind):
        if kind == "bool":
            return self._library.logical_not(leaf)
        return leaf * 1.5 + 0.25 if kind == "float" else leaf + 1

    def _changed(self, leaf):
        kind, where = self._library.kind(leaf), self._library.where
        details, template = self._details, self._template
        if not kind:
            return leaf
        if template == "forward scaled" and kind != "bool":
            return leaf * (details["factor"] if kind == "float" else 2)
        if template == "forward shifted" and kind != "bool":
            return leaf + (details["shift"] if kind == "float" else 1)
        if template == "branch wrong":
            if details["branch"] == "odd size":
                return self._wrong(leaf, kind) if int(np.prod(leaf.shape)) % 2 else leaf
            if details["branch"] == "last element":
                return where(self._last(leaf), self._wrong(leaf, kind), leaf)
            return where(leaf < 0, self._wrong(leaf, kind), leaf)
        if template == "nan on a region" and kind == "float":
            region = leaf < 0 if details["region"] == "negative" else leaf > 0.5
            return where(region, self._library.full_like(leaf, float("nan")), leaf)
        if template == "uninitialised output" and kind != "bool":
            _runs[0] += 1
            value = _runs[0] * 0.618 % 4 - 2 if kind == "float" else _runs[0] % 50
            return where(self._last(leaf), self._library.full_like(leaf, value), leaf)
        if template.startswith("gradient") and kind == "float":
            return self._library.identity(leaf, details["factor"])
        return leaf


def _at_the_call(made, faulty, fault):
    """The class of a module, which forgets a parameter when it is made, if that is the fault."""
    if fault["template"] != "parameter ignored":
        return made
    original = made.__init__

    @functools.wraps(original)
    def patched(self, *arguments, **keywords):
        original(self, *arguments, **keywords)
        keywords.pop(fault["details"]["parameter"], None)
        original(self, *arguments, **keywords)

    made.__init__ = patched
    return made


def _patch(fault):
    root, _, path = fault["op"].partition(".")
    library = _LIBRARIES[root]()
    *modules, name = path.split(".")
    module = importlib.import_module(library.module)
    for part in modules:
        module = getattr(module, part)
    original, faulty = getattr(module, name), Fault(library, fault)
    if isinstance(original, type):
        module, name = _at_the_call(original, faulty, fault), "forward"
        original = module.forward

    @functools.wraps(original)
    def patched(*arguments, **keywords):
        return faulty.call(original, arguments, keywords)

    setattr(module, name, patched)


with open(os.environ["ASSAY_FAULTS"]) as _file:
    for _fault in json.load(_file):
        _patch(_fault)
