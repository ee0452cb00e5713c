"""Prelude of a target with faults of rules: what ``ASSAY_FAULTS`` names is wrong in one way.

All faults are active at once. Each fault that changes an answer of a call, of which the rule's
second program is to be had, says so once, in the file ``ASSAY_FAULTS_FIRED``: its rule, its API,
and the API that was asked when it did.
"""

import functools
import importlib
import json
import os

import numpy as np

from assay_worker import rewriting
from assay_worker.libraries import _base

#: The call that is asked, what is remembered of its first run, by what is patched, and the faults
#: that changed something.
_asked = {"api": "", "first": {}, "changed": set()}
_told = set()


def _remember(original):
    @functools.wraps(original)
    def patched(self, case):
        original(self, case)
        _asked.update(api=case["graph"]["nodes"][-1]["op"], first={}, changed=set())

    return patched


def _tell(original):
    @functools.wraps(original)
    def patched(self, inputs, record):
        try:
            return original(self, inputs, record)
        except _base.StageFailure as failure:
            if isinstance(failure.original, _base.NotOffered):
                _asked["changed"].clear()
            raise
        finally:
            new = _asked["changed"] - _told
            _told.update(new)
            with open(os.environ["ASSAY_FAULTS_FIRED"], "a") as file:
                file.writelines(json.dumps(told) + "\n" for told in sorted(new))

    return patched


_base.Question.__init__ = _remember(_base.Question.__init__)
rewriting.Rewritten.__call__ = _tell(rewriting.Rewritten.__call__)


class Torch:
    """What a fault is made of, in PyTorch."""

    def __init__(self):
        import torch

        self.own, self.where, self.abs = torch, torch.where, torch.abs

    def is_tensor(self, leaf):
        return isinstance(leaf, self.own.Tensor)

    def kind(self, leaf):
        if leaf.dtype == self.own.bool:
            return "b"
        return "c" if leaf.is_complex() else "f" if leaf.is_floating_point() else "i"

    def constant(self, array):
        return self.own.tensor(array)

    def real(self, leaf):
        return leaf.real

    def rolled(self, leaf):
        return self.own.roll(leaf, 1, -1)

    def recast(self, leaf):
        narrow = leaf.dtype in (self.own.float64, self.own.complex128) or self.kind(leaf) in "ib"
        if self.kind(leaf) == "c":
            return leaf.to(self.own.complex64 if narrow else self.own.complex128)
        return leaf.to(self.own.float32 if narrow else self.own.float64)

    def traced(self, tensors):
        torch = self.own
        symbolic = torch._subclasses.FakeTensor
        return (
            torch.jit.is_tracing()
            or torch.compiler.is_exporting()
            or any(isinstance(item, symbolic) for item in tensors)
        )

    def symbolic(self, tensors):
        return any(isinstance(item, self.own._subclasses.FakeTensor) for item in tensors)

    def batched(self, tensors):
        return any(self.own._C._functorch.is_batchedtensor(item) for item in tensors)

    def strided(self, tensors):
        return any(item.layout == self.own.strided and not item.is_contiguous() for item in tensors)

    def channels_last(self, tensors):
        formats = {4: self.own.channels_last, 5: self.own.channels_last_3d}
        return any(
            item.dim() in formats
            and not item.is_contiguous()
            and item.is_contiguous(memory_format=formats[item.dim()])
            for item in tensors
        )

    def sparse(self, tensors):
        return any(item.layout != self.own.strided for item in tensors)

    def dense(self, leaf):
        return leaf if leaf.layout == self.own.strided else leaf.to_dense()

    def write(self, target, value):
        with self.own.no_grad():
            target.copy_(value)

    def forward_mode(self, leaf, changed):
        class Wrong(self.own.autograd.Function):
            @staticmethod
            def forward(value):
                return value.view_as(value)

            @staticmethod
            def setup_context(context, inputs, output):
                pass

            @staticmethod
            def backward(context, gradient):
                return gradient

            @staticmethod
            def jvp(context, tangent):
                return changed(tangent).view_as(tangent)

        return Wrong.apply(leaf)


