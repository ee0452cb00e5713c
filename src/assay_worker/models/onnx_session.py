"""An ONNX model on ONNX Runtime, OpenVINO, or ONNX's own reference evaluator.

Layers are the nodes of the graph. Their outputs become visible by declaring them
outputs of the graph; a node alone is a graph of that node.
"""

import hashlib
import os

import numpy as np
import onnx
from onnx import TensorProto, external_data_helper, helper, numpy_helper

from assay_worker.models._base import Session, directions, moved, numeric
from assay_worker.onnx_types import type_name

#: Bytes of weights up to which a model is passed on as a message; two gigabytes are the limit.
_IN_A_MESSAGE = 1 << 30


def onnxruntime_session(model, optimised):
    """A session on the CPU, one thread; from a path or the bytes of a model."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    level = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_ALL if optimised else level.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Hundreds of layers run alone, each in a session that would keep what it once needed.
    options.enable_cpu_mem_arena = False
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def openvino_compiled(model):
    """A model on OpenVINO's CPU device, in float32 even where it would like less."""
    import openvino

    core = openvino.Core()
    if isinstance(model, bytes):
        model = core.read_model(model)
    settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": "1"}
    return core.compile_model(model, "CPU", settings)


def on_onnxruntime(mode):
    """A runner: from the bytes of a model, or its path, to a function of arrays by name."""

    def make(content):
        session = onnxruntime_session(content, mode != "unoptimised")
        names = [item.name for item in session.get_outputs()]

        def run(arrays):
            return dict(zip(names, session.run(None, arrays)))

        return run

    return make


def on_openvino(mode):
    """A runner, as ``on_onnxruntime``."""

    def make(content):
        compiled = openvino_compiled(content)

        def run(arrays):
            result = compiled(arrays)
            return {
                name: np.array(result[port]) for port in compiled.outputs for name in port.names
            }

        return run

    return make


def on_reference(mode):
    """A runner, as ``on_onnxruntime``: ONNX's own definition of each op, in NumPy."""

    def make(content):
        from onnx.reference import ReferenceEvaluator

        model = onnx.load(content) if isinstance(content, str) else onnx.load_from_string(content)
        evaluator = ReferenceEvaluator(model)
        names = [item.name for item in model.graph.output]

        def run(arrays):
            try:
                with np.errstate(all="ignore"):
                    return dict(zip(names, evaluator.run(None, arrays)))
            except Exception as error:
                raise RuntimeError("%s%s" % (error, _at_node(error))) from error

        return run

    return make


def _at_node(error):
    """Which node the reference evaluator was at; it does not say so itself."""
    trace, found = error.__traceback__, None
    while trace is not None:
        node = trace.tb_frame.f_locals.get("node")
        found = getattr(node, "onnx_node", found)
        trace = trace.tb_next
    return " (at %s %s)" % (found.op_type, found.name) if found is not None else ""


