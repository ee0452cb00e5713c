"""Small models of the kinds that CRADLE used, written by Keras 2 as ``.h5``; runs on Python 3.6.

    PYTHON_OF_AN_ENVIRONMENT benchmarks/cradle_models.py FOLDER [NAME …]

Their layers are those that the paper's bugs were in: strided convolutions with "same" padding,
average pooling with "same" padding, depthwise and separable convolutions, batch normalization.
Weights are drawn by seed; the last layer is scaled so that other inputs get other labels. Beside
each model lies ``NAME.npz``: instances, and as their truth what the model says of them before noise
was added, so that it is right often, but not always. This favours the backend that wrote them.
"""

import os
import sys

import numpy as np

SEED = 0
#: How far the answers to other inputs are apart: so that no label is always the best.
SPREAD = 2.0
INSTANCES = 256
#: Of the noise, where the instances have 1.
DEVIATION = 0.5


def lenet5(layers):
    """Convolutions and pooling without padding."""
    return (28, 28, 1), [
        layers.Conv2D(6, 5, activation="relu"),
        layers.MaxPooling2D(),
        layers.Conv2D(16, 5, activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(84, activation="relu"),
    ]


def strided(layers):
    """As in ResNet and MobileNet: "same" padding where a stride meets an even size."""
    return (32, 32, 3), [
        layers.Conv2D(8, 3, strides=2, padding="same", activation="relu"),
        layers.BatchNormalization(),
        layers.Conv2D(16, 3, strides=2, padding="same", activation="relu"),
        layers.GlobalAveragePooling2D(),
    ]


def pooled(layers):
    """As in Inception: average pooling with "same" padding."""
    return (16, 16, 3), [
        layers.Conv2D(8, 3, padding="same", activation="relu"),
        layers.AveragePooling2D(3, strides=1, padding="same"),
        layers.Conv2D(8, 3, activation="relu"),
        layers.AveragePooling2D(3, strides=2, padding="same"),
        layers.Flatten(),
    ]


def separable(layers):
    """As in Xception."""
    return (16, 16, 3), [
        layers.SeparableConv2D(8, 3, padding="same", activation="relu"),
        layers.BatchNormalization(),
        layers.SeparableConv2D(8, 3, activation="relu"),
        layers.MaxPooling2D(3, strides=2, padding="same"),
        layers.Flatten(),
    ]


def normalised(layers):
    """Batch normalization with moments that are not 0 and 1, and a small epsilon."""
    return (8, 8, 3), [
        layers.Conv2D(8, 3, activation="relu"),
        layers.BatchNormalization(epsilon=1e-3),
        layers.Conv2D(8, 3, activation="relu"),
        layers.BatchNormalization(epsilon=1e-3),
        layers.Flatten(),
    ]


def steering(layers):
    """As the driving models: strided convolutions without padding, one number."""
    return (32, 48, 3), [
        layers.Conv2D(8, 5, strides=2, activation="relu"),
        layers.Conv2D(12, 5, strides=2, padding="same", activation="relu"),
        layers.Flatten(),
        layers.Dense(20, activation="relu"),
    ]


MODELS = (lenet5, strided, pooled, separable, normalised, steering)


def built(keras, make):
    """The model, with weights drawn by seed."""
    draw = np.random.RandomState(SEED)
    shape, hidden = make(keras.layers)
    given = tensor = keras.layers.Input(shape)
    for layer in hidden:
        tensor = layer(tensor)
        layer.set_weights([drawn(draw, weight.shape) for weight in layer.get_weights()])
    features = keras.models.Model(given, tensor).predict(draw.normal(size=(INSTANCES, *shape)))
    regression = make is steering
    last = keras.layers.Dense(1 if regression else 10, activation=None if regression else "softmax")
    # A Sequential one with an input layer loses its layers when Keras 2.3.1 reads it again.
    model = keras.models.Model(given, last(tensor), name=make.__name__)
    kernel = drawn(draw, last.get_weights()[0].shape)
    answers = features.dot(kernel)
    scale = SPREAD / answers.std(axis=0)
    last.set_weights([kernel * scale, -answers.mean(axis=0) * scale])
    return model


def drawn(draw, shape):
    """A kernel, or numbers for each channel: also gamma, beta, mean and variance, all positive."""
    if len(shape) == 1:
        return draw.uniform(0.05, 0.5, size=shape)
    return draw.normal(size=shape) * np.sqrt(2.0 / np.prod(shape[:-1]))


def labelled(model):
    """Instances and their truth: a class, or a number."""
    draw = np.random.RandomState(SEED + 1)
    shape = (INSTANCES, *model.input_shape[1:])
    clear = draw.normal(size=shape)
    answers = model.predict(clear)
    truth = answers.argmax(axis=1) if answers.shape[1] > 1 else answers
    return (clear + DEVIATION * draw.normal(size=shape)).astype("float32"), truth


def main(folder, names):
    import keras

    for make in MODELS:
        if not names or make.__name__ in names:
            model = built(keras, make)
            model.save(os.path.join(folder, make.__name__ + ".h5"))
            x, y = labelled(model)
            np.savez(os.path.join(folder, make.__name__ + ".npz"), x=x, y=y)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
