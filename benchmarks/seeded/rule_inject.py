"""Prelude of a target with faults of rules: what ``ASSAY_FAULTS`` names is wrong in one way.

All faults are active at once. Each fault that changes an answer of a call, of which the rule's
second program is to be had, says so once, in the file ``ASSAY_FAULTS_FIRED``: its rule, its API,
and the API that was asked when it did.
"""

import functools
import importlib
import inspect
import json
import os
import sys

import numpy as np

from assay_worker import rewriting
from assay_worker.libraries import _base

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from rule_libraries import LIBRARIES

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
            return type(value)((1, *value.shape), value.dtype)
        return type(value)(value.shape, "float16" if value.dtype != "float16" else "float32")

    def _changed(self, leaf, arguments):
        library, kind, name = self.library, self.library.kind(leaf), self.name
        shape = tuple(leaf.shape)
        if not kind or (None in shape and name not in ("dtype", "rank")):
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
    except Exception:  # noqa: BLE001 - what a traced, sparse or fake tensor refuses with
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
        result = original(*arguments, **keywords)
        if not applies:
            return result
        if self.fault["at"].endswith("update_step"):
            # Not its gradient: what divides by their size would set that right again.
            self._overwritten(arguments[2])
            return result
        if self.fault["at"] == "torch.load":
            return self._read(result)
        if self.fault["when"] == "forward mode":
            return self._sloped(result)
        changed = self.effect(result, values)
        if self.fault["when"] in ("with out", "in place"):
            for target, value in zip(_flat(result), _flat(changed), strict=True):
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
        base = ("self", "name", "dtype", "trainable", "kwargs", "args")
        told = inspect.signature(kind.__init__).parameters
        # Without what is as it is by default, nothing is lost.
        names = [
            name
            for name in told
            if name not in base
            and name in config
            and config[name] != told[name].default
            and not _by_default(kind, config, name)
        ]
        lost = names[int(self.fault["size"] * 1e4) % len(names)] if names else ""
        if names:
            _note(self.fault)
        return {key: value for key, value in config.items() if key != lost}

    def _loaded(self, original, arguments, keywords):
        original(*arguments, **keywords)
        for variable in arguments[0].variables[-1:]:
            self._overwritten(variable)

    def _overwritten(self, variable):
        # A variable of TensorFlow's own is no tensor: nothing would be changed.
        variable.assign(self.effect(self.library.keras.ops.copy(variable)))

    def _read(self, result):
        if not hasattr(result, "parameters"):
            return self.effect(result)
        for tensor in result.parameters():
            self.library.write(tensor, self.effect(tensor.detach()))
        return result


def _by_default(kind, config, name):
    """Is a layer the same that is made without an argument, whose default is none of its own?"""
    left = {key: value for key, value in config.items() if key != name}
    try:
        return kind.from_config(left).get_config().get(name) == config[name]
    except Exception:  # noqa: BLE001 - what a constructor refuses with: it does need it
        return False


def _flat(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in _flat(item)]
    return [value]


def _patch(library, fault):
    root, *modules, name = fault["at"].split(".")
    holder = importlib.import_module({"tf": "tensorflow"}.get(root, root))
    for part in modules:
        if not hasattr(holder, part):
            importlib.import_module(f"{holder.__name__}.{part}")
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
