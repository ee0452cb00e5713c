"""ONNX files read as protocol buffers: data by nature, but they may be damaged."""

import os
from typing import Any

from assay.ir.check import TensorSpec
from assay.models._base import ModelError, ModelFile, numeric, unfit


def inspect_onnx(path: str) -> ModelFile:
    """The model of an .onnx file."""
    model = _read(path)
    if not model.graph.node:
        raise ModelError(f"{path} is damaged or no ONNX model: its graph has no nodes.")
    for data in _data_files(path, model.graph):
        if not os.path.exists(data):
            raise ModelError(f"{path}: its weights are missing. Put {data} in its place.")
    outputs = [_spec(item) for item in model.graph.output]
    kept = [item for item in outputs if numeric(item.dtype)]
    inputs = _inputs(model.graph)
    problem = unfit(inputs, kept, [item for item in outputs if item not in kept])
    if problem:
        raise ModelError(f"{path}: {problem}.")
    names = tuple(item.name for item in kept)
    # Only libraries know the rank of an input that does not tell its own.
    known = inputs if all(map(_ranked, _given(model.graph))) else ()
    return ModelFile(path, "onnx", _ids(model.graph), inputs=known, outputs=names)


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
    """What the graph says of its inputs."""
    return tuple(map(_spec, _given(graph)))


def _given(graph: Any) -> list[Any]:
    """The inputs that are no weights."""
    stored = {item.name for item in graph.initializer}
    return [item for item in graph.input if item.name not in stored]


def _spec(item: Any) -> TensorSpec:
    """An input or output; what it is, in words, where it is no array of numbers."""
    from assay_worker.onnx_types import type_name

    # Exporters write 0 or -1 for a free axis, too.
    sizes = item.type.tensor_type.shape.dim
    shape = tuple(d.dim_value if d.dim_value > 0 else None for d in sizes)
    return TensorSpec(item.name, shape, type_name(item.type))


def _ranked(item: Any) -> bool:
    return bool(item.type.tensor_type.HasField("shape"))


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
