"""Prelude of a target with inexact formulas: each op in ``ASSAY_PRECISION_FAULTS`` has one.

Only the public name is replaced; what Keras calls inside of itself stays as it is. Formulas are
computed by NumPy in the format of the first tensor.
"""

import functools
import json
import os
import sys

import keras
import numpy as np
from keras.src import ops  # the originals: patches are on the public names only

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from inexact import formula


def _patch(fault):
    name = fault["op"].rpartition(".")[2]
    original = getattr(keras.ops, name)

    @functools.wraps(original)
    def patched(*arguments, **keywords):
        right = original(*arguments, **keywords)
        x = np.asarray(ops.convert_to_numpy(ops.convert_to_tensor(arguments[0])))
        wrong = formula(x, name, fault["family"], fault["details"])
        if "low" in fault["details"]:
            here = (x >= fault["details"]["low"]) & (x < fault["details"]["high"])
            wrong = np.where(here, wrong, ops.convert_to_numpy(right))
        return ops.convert_to_tensor(wrong, dtype=right.dtype)

    setattr(keras.ops, name, patched)


with open(os.environ["ASSAY_PRECISION_FAULTS"]) as _file:
    for _fault in json.load(_file):
        _patch(_fault)
