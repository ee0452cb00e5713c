"""How a node of a case becomes a node of an ONNX model; for the worker and for scripts.

Imports no ONNX: a script is written where there may be none.
"""

import collections

from assay_worker.libraries._base import tensor_names

#: What cases are written in: ONNX Runtime and OpenVINO know newer ones in part only.
OPSET, IR_VERSION = 21, 10
_REDUCED = ("data", "axes")
#: The inputs, in order, of ops with parameters that are inputs. All others are attributes.
INPUTS = {
    "Clip": ("input", "min", "max"),
    "CumSum": ("x", "axis"),
    "Expand": ("input", "shape"),
    "Pad": ("data", "pads", "constant_value", "axes"),
    "ReduceL1": _REDUCED,
    "ReduceL2": _REDUCED,
    "ReduceLogSum": _REDUCED,
    "ReduceLogSumExp": _REDUCED,
    "ReduceMax": _REDUCED,
    "ReduceMean": _REDUCED,
    "ReduceMin": _REDUCED,
    "ReduceProd": _REDUCED,
    "ReduceSum": _REDUCED,
    "ReduceSumSquare": _REDUCED,
    "Reshape": ("data", "shape"),
    "Slice": ("data", "starts", "ends", "axes", "steps"),
    "Split": ("input", "split"),
    "Squeeze": _REDUCED,
    "Tile": ("input", "repeats"),
    "TopK": ("X", "K"),
    "Trilu": ("input", "k"),
    "Unsqueeze": _REDUCED,
}
#: Those that have the dtype of the tensors; others are whole numbers.
ALIKE = ("min", "max", "constant_value")

#: ``constants`` are triples: the name of an input, its value, its dtype.
Made = collections.namedtuple("Made", ["kind", "inputs", "outputs", "attributes", "constants"])


def made(node, graph):
    """The parts of a node of a graph, both as plain data."""
    kind = node["op"].partition(".")[2]
    names = INPUTS.get(kind, ())
    dtypes = {item["name"]: item["dtype"] for item in graph["inputs"]}
    inputs = [n for i in node["inputs"] for n in (i if isinstance(i, (list, tuple)) else [i])]
    dtype = next((dtypes[name] for name in inputs if name in dtypes), "float32")
    attributes, constants = {}, []
    for key, value in node["params"].items():
        if value is None:
            continue
        if key not in names:
            attributes[key] = list(value) if isinstance(value, (list, tuple)) else value
            continue
        place, name = names.index(key), "%s/%s" % (node["id"], key)
        inputs += [""] * (place + 1 - len(inputs))
        inputs[place] = name
        constants.append((name, value, dtype if key in ALIKE else "int64"))
    outputs = tensor_names(node["id"], _outputs_read(node["id"], graph))
    return Made(kind, inputs, outputs, attributes, constants)


def _outputs_read(node_id, graph):
    read = list(graph["outputs"])
    for node in graph["nodes"]:
        for item in node["inputs"]:
            read += item if isinstance(item, (list, tuple)) else [item]
    indices = [name.partition(":")[2] for name in read if name.partition(":")[0] == node_id]
    return 1 + max([int(index or 0) for index in indices] or [0])
