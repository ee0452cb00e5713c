"""Calls that PyTorch's documentation makes."""

import importlib
import math

import numpy as np

from assay_worker.catalogue.recorder import Recorder, Unrecordable
from assay_worker.catalogue.torch_facts import SPARSE_LAYOUTS

#: Statements that change the library for those that follow, or are about files and devices.
_UNWANTED = (
    r"set_default|set_num|set_print|set_flush|deterministic|cuda|\bmps\b|compile|autocast"
    r"|torch\.save|torch\.load|from_file|from_blob|profiler|distributed|quantiz|share_memory"
)


def recorder(names, adapter):
    """A recorder of the public calls of these names."""
    torch = importlib.import_module("torch")
    known = frozenset(names)

    def keep(value):
        if not isinstance(value, torch.Tensor):
            return None
        if value.layout != torch.strided and str(value.layout) not in SPARSE_LAYOUTS:
            raise Unrecordable("a tensor of a layout that is not drawn")
        return value.detach().clone(), value.numel()

    def method(owner, name):
        if not isinstance(owner, torch.Tensor):
            return None
        paths = ["torch." + name, "torch.Tensor." + name]
        return next((path for path in paths if path in known), None)

    def prepare():
        torch.manual_seed(0)
        # Examples show what is in memory that nobody wrote to: always the same, then.
        torch.use_deterministic_algorithms(True, warn_only=True)

    return Recorder(
        {name: adapter.resolve(name) for name in names},
        keep,
        {
            "torch": torch,
            "nn": torch.nn,
            "F": torch.nn.functional,
            "np": np,
            "numpy": np,
            "math": math,
        },
        method,
        prepare,
        _UNWANTED,
    )