class TensorFlow:
    """The same in TensorFlow."""

    def __init__(self):
        import tensorflow

        self.own, self.where, self.abs = tensorflow, tensorflow.where, tensorflow.abs
        self.constant, self.real = tensorflow.constant, tensorflow.math.real

    def is_tensor(self, leaf):
        return isinstance(leaf, self.own.Tensor)

    def kind(self, leaf):
        dtype = leaf.dtype
        if dtype == self.own.bool:
            return "b"
        return (
            "c"
            if dtype.is_complex
            else "f"
            if dtype.is_floating
            else ("i" if dtype.is_integer else "")
        )

    def rolled(self, leaf):
        return self.own.roll(leaf, 1, -1)

    def recast(self, leaf):
        tf = self.own
        if self.kind(leaf) == "c":
            return tf.cast(leaf, tf.complex64 if leaf.dtype == tf.complex128 else tf.complex128)
        narrow = leaf.dtype == tf.float64 or self.kind(leaf) in "ib"
        return tf.cast(leaf, tf.float32 if narrow else tf.float64)

    def traced(self, tensors):
        return not self.own.executing_eagerly()

    symbolic = traced

    def dense(self, leaf):
        return leaf

    def sparse(self, tensors):
        return False  # other functions take them

    def forward_mode(self, leaf, changed):
        tf = self.own

        @tf.custom_gradient
        def wrong(value):
            def gradient(upstream):
                moved = changed(upstream)
                # The same number, that depends otherwise on what forward mode differentiates by.
                return moved - tf.stop_gradient(moved) + tf.stop_gradient(upstream)

            return tf.identity(value), gradient

        return wrong(leaf)


class Jax:
    """The same in JAX."""

    def __init__(self):
        import jax

        self.own, self.where, self.abs = jax, jax.numpy.where, jax.numpy.abs
        self.constant, self.real = jax.numpy.array, jax.numpy.real

    def is_tensor(self, leaf):
        return isinstance(leaf, self.own.Array)

    def kind(self, leaf):
        numpy = self.own.numpy
        for letter, group in (("f", numpy.floating), ("c", numpy.complexfloating),
                              ("b", numpy.bool_)):  # fmt: skip
            if numpy.issubdtype(leaf.dtype, group):
                return letter
        return "i" if numpy.issubdtype(leaf.dtype, numpy.integer) else ""

    def rolled(self, leaf):
        return self.own.numpy.roll(leaf, 1, -1)

    def recast(self, leaf):
        # Float64 is not to be had by default.
        return leaf.astype("float16" if self.kind(leaf) != "c" else "float32")

    def traced(self, tensors):
        return not self.own.core.trace_ctx.is_top_level()

    symbolic = traced

    def batched(self, tensors):
        return any("BatchTracer" in type(item).__name__ for item in tensors)

    def interpreted(self, tensors):
        return bool(self.own.config.jax_disable_jit)

    def sparse(self, tensors):
        # Of what is stored there is one axis; functions of matrices are traced.
        traced = any(isinstance(item, self.own.core.Tracer) for item in tensors)
        return traced or any(item.ndim == 1 for item in tensors)

    def dense(self, leaf):
        return leaf

    def forward_mode(self, leaf, changed):
        jax = self.own

        @jax.custom_jvp
        def wrong(value):
            return value

        @wrong.defjvp
        def slope(primals, tangents):
            (value,), (tangent,) = primals, tangents
            # Reverse mode is its transpose, which is traced.
            traced = isinstance(tangent, jax.core.Tracer)
            return value, tangent if traced else changed(tangent)

        return wrong(leaf)


class Keras:
    """The same in Keras, on its backend."""

    def __new__(cls):
        import keras

        made = {"torch": Torch, "tensorflow": TensorFlow, "jax": Jax}[keras.backend.backend()]()
        made.keras = keras
        return made


LIBRARIES = {"torch": Torch, "tensorflow": TensorFlow, "jax": Jax, "keras": Keras}


