"""What the types of values in an ONNX file are called; for the worker and for the host."""

import numpy as np
from onnx import TensorProto, helper

_WORDS = {"map_type": "map", "optional_type": "optional", "sparse_tensor_type": "sparse"}


def type_name(kind):
    """NumPy's name of the numbers that a value holds, or in words what it is instead."""
    which = kind.WhichOneof("value")
    if which == "sequence_type":
        inner = kind.sequence_type.elem_type
        held = _WORDS.get(inner.WhichOneof("value"), "array")
        return "sequence of %ss" % held
    if which != "tensor_type":
        return _WORDS.get(which, "of no type")
    if kind.tensor_type.elem_type == TensorProto.UNDEFINED:
        return "of no type"
    if kind.tensor_type.elem_type == TensorProto.STRING:
        return "string"
    return np.dtype(helper.tensor_dtype_to_np_dtype(kind.tensor_type.elem_type)).name