class OnnxSession(Session):
    """An ONNX model on one of the runners above."""

    def __init__(self, make_runner, path):
        self._make = make_runner
        self._path, self._folder = path, os.path.dirname(os.path.abspath(path))
        self.model = onnx.load(path, load_external_data=False)
        graph = self.model.graph
        # Weights in other files may be more than a message can hold: then runtimes read them
        # themselves, and we one by one.
        outside = [t for t in graph.initializer if external_data_helper.uses_external_data(t)]
        self._beside = sum(map(_bytes, outside)) > _IN_A_MESSAGE
        if outside and not self._beside:
            external_data_helper.load_external_data_for_model(self.model, self._folder)
        stored = {item.name for item in graph.initializer}
        self.inputs = [item for item in graph.input if item.name not in stored]
        self.outputs = [item.name for item in graph.output]
        # A constant is a weight by another name, not a layer.
        self.nodes = [node for node in graph.node if node.op_type != "Constant"]
        self.names = node_names(graph.input, self.nodes)
        self._by_name = dict(zip(self.names, self.nodes))
        self._produced = tensor_names(self.nodes, self.names)
        self._initializers = {item.name: item for item in graph.initializer}
        for node in graph.node:
            if node.op_type == "Constant":
                self._initializers[node.output[0]] = _constant(node)
        self._whole = None
        self._open = None
        self._alone = {}
        self._kinds = None

    def describe(self):
        """See ``Session``."""
        graph = self.model.graph
        produced = self._produced
        given = {item.name for item in self.inputs} | set(produced)
        layers = []
        for name, node in zip(self.names, self.nodes):
            domain = node.domain or "onnx"
            layers.append(
                {
                    "name": name,
                    "op": "%s.%s" % ("onnx" if domain == "ai.onnx" else domain, node.op_type),
                    "inputs": [produced.get(t, t) for t in reads(node) if t in given],
                    "outputs": [produced[t] for t in node.output if t],
                }
            )
        digest, count = hashlib.sha256(), 0
        for name in sorted(self._initializers):
            array = numpy_helper.to_array(self._initializers[name], self._folder)
            digest.update(name.encode("utf-8") + np.ascontiguousarray(array).tobytes())
            count += array.size
        return {
            "inputs": [_value(item) for item in self.inputs],
            "outputs": [self._output(item) for item in graph.output],
            "layers": layers,
            "weights": int(count),
            "digest": digest.hexdigest(),
        }

    def _output(self, item):
        """An output by the name of what writes it; one that is left out by its own."""
        found = _value(item)
        if numeric(found["dtype"]):
            found["name"] = self._produced.get(item.name, item.name)
        return found

    def stored(self):
        """See ``Session``; constants are among them."""
        for name, tensor in self._initializers.items():
            yield name, numpy_helper.to_array(tensor, self._folder)

    def predict(self, inputs):
        """See ``Session``."""
        if self._whole is None:
            whole = self._path if self._beside else self.model.SerializeToString()
            self._whole = self._make(whole)
        result = self._whole(self._named(inputs))
        return [result[name] for name in self.outputs]

    def states(self, inputs):
        """See ``Session``."""
        produced = self._produced
        if self._open is None:
            opened = onnx.ModelProto()
            opened.CopyFrom(self.model)
            # Of more than a message can hold this fails, and the model stays closed.
            external_data_helper.load_external_data_for_model(opened, self._folder)
            inferred = _types(self.model)
            del opened.graph.output[:]
            for name in produced:
                known = inferred.get(name)
                opened.graph.output.append(known or helper.make_empty_tensor_value_info(name))
            self._open = self._make(opened.SerializeToString())
        arrays = self._named(inputs)
        result = self._open(arrays)
        named = dict(arrays)
        for tensor, name in produced.items():
            if isinstance(result.get(tensor), np.ndarray):
                named[name] = result[tensor]
        return named

    def nudged(self, inputs, seed, factor=1.0):
        """See ``Session``; the nodes run one after the other, each as a graph of its own."""
        generator = directions(seed)
        named = self._named(inputs)
        arrays = {name: moved(array, generator, factor) for name, array in named.items()}
        outputs = [self._produced.get(name, name) for name in self.outputs]
        for name, done in zip(self.names, self._read_last(outputs)):
            for tensor, array in self.alone(name, arrays).items():
                arrays[tensor] = moved(array, generator, factor)
            for tensor in done:  # all layers' outputs at once are gigabytes for large images
                arrays.pop(tensor, None)
        return [arrays[name] for name in outputs]

    def _read_last(self, kept):
        """For each layer, the tensors that nobody needs after it."""
        places = {}
        for place, node in enumerate(self.nodes):
            own = [self._produced[tensor] for tensor in node.output if tensor]
            read = [self._produced.get(tensor, tensor) for tensor in reads(node)]
            places.update(dict.fromkeys(own + read, place))
        found = [[] for _ in self.nodes]
        for tensor in set(places) - set(kept):
            found[places[tensor]].append(tensor)
        return found

    def alone(self, layer, arrays):
        """See ``Session``."""
        node = self._by_name[layer]
        produced = self._produced
        read = list(dict.fromkeys(reads(node)))
        given = {t: arrays[produced.get(t, t)] for t in read if t not in self._initializers}
        kind = [(array.shape, str(array.dtype)) for array in given.values()]
        known, run = self._alone.get(layer, (None, None))
        if known != kind:
            stored = [self._stored(tensor) for tensor in read if tensor in self._initializers]
            run = self._make(self._graph_of(node, given, stored))
            self._alone[layer] = kind, run
        result = run(given)
        return {produced[t]: np.asarray(result[t]) for t in node.output if t}

    def facts(self, layer):
        """See ``Session``; of a graph inside a node, only that there is one."""
        node = self._by_name[layer]
        told = {}
        for attribute in node.attribute:
            inner = attribute.HasField("g") or len(attribute.graphs)
            told[attribute.name] = "graph" if inner else helper.get_attribute_value(attribute)
        weights = [name for name in node.input if name in self._initializers]
        arrays = (numpy_helper.to_array(self._initializers[n], self._folder) for n in weights)
        return told, zip(weights, arrays)

    def _graph_of(self, node, given, stored):
        """The bytes of a model of one node that reads these arrays and initializers."""
        if self._kinds is None:
            self._kinds = _types(self.model)
        kinds = self._kinds
        graph = helper.make_graph(
            [node],
            "alone",
            [
                helper.make_tensor_value_info(
                    name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
                )
                for name, array in given.items()
            ],
            [kinds.get(t) or helper.make_empty_tensor_value_info(t) for t in node.output if t],
            stored,
        )
        model = helper.make_model(graph, opset_imports=self.model.opset_import)
        model.ir_version = self.model.ir_version
        model.functions.extend(self.model.functions)
        return model.SerializeToString()

    def _stored(self, name):
        """A weight with its values, wherever these are."""
        tensor = self._initializers[name]
        if not external_data_helper.uses_external_data(tensor):
            return tensor
        return numpy_helper.from_array(numpy_helper.to_array(tensor, self._folder), name)

    def _named(self, inputs):
        dtypes = [
            helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type) for i in self.inputs
        ]
        return {
            item.name: np.asarray(array).astype(dtype, copy=False)
            for item, array, dtype in zip(self.inputs, inputs, dtypes)
        }


