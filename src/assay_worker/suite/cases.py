"""The cases that the onnx package has of single operators, as plain data.

A case: ``name``, ``op`` (as ``onnx.Conv`` or ``ai.onnx.ml.Scaler``), ``opset``, ``model`` (bytes),
``inputs`` and ``expected`` (values as bytes), ``names`` of inputs and outputs, what is ``told`` of
both, ``rtol`` and ``atol`` within which the package's own runner compares, ``random`` (does it draw
numbers?), ``expanded`` (is the operator written out as the function that defines it?) and
``bodies`` (the ops in it).
"""

import collections
import warnings

import numpy as np
import onnx

from assay_worker.suite.values import packed, told

_EXPANDED = "_expanded"


def counted():
    """How many cases each operator has, and which onnx package has them."""
    found = collections.Counter(_op(case) for case in _collected())
    opset = onnx.defs.onnx_opset_version()
    return {"ops": dict(found), "version": onnx.__version__, "opset": opset}


def cases(ops):
    """The cases of these operators, in the package's order."""
    return [_plain(case, _op(case)) for case in _collected() if _op(case) in ops]


_MADE = []


def _collected():
    """The package's cases; it draws their numbers by seeds of its own."""
    if not _MADE:
        from onnx.backend.test.case import node

        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            _MADE.extend(node.collect_testcases(None))
    return _MADE


def _op(case):
    """The operator that a case is of; of one that is written out, the one it stands for.

    Its nodes are named after what they are written out of: ``Celu_test_celu_expanded_function_…``.
    """
    nodes = case.model.graph.node
    name, domain = nodes[-1].op_type, nodes[-1].domain
    if _EXPANDED in case.name:
        for node in nodes:
            for tensor in list(node.output) + list(node.input):
                if "_expanded_function_" in tensor:
                    name = tensor.partition("_test_")[0]
        domain = next((d.domain for d in case.model.opset_import if _has(name, d)), domain)
    return "%s.%s" % (domain or "onnx", name)


def _has(name, imported):
    return onnx.defs.has(name, imported.version, imported.domain)


def _plain(case, op):
    graph = case.model.graph
    ((inputs, expected),) = case.data_sets
    kinds = sorted({name for name, _ in _bodies(case.model)})
    return {
        "name": case.name,
        "op": op,
        "opset": max(item.version for item in case.model.opset_import),
        "model": np.frombuffer(case.model.SerializeToString(), "uint8"),
        "names": {
            "inputs": [item.name for item in graph.input],
            "outputs": [item.name for item in graph.output],
        },
        "inputs": [packed(value) for value in inputs],
        "expected": [packed(value) for value in expected],
        "told": {
            "inputs": [told(value) for value in inputs],
            "outputs": [told(value) for value in expected],
        },
        "rtol": case.rtol,
        "atol": case.atol,
        "random": any(draws for _, draws in _bodies(case.model)),
        "expanded": _EXPANDED in case.name,
        "bodies": kinds,
    }


def _bodies(model):
    """Every op in a model, those of graphs and functions inside included, and whether it draws."""
    versions = {item.domain: item.version for item in model.opset_import}
    todo = [(node, versions) for node in model.graph.node]
    while todo:
        node, known = todo.pop()
        inner = []
        for attribute in node.attribute:
            graphs = [attribute.g] if attribute.HasField("g") else list(attribute.graphs)
            inner += [item for graph in graphs for item in graph.node]
        todo += [(item, known) for item in inner]
        function, own = _function(node, known)
        todo += [(item, own) for item in function]
        yield node.op_type, not inner and not function and _draws(node, known)


def _schema(node, versions):
    version = versions.get(node.domain)
    if version is None or not onnx.defs.has(node.op_type, version, node.domain):
        return None
    return onnx.defs.get_schema(node.op_type, version, node.domain)


def _function(node, versions):
    """The nodes of the function that defines an op, and the versions that they are of."""
    schema = _schema(node, versions)
    if schema is None or not schema.has_function:
        return [], versions
    body = schema.function_body
    return list(body.node), {item.domain: item.version for item in body.opset_import}


def _draws(node, versions):
    """Does an op draw random numbers? Dropout does only where it is told whether to train."""
    schema = _schema(node, versions)
    if schema is None or schema.node_determinism != onnx.defs.OpSchema.NodeDeterminism.NonDeterministic:
        return False
    return node.op_type != "Dropout" or len(node.input) > 2
