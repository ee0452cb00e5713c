"""The bare loop of a measurement: one input after the other, op(x), the same in NumPy, the error.

Run in a process of its own: ``python bare_precision.py BACKEND INPUTS``; prints a JSON object of
inputs per CPU second, after a warm-up, of Predoo's seven operators in its shapes, in float16.
"""

import json
import os
import sys
import time

backend, count = sys.argv[1], int(sys.argv[2])
os.environ["KERAS_BACKEND"] = backend
import keras  # noqa: E402
import numpy as np  # noqa: E402


def convolved(x):
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    return np.einsum("nhwcij,ijcf->nhwf", windows, KERNEL)


def pooled(x):
    n, h, w, c = x.shape
    return x.reshape(n, h // 2, 2, w // 2, 2, c).max(axis=(2, 4))


def shares(x):
    high = np.exp(x - x.max(axis=-1, keepdims=True))
    return high / high.sum(axis=-1, keepdims=True)


KERNEL = np.full((3, 3, 3, 8), 0.5)
half = {"dtype": "float16"}
layers = keras.layers
OPERATORS = {
    "conv2d": (layers.Conv2D(8, 3, use_bias=False, **half), (1, 10, 10, 3), convolved),
    "norm": (
        layers.BatchNormalization(center=False, scale=False, **half),
        (1, 2, 4, 4),
        lambda x: x / np.sqrt(1.0 + 1e-3),
    ),
    "pooling": (layers.MaxPooling2D(2, **half), (1, 4, 4, 2), pooled),
    "relu": (layers.ReLU(**half), (2, 2), lambda x: np.maximum(x, 0.0)),
    "sigmoid": (layers.Activation("sigmoid", **half), (2, 2), lambda x: 1.0 / (1.0 + np.exp(-x))),
    "softmax": (layers.Softmax(**half), (2, 2), shares),
    "tanh": (layers.Activation("tanh", **half), (2, 2), np.tanh),
}


def loop(layer, shape, truth, inputs):
    draw, worst = np.random.RandomState(0), 0.0
    for _ in range(inputs):
        x = draw.standard_normal(shape)
        near = x.astype("float16")
        answer = keras.ops.convert_to_numpy(layer(keras.ops.convert_to_tensor(near)))
        worst = max(
            worst, float(np.abs(answer.astype("float64") - truth(near.astype("float64"))).max())
        )
    return worst


def main():
    found = {}
    for name, (layer, shape, truth) in OPERATORS.items():
        layer.build(shape)
        if name == "conv2d":
            layer.set_weights([KERNEL])
        worst = loop(layer, shape, truth, 20)
        assert worst < 0.1, f"{name}: NumPy means something else, {worst}"
        started = time.process_time()
        loop(layer, shape, truth, count)
        found[name] = count / (time.process_time() - started)
    print(json.dumps(found))


main()
