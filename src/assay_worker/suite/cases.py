"""The cases that the onnx package has of single operators, as plain data.

A case: ``name``, ``op`` (as ``onnx.Conv`` or ``ai.onnx.ml.Scaler``), ``opset``, ``model`` (bytes),
``inputs`` and ``expected`` (values as bytes), ``names`` of inputs and outputs, what is ``told`` of
both, ``rtol`` and ``atol`` within which the package's own runner compares, ``random`` (does it draw
numbers?), ``expanded`` (is the operator written out as the function that defines it?) and
``bodies`` (the ops in it) ``text`` (the model to be read, "" where that says not all)
and ``attributes`` of the last node, those that are plain data.
"""

import collections
import warnings

import numpy as np
import onnx
import onnx.parser
import onnx.printer

from assay_worker.suite.values import packed, told

_EXPANDED = "_expanded"
#: Longer texts of models are not for readers.
_LETTERS = 6000


def counted():
    """How many cases each operator has, and which onnx package has them."""
    found = collections.Counter(op for op, _ in _collected())
    opset = onnx.defs.onnx_opset_version()
    return {"ops": dict(found), "version": onnx.__version__, "opset": opset}


def cases(ops):
    """The cases of these operators, in the package's order."""
    return [_plain(case, op) for op, case in _collected() if op in ops]


_MADE = []


def _collected():
    """The package's cases with their operators; it draws their numbers by seeds of its own.

    A case that is written out is of the operator that it stands for.
    """
    if not _MADE:
        from onnx.backend.test.case import node

        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            made = node.collect_testcases(None)
        plain = {case.name: _op(case) for case in made}
        for case in made:
            origin = case.name.partition(_EXPANDED)[0]
            _MADE.append((plain.get(origin, plain[case.name]), case))
    return _MADE


def _op(case):
    last = case.model.graph.node[-1]
    return "%s.%s" % (last.domain or "onnx", last.op_type)


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
        "text": _text(case.model),
        "attributes": _attributes(graph.node[-1]),
    }


def _text(model):
    """The model as text; "" where reading it does not give the same model again."""
    try:
        text = onnx.printer.to_text(model)
        same = onnx.printer.to_text(onnx.parser.parse_model(text)) == text
    except Exception:  # whatever the parser lacks: it is text for readers
        return ""
    return text if same and len(text) <= _LETTERS else ""


def _attributes(node):
    found = {}
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        value = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        items = value if isinstance(value, (list, tuple)) else [value]
        if all(isinstance(item, (int, float, str)) for item in items):
            found[attribute.name] = value
    return found


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
    kinds = onnx.defs.OpSchema.NodeDeterminism
    if schema is None or schema.node_determinism != kinds.NonDeterministic:
        return False
    return node.op_type != "Dropout" or len(node.input) > 2
