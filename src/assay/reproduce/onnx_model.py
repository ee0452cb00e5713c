"""A case in the words of ONNX as code: a model, and a runtime that runs it."""

from typing import Any

import msgspec
import numpy as np

from assay.ir import Case
from assay.libraries import Dialect
from assay.reproduce.literals import array_code, element_code, value_code
from assay_worker import onnx_nodes

#: What ONNX calls dtypes, where that is not their name in capitals.
_TYPES = {"float16": "FLOAT16", "float32": "FLOAT", "float64": "DOUBLE"}


def _type(dtype: str) -> str:
    return f"onnx.TensorProto.{_TYPES.get(dtype, dtype.upper())}"


def model_lines(case: Case, dialect: Dialect, mode: str) -> list[str]:
    """Lines that make ``model`` of the case, and then a runtime ready to run it."""
    graph = msgspec.to_builtins(case.graph)
    made = [onnx_nodes.made(node, graph) for node in graph["nodes"]]
    inputs = [
        f'onnx.helper.make_tensor_value_info("{item.name}", {_type(item.dtype)}, {item.shape})'
        for item in case.graph.inputs
    ]
    constants = [
        f'onnx.numpy_helper.from_array({_array(value, dtype)}, "{name}")'
        for part in made
        for name, value, dtype in part.constants
    ]
    outputs = [f'onnx.helper.make_empty_tensor_value_info("{name}")' for name in made[-1].outputs]
    return [
        *_listed("nodes", [_node(part) for part in made]),
        *_listed("inputs", inputs),
        *_listed("outputs", outputs),
        *(_listed("constants", constants) if constants else []),
        'graph = onnx.helper.make_graph(nodes, "case", inputs, outputs'
        + (", constants)" if constants else ")"),
        f'opset = onnx.helper.make_opsetid("", {onnx_nodes.OPSET})',
        "model = onnx.helper.make_model("
        f"graph, opset_imports=[opset], ir_version={onnx_nodes.IR_VERSION})",
        "model = onnx.shape_inference.infer_shapes(model)",
        *dialect.modes[mode].splitlines(),
    ]


def run_code(case: Case, dialect: Dialect, names: dict[str, str]) -> str:
    """The expression of what the last node gives: a tensor, or a list of several."""
    graph = msgspec.to_builtins(case.graph)
    inputs = ", ".join(f'"{item.name}": {names[item.name]}' for item in case.graph.inputs)
    outputs = onnx_nodes.made(graph["nodes"][-1], graph).outputs
    runs = [dialect.run.format(output=f'"{name}"', inputs="{" + inputs + "}") for name in outputs]
    return runs[0] if len(runs) == 1 else f"[{', '.join(runs)}]"


def _listed(name: str, items: list[str]) -> list[str]:
    if len(items) == 1 and len(items[0]) < 90:
        return [f"{name} = [{items[0]}]"]
    return [f"{name} = [", *(f"    {item}," for item in items), "]"]


def _node(part: onnx_nodes.Made) -> str:
    attributes = [f"{name}={_attribute(value)}" for name, value in part.attributes.items()]
    lists = [value_code(list(names), lists=True) for names in (part.inputs, part.outputs)]
    return f"onnx.helper.make_node({', '.join([value_code(part.kind), *lists, *attributes])})"


def _attribute(value: Any) -> str:
    if isinstance(value, dict) and "$dtype" in value:
        return _type(value["$dtype"])
    return value_code(value, lists=True)


def _array(value: Any, dtype: str) -> str:
    array = np.array(value, dtype)
    return array_code(array) if array.ndim else f'np.array({element_code(array[()])}, "{dtype}")'
