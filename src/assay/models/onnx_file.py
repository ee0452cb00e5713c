"""ONNX files read as protocol buffers: data by nature, but they may be damaged."""

import os
from typing import Any

from assay.ir.check import TensorSpec
from assay.models._base import ModelError, ModelFile


def inspect_onnx(path: str) -> ModelFile:
    """The model of an .onnx file."""
    model = _read(path)
    if not model.graph.node:
        raise ModelError(f"{path} is damaged or no ONNX model: its graph has no nodes.")
    for data in _data_files(path, model.graph):
        if not os.path.exists(data):
            raise ModelError(f"{path}: its weights are missing. Put {data} in its place.")
    outputs = tuple(item.name for item in model.graph.output)
    return ModelFile(path, "onnx", _ids(model.graph), inputs=_inputs(model.graph), outputs=outputs)


def data_files(path: str) -> list[str]:
    """The other files in which an .onnx file keeps weights."""
    return _data_files(path, _read(path).graph)


def _data_files(path: str, graph: Any) -> list[str]:
    tensors = [*graph.initializer, *(a.t for node in graph.node for a in node.attribute)]
    entries = (entry for tensor in tensors for entry in tensor.external_data)
    names = {entry.value for entry in entries if entry.key == "location"}
    folder = os.path.dirname(os.path.abspath(path))
    found = []
    for name in sorted(names):
        place = os.path.normpath(os.path.join(folder, name))
        if os.path.commonpath([folder, place]) != folder:
            raise ModelError(f"{path} names weights outside of its folder: {name}. Not opened.")
        found.append(place)
    return found


def _read(path: str) -> Any:
    """The message in a file, without weights that lie in others."""
    try:
        import onnx
    except ModuleNotFoundError:
        hint = 'pip install "assay-dl[onnxruntime]"'
        raise ModelError(f"reading {path} needs onnx. {hint}") from None
    from google.protobuf.message import DecodeError

    try:
        # Weights in other files are left to the runtimes, which confine their paths.
        return onnx.load(path, load_external_data=False)
    except (DecodeError, ValueError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"{path} is damaged or no ONNX model ({reason}).") from None


def _inputs(graph: Any) -> tuple[TensorSpec, ...]:
    """What the graph says of its inputs; nothing if one is no plain tensor of a known rank."""
    from onnx.helper import tensor_dtype_to_np_dtype

    stored = {item.name for item in graph.initializer}
    found = []
    for item in graph.input:
        if item.name in stored:
            continue
        kind = item.type.tensor_type
        if not item.type.HasField("tensor_type") or not kind.HasField("shape"):
            return ()
        # Exporters write 0 or -1 for a free axis, too.
        shape = tuple(d.dim_value if d.dim_value > 0 else None for d in kind.shape.dim)
        found.append(TensorSpec(item.name, shape, tensor_dtype_to_np_dtype(kind.elem_type).name))
    return tuple(found)


def _ids(graph: Any) -> dict[str, int]:
    """Inputs that select rows of a stored table, and how many rows it has."""
    rows = {item.name: item.dims[0] for item in graph.initializer if len(item.dims) >= 2}
    sources = {item.name: item.name for item in graph.input}
    found: dict[str, int] = {}
    for node in graph.node:
        if node.op_type in ("Cast", "Identity") and node.input[0] in sources:
            sources[node.output[0]] = sources[node.input[0]]
        if node.op_type == "Gather" and node.input[0] in rows and node.input[1] in sources:
            name = sources[node.input[1]]
            found[name] = min(int(rows[node.input[0]]), found.get(name, 1 << 62))
    return found
