"""Runtimes of ONNX: ONNX Runtime, OpenVINO, ONNX's reference evaluator; forward only.

A case (``onnx.Conv`` and the like) becomes a model; of whole models see ``assay_worker.models``.
"""

import importlib
import platform

import numpy as np

from assay_worker import onnx_nodes
from assay_worker.libraries._base import Adapter, at


class _OnnxAdapter(Adapter):
    """Runs ONNX files on the module ``module``."""

    module = ""
    modes = ("eager",)
    #: Formats besides ONNX.
    formats = ()

    def __init__(self, backend, mode):
        if mode not in self.modes:
            raise ValueError("unknown mode %r; expected one of %s" % (mode, sorted(self.modes)))
        self.mode = mode
        self.onnx = importlib.import_module("onnx")
        self.library = importlib.import_module(self.module)

    def describe(self):
        """Versions; there is nothing to differentiate."""
        versions = {"onnx": self.onnx.__version__, "python": platform.python_version()}
        versions[self.module] = self.library.__version__.split("-")[0]
        return {"versions": versions, "capabilities": ["forward", "model"]}

    def offers(self, names):
        """See ``Adapter``: the attributes and inputs of each op's schema."""
        found = {}
        for name in names:
            root, _, kind = name.partition(".")
            if root == "onnx" and self.onnx.defs.has(kind):
                schema = self.onnx.defs.get_schema(kind)
                inputs = [item.name for item in schema.inputs]
                found[name] = "(%s)" % ", ".join(inputs + sorted(schema.attributes))
        return found

    def documentation(self, names):
        """See ``Adapter``."""
        return {name: self.onnx.defs.get_schema(name[5:]).doc.strip() for name in names}

    def tables(self):
        """Every version of every op's schema: inputs, attributes and outputs."""
        found = []
        for schema in self.onnx.defs.get_all_schemas_with_history():
            inputs, outputs = (
                ", ".join(item.name for item in items) for items in (schema.inputs, schema.outputs)
            )
            named = (schema.domain + "." if schema.domain else "") + schema.name
            attributes = ", ".join(sorted(schema.attributes))
            found.append(
                "%s-%d(%s; %s) -> %s" % (named, schema.since_version, inputs, attributes, outputs)
            )
        return {"schemas": sorted(found)}

    def program(self, question):
        """See ``Adapter.program``."""
        with at("build"):
            content = _model(self.onnx, question.graph, hidden=self.mode != "optimised")
        return _Program(self._runner(), content, question)

    def session(self, request):
        """The model of an ONNX file."""
        from assay_worker.models import onnx_session

        if request["format"] in self.formats:
            from assay_worker.models.openvino_session import OpenvinoSession

            return OpenvinoSession(request["path"])
        if request["format"] != "onnx":
            raise ValueError("%s runs .onnx files; received %s" % (self.module, request["path"]))
        return onnx_session.OnnxSession(self._runner(), request["path"])

    def suite(self, request):
        """ONNX's own cases of single operators; see ``assay_worker.suite``."""
        from assay_worker import suite

        return suite.answer(self, request)

    def _runner(self):
        from assay_worker.models import onnx_session

        runners = {
            "onnxruntime": onnx_session.on_onnxruntime,
            "openvino": onnx_session.on_openvino,
            "onnx": onnx_session.on_reference,
        }
        return runners[self.module](self.mode)


class _Program(object):
    """A case as a model; compiled on the first run."""

    def __init__(self, make_runner, content, question):
        self._make = make_runner
        self._content = content
        self._runner = None
        self._graph = question.graph

    def __call__(self, inputs, record):
        # A runtime does not say which node it was at; of a call there is only one.
        nodes = self._graph["nodes"]
        node = nodes[0]["id"] if len(nodes) == 1 else ""
        if self._runner is None:
            with at("build", node):
                self._runner = self._make(self._content)
        with at("forward", node):
            found = self._runner(inputs)
        for name, array in found.items():
            record["output:" + name] = np.asarray(array)


def _model(onnx, graph, hidden):
    """The bytes of a model; ``hidden``: the outputs of all nodes are seen, not only the last."""
    helper = onnx.helper
    nodes, constants = [], []
    seen = [name[:-2] if name.endswith(":0") else name for name in graph["outputs"]]
    for node in graph["nodes"]:
        with at("build", node["id"]):
            made, own = _node(onnx, node, graph)
        nodes.append(made)
        constants += own
        if hidden:
            seen += [name for name in made.output if name not in seen]
    model = helper.make_model(
        helper.make_graph(
            nodes,
            "case",
            [
                helper.make_tensor_value_info(
                    item["name"], _type(onnx, item["dtype"]), item["shape"]
                )
                for item in graph["inputs"]
            ],
            [helper.make_empty_tensor_value_info(name) for name in seen],
            constants,
        ),
        opset_imports=[helper.make_opsetid("", onnx_nodes.OPSET)],
    )
    model.ir_version = onnx_nodes.IR_VERSION
    inferred = onnx.shape_inference.infer_shapes(model)
    return inferred.SerializeToString()


def _node(onnx, node, graph):
    """A node, and the constants that it reads."""
    made = onnx_nodes.made(node, graph)
    known = onnx.defs.get_schema(made.kind, onnx_nodes.OPSET, "").attributes
    for key in made.attributes:
        if key not in known:
            raise TypeError("%s has no attribute or input %r" % (made.kind, key))
    attributes = {key: _attribute(onnx, value) for key, value in made.attributes.items()}
    constants = [
        onnx.numpy_helper.from_array(np.array(value, dtype=dtype), name)
        for name, value, dtype in made.constants
    ]
    node = onnx.helper.make_node(
        made.kind, made.inputs, made.outputs, name=node["id"], **attributes
    )
    return node, constants


def _attribute(onnx, value):
    if isinstance(value, dict) and "$dtype" in value:
        return _type(onnx, value["$dtype"])
    return value


def _type(onnx, dtype):
    return onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


class OnnxruntimeAdapter(_OnnxAdapter):
    """ONNX Runtime, with its optimisations or without."""

    module = "onnxruntime"
    modes = ("optimised", "unoptimised")


class OpenvinoAdapter(_OnnxAdapter):
    """OpenVINO, on ONNX files and on what else it reads."""

    module = "openvino"
    formats = ("openvino", "litert", "savedmodel")


class ReferenceEvaluatorAdapter(_OnnxAdapter):
    """ONNX's own definition of its ops."""

    module = "onnx"
