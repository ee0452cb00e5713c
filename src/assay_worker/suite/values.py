"""Values of ONNX (tensors, sequences, optionals) as bytes, as NumPy has them, and as plain data.

Plain data (``told``) travel to the host, which knows no ONNX: a record with ``form``:

- ``tensor``: ``dtype`` (the name of its type) and ``array``; types that NumPy lacks are widened to
  float32 or int8, which hold all their numbers; strings are ``text``, a list, with a ``shape``,
- ``sequence``: ``items``,
- ``none``: an optional that holds nothing,
- ``other``: ``what``; a map, or something that is no value of ONNX.
"""

import numpy as np
from onnx import OptionalProto, SequenceProto, SparseTensorProto, TensorProto, numpy_helper

_FORMS = {
    "tensor": (TensorProto, numpy_helper.to_array),
    "sequence": (SequenceProto, numpy_helper.to_list),
    "optional": (OptionalProto, numpy_helper.to_optional),
}
#: Types that NumPy lacks, by name, of whole numbers; all others are of fractions.
WHOLE = ("int2", "int4", "uint2", "uint4")


def packed(value):
    """A value of a case as bytes; ``ValueError`` for what has none."""
    if value is None:
        return {"form": "none", "bytes": np.zeros(0, "uint8")}
    if isinstance(value, SparseTensorProto):
        raise ValueError("a sparse tensor")
    if isinstance(value, list):
        form, proto = "sequence", _sequence(value)
    elif isinstance(value, TensorProto):
        form, proto = "tensor", value
    else:
        form, proto = "tensor", numpy_helper.from_array(np.asarray(value))
    return {"form": form, "bytes": np.frombuffer(proto.SerializeToString(), "uint8")}


def _sequence(items):
    """A list as a message; one of optionals keeps those that hold nothing."""
    if any(item is None for item in items):
        raise ValueError("a sequence with nothing in it")
    return numpy_helper.from_list([_unpacked_proto(item) for item in items])


def _unpacked_proto(item):
    if isinstance(item, TensorProto):
        return numpy_helper.to_array(item)
    return item if isinstance(item, list) else np.asarray(item)


def unpacked(record):
    """A value as NumPy has it: an array, a list, or None."""
    if record["form"] == "none":
        return None
    kind, converted = _FORMS[record["form"]]
    message = kind()
    message.ParseFromString(record["bytes"].tobytes())
    return converted(message)


def told(value):
    """A value as plain data."""
    if value is None:
        return {"form": "none"}
    if isinstance(value, (list, tuple)):
        return {"form": "sequence", "items": [told(item) for item in value]}
    if isinstance(value, TensorProto):
        value = numpy_helper.to_array(value)
    array = np.asarray(value)
    if isinstance(value, dict) or (array.dtype == object and not _texts(array)):
        return {"form": "other", "what": type(value).__name__}
    if array.dtype.kind in "OUS":
        texts = [_text(item) for item in array.reshape(-1)]
        return {"form": "tensor", "dtype": "string", "shape": list(array.shape), "text": texts}
    return {"form": "tensor", "dtype": array.dtype.name, "array": widened(array)}


def _texts(array):
    return all(isinstance(item, (str, bytes)) for item in array.reshape(-1))


def _text(item):
    return item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)


def lacking(array):
    """Is an array of a type that NumPy lacks?"""
    return array.dtype.isbuiltin != 1


def widened(array):
    """The same numbers in a type that NumPy has."""
    if not lacking(array):
        return array
    return array.astype("int8" if array.dtype.name in WHOLE else "float32")