def _bytes(tensor):
    size = np.dtype(helper.tensor_dtype_to_np_dtype(tensor.data_type)).itemsize
    return int(np.prod(tensor.dims, dtype="int64")) * size


def _constant(node):
    """The tensor that a Constant node stands for, under the name of its output."""
    value = helper.get_attribute_value(node.attribute[0])
    if isinstance(value, TensorProto):
        tensor = TensorProto()
        tensor.CopyFrom(value)
    else:
        kind = node.attribute[0].name
        dtype = "float32" if "float" in kind else "int64" if "int" in kind else object
        tensor = numpy_helper.from_array(np.asarray(value, dtype=dtype))
    tensor.name = node.output[0]
    return tensor


def _types(model):
    """Types of tensors by name, as far as ONNX can infer them; without shapes."""
    from onnx import shape_inference

    try:
        inferred = shape_inference.infer_shapes(model, data_prop=False)
    except Exception:  # an op unknown to ONNX: the runtime may still know it
        inferred = model
    graph = inferred.graph
    found = {}
    for item in list(graph.value_info) + list(graph.output):
        kind = item.type.tensor_type.elem_type
        if kind != TensorProto.UNDEFINED:
            found[item.name] = helper.make_tensor_value_info(item.name, kind, None)
    return found


def reads(node):
    """Every tensor a node reads, those of the graphs inside it included."""
    names = [name for name in node.input if name]
    for attribute in node.attribute:
        graphs = [attribute.g] if attribute.HasField("g") else list(attribute.graphs)
        for graph in graphs:
            own = {item.name for item in graph.input}
            own.update(item.name for item in graph.initializer)
            for inner in graph.node:
                names += [name for name in reads(inner) if name not in own]
                own.update(inner.output)
            names += [item.name for item in graph.output if item.name not in own]
    return names


def node_names(inputs, nodes):
    """A name for each node: its own, or made of its op and place; each once."""
    names, taken = [], {item.name for item in inputs}
    for place, node in enumerate(nodes):
        name = (node.name or "%s_%d" % (node.op_type, place)).replace(":", "_")
        number, free = 1, name
        while free in taken:
            number += 1
            free = "%s#%d" % (name, number)
        taken.add(free)
        names.append(free)
    return names


def tensor_names(nodes, names):
    """Our names (``layer``, ``layer:1``) by the file's names of tensors."""
    produced = {}
    for name, node in zip(names, nodes):
        outputs = [tensor for tensor in node.output if tensor]
        for place, tensor in enumerate(outputs):
            produced[tensor] = name if place == 0 else "%s:%d" % (name, place)
    return produced


def _value(item):
    kind = item.type.tensor_type
    # Exporters write 0 or -1 for a free axis, too.
    shape = [dim.dim_value if dim.dim_value > 0 else None for dim in kind.shape.dim]
    return {"name": item.name, "shape": shape, "dtype": type_name(item.type)}
