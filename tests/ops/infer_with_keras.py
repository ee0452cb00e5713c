"""Run by the tests in a process of its own: what Keras makes of calls.

Standard input: a JSON list of calls (op, params, inputs with shape and dtype,
grouped, keywords, arguments of the call). Standard output: a JSON list of what Keras inferred
(``inferred``: ``compute_output_shape`` of layers, else null), what it computed
(``computed``), or ``error``.
"""

import json
import os
import sys

os.environ["KERAS_BACKEND"] = sys.argv[1]
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import keras
import numpy as np


def resolve(path):
    found = keras
    for part in path.split(".")[1:]:
        found = getattr(found, part)
    return found


def plain(value):
    """A parameter as adapters give it: tuples for lists, objects for nested ops."""
    if isinstance(value, dict) and "$op" in value:
        params = {key: plain(item) for key, item in value.get("params", {}).items()}
        return resolve(value["$op"])(**params)
    return tuple(plain(item) for item in value) if isinstance(value, list) else value


def flat(result):
    if isinstance(result, (list, tuple)):
        return [item for part in result for item in flat(part)]
    return [result]


def shapes_of(result):
    return [list(np.shape(item)) for item in flat(result)]  # a plain bool has no shape


def inferred_shapes(result):
    """One shape, or a nest of them, as a list of shapes."""
    if all(item is None or isinstance(item, int) for item in result):
        return [list(result)]
    return [shape for part in result for shape in inferred_shapes(part)]


def filled(item):
    """Ones; for what needs an invertible matrix, the identity; for ids, zeros."""
    if item["fill"] == "identity":
        unit = np.eye(item["shape"][-1], dtype=item["dtype"])
        return np.broadcast_to(unit, item["shape"]).copy()
    if item["fill"] == "corners":
        points = np.array([[0, 0], [3, 0], [0, 2], [3, 2]], dtype=item["dtype"])
        return np.broadcast_to(points, item["shape"]).copy()
    return np.full(item["shape"], 0 if item["fill"] == "zeros" else 1, item["dtype"])


def run(call):
    found = resolve(call["op"])
    given = {key: plain(value) for key, value in call["params"].items()}
    params = {key: value for key, value in given.items() if key not in call["arguments"]}
    tensors = []
    keywords = {key: value for key, value in given.items() if key in call["arguments"]}
    for item in call["inputs"]:
        tensor = keras.ops.convert_to_tensor(filled(item))
        key = item["keyword"]
        if key in keywords:
            keywords[key] = [*flat(keywords[key]), tensor]
        elif key:
            keywords[key] = tensor
        else:
            tensors.append(tensor)
    lists = int(call["grouped"])
    length = len(tensors) // max(1, lists)
    positional = [tensors[i * length : (i + 1) * length] for i in range(lists)] or tensors
    if not isinstance(found, type):
        if call["op"] == "keras.ops.einsum":  # the subscripts have no keyword
            positional.insert(0, params.pop("subscripts"))
        return {"inferred": None, "computed": shapes_of(found(*positional, **params, **keywords))}
    if issubclass(found, keras.metrics.Metric):  # which need lists of thresholds
        params = {k: list(v) if isinstance(v, tuple) else v for k, v in params.items()}
    layer = found(**params)
    if isinstance(layer, keras.optimizers.Optimizer):
        variable = keras.Variable(tensors[0])
        layer.apply([tensors[1]], [variable])
        return {"inferred": None, "computed": shapes_of(variable.value)}
    computed = shapes_of(layer(*positional, **keywords))
    # Inference knows layers of one tensor only.
    if call["arguments"] or len(positional) > 1 or not isinstance(layer, keras.layers.Layer):
        return {"inferred": None, "computed": computed}
    shapes = [tuple(item["shape"]) for item in call["inputs"] if not item["keyword"]]
    try:
        inferred = layer.compute_output_shape(shapes if call["grouped"] else shapes[0])
    except NotImplementedError:  # recurrent cells
        return {"inferred": None, "computed": computed}
    return {"inferred": inferred_shapes(inferred), "computed": computed}


def main():
    answers = []
    for call in json.load(sys.stdin):
        try:
            answers.append(run(call))
        except Exception as error:  # noqa: BLE001  whatever Keras raises is the answer
            answers.append({"error": f"{type(error).__name__}: {error}"[:500]})
    json.dump(answers, sys.stdout)


main()