class Effect:
    """What is wrong with a result."""

    def __init__(self, library, fault):
        self.library, self.name, self.size = library, fault["effect"], fault["size"]
        self.fault = fault

    def __call__(self, value, arguments=()):
        """The value, changed where it is a number."""
        if type(value).__name__ == "PackedSequence":
            return value._replace(data=self(value.data, arguments))
        if isinstance(value, dict):
            return {key: self(item, arguments) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            parts = [self(item, arguments) for item in value]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        if type(value).__name__ == "KerasTensor":
            return self._announced(value)
        if not self.library.is_tensor(value):
            return value
        dense = self.library.dense(value)
        changed = self._changed(dense, arguments)
        if changed is dense or not _differs(dense, changed):
            return value
        _note(self.fault)
        return changed

    def _announced(self, value):
        if self.name not in ("dtype", "rank"):
            return value
        _note(self.fault)
        if self.name == "rank":
            return type(value)((1,) + tuple(value.shape), value.dtype)
        return type(value)(value.shape, "float16" if value.dtype != "float16" else "float32")

    def _changed(self, leaf, arguments):
        library, kind, name = self.library, self.library.kind(leaf), self.name
        shape = tuple(leaf.shape)
        if not kind or None in shape and name not in ("dtype", "rank"):
            return leaf
        if name == "dtype":
            return library.recast(leaf)
        if name == "rank":
            return leaf[None]
        if name == "rolled":
            return library.rolled(leaf) if shape and shape[-1] > 1 else leaf
        if name == "shifted":
            return leaf + self.size if kind == "f" else leaf
        if kind == "b":
            wrong = leaf == library.constant(np.zeros((), bool))
        else:
            wrong = leaf + 1 if kind == "i" else leaf * (1 + self.size)
        where = self._where(leaf, kind, shape, arguments)
        if where is None or where is False:
            return leaf
        return wrong if where is True else library.where(where, wrong, leaf)

    def _where(self, leaf, kind, shape, arguments):
        """True for everywhere; a mask; False or None for nowhere."""
        library, name = self.library, self.name
        count = int(np.prod(shape))
        members = shape[0] if shape else 0
        places = np.arange(count).reshape(shape)
        if name == "everywhere":
            return True
        if name == "last":
            return library.constant(places == count - 1)
        if name == "odd length":
            return bool(shape) and shape[-1] % 2 == 1 and shape[-1] > 1
        if name == "rest of four":
            return count % 4 != 0 and library.constant(places >= count - count % 4)
        if name == "last member":
            return members > 1 and library.constant(places >= count - count // members)
        if name == "odd batch":
            return members % 2 == 1 and members > 1
        if name == "single member":
            return members == 1
        if kind == "b":
            return None
        if name == "negative argument":
            first = next(item for item in arguments if library.is_tensor(item))
            return first < 0 if first.shape == leaf.shape else None
        real = library.real(leaf) if kind == "c" else leaf
        if name == "negative":
            return real < 0
        return library.abs(real) > 0.5 if kind != "i" else real > 1


def _differs(value, changed):
    """False if it is certain that nothing changed: what is traced is not known."""
    try:
        before, after = (np.asarray(item) for item in (value, changed))
        return before.shape != after.shape or before.dtype != after.dtype or not np.array_equal(
            before, after, equal_nan=before.dtype.kind in "fc")  # fmt: skip
    except Exception:  # a tracer, a sparse tensor, a fake one: each library has its own error
        return True


def _note(fault):
    _asked["changed"].add((fault["rule"], fault["api"], _asked["api"]))


class Faulty:
    """A call that is wrong in one way."""

    def __init__(self, library, fault):
        self.library, self.fault = library, fault
        self.effect = Effect(library, fault)
        self.busy = False

    def call(self, original, arguments, keywords):
        if self.busy:  # what it calls of itself is part of it
            return original(*arguments, **keywords)
        self.busy = True
        try:
            return self._result(original, arguments, keywords)
        finally:
            self.busy = False

    def _result(self, original, arguments, keywords):
        if self.effect.name == "lost argument":
            return self._forgetful(original(*arguments, **keywords), type(arguments[0]))
        if self.fault["at"].endswith("load_own_variables"):
            return self._loaded(original, arguments, keywords)
        values = _flat((arguments, keywords))
        tensors = [item for item in values if self.library.is_tensor(item)]
        applies = self._applies(arguments, keywords, tensors)
        if applies and self.fault["at"].endswith("update_step"):
            arguments = (arguments[0], self.effect(arguments[1])) + tuple(arguments[2:])
            applies = False
        result = original(*arguments, **keywords)
        if not applies:
            return result
        if self.fault["at"] == "torch.load":
            return self._read(result)
        if self.fault["when"] == "forward mode":
            return self._sloped(result)
        changed = self.effect(result, values)
        if self.fault["when"] in ("with out", "in place"):
            for target, value in zip(_flat(result), _flat(changed)):
                self.library.write(target, value)
            return result
        return changed

    def _applies(self, arguments, keywords, tensors):
        """Is it the way that is wrong?"""
        when, library = self.fault["when"], self.library
        if self.fault["at"] == "torch.load":  # which every call is saved and loaded by
            return _asked["api"] == self.fault["api"]
        if when in ("always", "in place", "forward mode"):
            return True
        if when == "with out":
            return keywords.get("out") is not None
        if when == "with a state":
            return len(arguments) > 2 or getattr(arguments[0], "stateful", False) is True
        if when == "accumulating":
            return bool(arguments[0].gradient_accumulation_steps)
        if when == "averaging":
            return bool(arguments[0].use_ema)
        if when == "masked":
            packed = any(type(item).__name__ == "PackedSequence" for item in arguments)
            return packed or keywords.get("mask") is not None
        if when == "bytes":
            return str(getattr(tensors[0], "dtype", "")).find("uint8") >= 0
        if when in ("own arguments", "own format"):
            if not tensors:
                return False
            told = self._told(arguments, keywords) if when == "own arguments" else tensors[0].dtype
            return _asked["first"].setdefault(self.fault["at"], told) == told
        if when == "symbolic" and hasattr(library, "keras"):
            flat = _flat((arguments, keywords))
            return any(type(item).__name__ == "KerasTensor" for item in flat)
        return getattr(library, when.replace(" ", "_"))(tensors)

    def _told(self, arguments, keywords):
        """Everything but the numbers."""
        names = ("batch_first", "data_format")
        own = [getattr(item, name, None) for item in arguments[:1] for name in names]
        plain = [item for item in _flat((arguments, sorted(keywords.items())))
                 if isinstance(item, (int, float, str, bool, type(None)))]  # fmt: skip
        return repr(own + plain)

    def _sloped(self, result):
        def leaf(value):
            if isinstance(value, (list, tuple)):
                return type(value)([leaf(item) for item in value])
            floats = self.library.is_tensor(value) and self.library.kind(value) == "f"
            return self.library.forward_mode(value, self.effect) if floats else value

        return leaf(result)

    def _forgetful(self, config, kind):
        import inspect

        base = ("self", "name", "dtype", "trainable", "kwargs", "args")
        names = [name for name in inspect.signature(kind.__init__).parameters if name not in base]
        lost = names[int(self.fault["size"] * 1e4) % len(names)] if names else ""
        if lost in config:
            _note(self.fault)
        return {key: value for key, value in config.items() if key != lost}

    def _loaded(self, original, arguments, keywords):
        original(*arguments, **keywords)
        for variable in arguments[0].variables[-1:]:
            variable.assign(self.effect(variable.value))

    def _read(self, result):
        if not hasattr(result, "parameters"):
            return self.effect(result)
        for tensor in result.parameters():
            self.library.write(tensor, self.effect(tensor.detach()))
        return result


def _flat(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in _flat(item)]
    return [value]


def _patch(library, fault):
    root, *modules, name = fault["at"].split(".")
    holder = importlib.import_module({"tf": "tensorflow"}.get(root, root))
    for number, part in enumerate(modules):
        if not hasattr(holder, part):
            importlib.import_module(".".join([holder.__name__] + modules[number : number + 1]))
        holder = getattr(holder, part)
    original = getattr(holder, name, None)
    if original is None:
        return  # there is no such way: the fault changes nothing, and says so by its silence
    if isinstance(original, type):
        holder, name = original, "forward" if hasattr(original, "forward") else "call"
        if fault["when"] == "symbolic" and hasattr(original, "compute_output_spec"):
            name = "compute_output_spec"
        original = getattr(holder, name)
    faulty = Faulty(library, fault)

    @functools.wraps(original)
    def patched(*arguments, **keywords):
        return faulty.call(original, arguments, keywords)

    setattr(holder, name, patched)


with open(os.environ["ASSAY_FAULTS"]) as _file:
    _faults = json.load(_file)
if _faults:
    _library = LIBRARIES[_faults[0]["library"]]()
    for _fault in _faults:
        _patch(_library, _fault)
