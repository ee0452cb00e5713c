"""The bare loop: the same layers, called directly, all outputs and gradients as arrays.

Run in a process of its own: ``python bare.py BACKEND < cases.json``; prints the
CPU seconds of the loop, after a warm-up.
"""

import json
import os
import sys
import time

backend = sys.argv[1]
os.environ["KERAS_BACKEND"] = backend
import keras  # noqa: E402
import numpy as np  # noqa: E402


def build(nodes, shape, draw):
    layers = {}
    shapes = {"x": shape}
    for node in nodes:
        layer = getattr(keras.layers, node["op"].rpartition(".")[2])(**node["params"])
        inputs = node["inputs"][0]
        given = shapes[inputs] if isinstance(inputs, str) else [shapes[name] for name in inputs]
        layer.build(given)
        for weight in layer.weights:
            weight.assign(draw.uniform(0.1, 0.5, weight.shape).astype("float32"))
        shapes[node["id"]] = layer.compute_output_shape(given)
        layers[node["id"]] = layer
    return layers


def forward(nodes, layers, x):
    values = {"x": x}
    for node in nodes:
        inputs = node["inputs"][0]
        given = values[inputs] if isinstance(inputs, str) else [values[name] for name in inputs]
        values[node["id"]] = layers[node["id"]](given)
    return values


def run_torch(nodes, layers, x, upstream):
    import torch

    tensor = torch.tensor(x, requires_grad=True)
    values = forward(nodes, layers, tensor)
    loss = (values["n9"] * torch.tensor(upstream)).sum()
    weights = [w.value for layer in layers.values() for w in layer.trainable_weights]
    gradients = torch.autograd.grad(loss, [*values.values(), *weights])
    return [t.detach().numpy() for t in (*values.values(), loss, *gradients)]


def run_tensorflow(nodes, layers, x, upstream):
    import tensorflow as tf

    tensor = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(tensor)
        values = forward(nodes, layers, tensor)
        loss = tf.reduce_sum(values["n9"] * upstream)
    weights = [w.value for layer in layers.values() for w in layer.trainable_weights]
    gradients = tape.gradient(loss, [*values.values(), *weights])
    return [t.numpy() for t in (*values.values(), loss, *gradients)]


def main():
    cases = json.load(sys.stdin)
    run = {"torch": run_torch, "tensorflow": run_tensorflow}[backend]
    draw = np.random.RandomState(0)

    def once(case):
        nodes = case["graph"]["nodes"]
        shape = tuple(case["graph"]["inputs"][0]["shape"])
        x = draw.uniform(-1, 1, shape).astype("float32")
        layers = build(nodes, shape, draw)
        upstream = draw.uniform(0.5, 1.5, (shape[0], 4)).astype("float32")
        run(nodes, layers, x, upstream)

    for case in cases[:20]:
        once(case)
    started = time.process_time()
    for case in cases:
        once(case)
    print(time.process_time() - started)


main()
