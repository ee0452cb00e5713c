"""Run by the tests in a process of its own: what Keras makes of calls.

Standard input: a JSON list of calls (op, params, inputs with shape and dtype,
grouped, keywords). Standard output: a JSON list of what Keras inferred
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


def tuples(value):
    return tuple(tuples(item) for item in value) if isinstance(value, list) else value


def shapes_of(result):
    results = result if isinstance(result, (list, tuple)) else [result]
    return [list(item.shape) for item in results]


def run(call):
    found = keras
    for part in call["op"].split(".")[1:]:
        found = getattr(found, part)
    params = {key: tuples(value) for key, value in call["params"].items()}
    tensors, keywords = [], {}
    for item in call["inputs"]:
        tensor = keras.ops.convert_to_tensor(np.ones(item["shape"], item["dtype"]))
        if item["keyword"]:
            keywords[item["keyword"]] = tensor
        else:
            tensors.append(tensor)
    lists = int(call["grouped"])
    length = len(tensors) // max(1, lists)
    positional = [tensors[i * length : (i + 1) * length] for i in range(lists)] or tensors
    if not isinstance(found, type):
        return {"inferred": None, "computed": shapes_of(found(*positional, **params, **keywords))}
    layer = found(**params)
    computed = shapes_of(layer(*positional, **keywords))
    shapes = [tuple(item["shape"]) for item in call["inputs"] if not item["keyword"]]
    inferred = layer.compute_output_shape(shapes if call["grouped"] else shapes[0])
    return {"inferred": [list(inferred)], "computed": computed}


def main():
    answers = []
    for call in json.load(sys.stdin):
        try:
            answers.append(run(call))
        except Exception as error:  # noqa: BLE001  whatever Keras raises is the answer
            answers.append({"error": f"{type(error).__name__}: {error}"[:500]})
    json.dump(answers, sys.stdout)


main()
