"""The bare loop of a pair: inputs drawn, a call and its compiled twin, ``numpy.allclose``.

Run in a process of its own: ``python bare_rewrite.py LIBRARY < cases.json``; prints the CPU
seconds of the loop, after a warm-up.
"""

import importlib
import json
import sys
import time

import numpy as np

LIBRARY = sys.argv[1]


def resolved(path):
    value = importlib.import_module({"torch": "torch", "tf": "tensorflow"}[path.partition(".")[0]])
    for name in path.split(".")[1:]:
        value = getattr(value, name)
    return value


def compiled(function, tensors):
    if LIBRARY == "torch":
        import torch

        return torch.jit.trace(function, tuple(tensors), check_trace=False)
    import tensorflow as tf

    return tf.function(function)


def tensor(array):
    if LIBRARY == "torch":
        import torch

        return torch.tensor(array)
    import tensorflow as tf

    return tf.constant(array)


def pair(case, draw):
    api, inputs, arguments, draws = case
    own = resolved(api)

    def function(*tensors):
        return own(*tensors, **arguments)

    other, agreeing = None, 0
    for _ in range(draws):
        arrays = [draw.uniform(-1, 1, shape).astype(dtype) for shape, dtype in inputs]
        tensors = [tensor(array) for array in arrays]
        first = function(*tensors).numpy()
        other = other or compiled(function, tensors)
        second = other(*tensors).numpy()
        agreeing += np.allclose(first, second, equal_nan=True)
    return agreeing


def main():
    cases = json.load(sys.stdin)
    draw = np.random.RandomState(0)
    for case in cases[:6]:
        pair(case, draw)
    started = time.process_time()
    for case in cases:
        pair(case, draw)
    print(time.process_time() - started)


main()
