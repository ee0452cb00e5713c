"""The tables that PyTorch's wheel has of its operators and modules, with valid arguments of each.

They are part of ``torch.testing._internal``, and made for its own tests.
"""

import importlib
import itertools
import random
import sys
import types
import unittest

import numpy as np

from assay_worker.catalogue._base import Sample

#: Samples of an entry that are looked at.
_MOST = 100
#: Dtypes for which samples are asked, the first that an operator has.
_DTYPES = ("float32", "int64", "complex64", "bool", "float64")
_METHODS = "torch.Tensor."
#: Modules of which the tables have sequences, and no batch of them: constructor, how many tensors.
_OF_BATCHES = {
    "torch.nn.RNN": ({"input_size": 4, "hidden_size": 5, "batch_first": True}, 1),
    "torch.nn.GRU": ({"input_size": 4, "hidden_size": 5, "batch_first": True}, 1),
    "torch.nn.LSTM": ({"input_size": 4, "hidden_size": 5, "batch_first": True}, 1),
    "torch.nn.MultiheadAttention": ({"embed_dim": 4, "num_heads": 2, "batch_first": True}, 3),
}


class _Tables(object):
    """Both tables by public path; an operator's path has its entries."""

    def __init__(self):
        _stand_in()
        self.torch = importlib.import_module("torch")
        internal = "torch.testing._internal."
        methods = importlib.import_module(internal + "common_methods_invocations")
        modules = importlib.import_module(internal + "common_modules")
        self.operators = {}
        for entry in methods.op_db:
            for path in self._paths(entry):
                self.operators.setdefault(path, []).append(entry)
        self.modules = {
            "torch.nn." + entry.module_cls.__name__: entry for entry in modules.module_db
        }

    def _paths(self, entry):
        """The public paths that an entry has samples for: function, method, in place, aliases."""
        names = [entry.name] + [alias.name for alias in entry.aliases]
        found = []
        for name in names:
            found += ["torch." + name, _METHODS + name, "torch.%s_" % name, _METHODS + name + "_"]
        return [path for path in found if self._there(path)]

    def _there(self, path):
        value = self.torch
        for part in path.split(".")[1:]:
            value = getattr(value, part, None)
        return callable(value)


def _stand_in():
    """The tables' module imports a package for tests of printed text, and does not use it."""
    try:
        importlib.import_module("expecttest")
    except ImportError:
        module = types.ModuleType("expecttest")
        module.TestCase = unittest.TestCase
        module.assert_expected_inline = None
        sys.modules["expecttest"] = module


_made = []


def tables():
    """The tables, imported once."""
    if not _made:
        _made.append(_Tables())
    return _made[0]


def operators(names):
    """Paths of operators that have samples, of those that are named."""
    return sorted(set(tables().operators) & names)


def modules():
    """Paths of modules that have samples."""
    return sorted(tables().modules)


def _seeded():
    """Samples are drawn at random: always the same ones."""
    tables().torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)


def of_operator(api):
    """Samples of an operator's entries."""
    torch = tables().torch
    found = []
    for entry in tables().operators[api]:
        _seeded()
        dtype = next(
            (getattr(torch, name) for name in _DTYPES if _supports(entry, getattr(torch, name))),
            None,
        )
        if dtype is None:
            continue
        samples = entry.sample_inputs("cpu", dtype, requires_grad=False)
        for sample in itertools.islice(samples, _MOST):
            kwargs = {key: item for key, item in sample.kwargs.items() if key != "device"}
            found.append(Sample(api, (sample.input,) + tuple(sample.args), kwargs))
    return found


def _supports(entry, dtype):
    return dtype in entry.supported_dtypes("cpu")


def of_module(api):
    """Samples of a module: arguments of its constructor and of its call."""
    entry = tables().modules[api]
    _seeded()
    found = []
    if api in _OF_BATCHES:
        own, count = _OF_BATCHES[api]
        batches = [tables().torch.randn(3, 6, 4) for _ in range(count)]
        found.append(Sample(api, batches, {}, ((), own)))
    made = entry.module_inputs_func(
        entry, device="cpu", dtype=tables().torch.float32, requires_grad=False, training=True
    )
    for sample in itertools.islice(made, _MOST):
        if sample.forward_input is None:
            continue
        built, called = sample.constructor_input, sample.forward_input
        own = {key: value for key, value in built.kwargs.items() if key != "device"}
        found.append(Sample(api, called.args, called.kwargs, (tuple(built.args), own)))
    return found
