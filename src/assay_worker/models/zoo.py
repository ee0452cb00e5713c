"""The zoo: well-known architectures with weights drawn by seed, built where they are asked for.

Weights are drawn by recipe, scaled by fan-in, and every batch normalization gets
the statistics of a drawn batch, so that signals neither vanish nor explode. The last
layer is centred and scaled so that other inputs get other answers, and several classes
stay likely. The model is saved once; every target loads that file.
"""

import numpy as np

from assay_worker import recipes
from assay_worker.models import keras_plan
from assay_worker.models.keras_session import KerasSession

#: Spread of a logit over the instances after scaling: several classes stay likely.
_LOGIT_SPREAD = 2.0
#: Spread of the output of a regression.
_VALUE_SPREAD = 0.5
#: A spread below this share of the size is not scaled up further: rounding would be, too.
_SMALLEST_SHARE = 0.05
_CALIBRATION_INSTANCES = 8


def _lenet(keras, filters, dense):
    layers = keras.layers
    stack = [keras.Input((28, 28, 1))]
    for count in filters:
        stack.append(layers.Conv2D(count, 5, activation="relu", padding="same"))
        stack.append(layers.MaxPooling2D(2))
    stack.append(layers.Flatten())
    stack += [layers.Dense(units, activation="relu") for units in dense]
    return keras.Sequential(stack + [layers.Dense(10, activation="softmax")])


def _resnet20(keras):
    layers = keras.layers
    x = inputs = keras.Input((32, 32, 3))

    def unit(x, filters, strides=1, activation=True):
        x = layers.Conv2D(filters, 3, strides=strides, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization()(x)
        return layers.ReLU()(x) if activation else x

    x = unit(x, 16)
    for stage, filters in enumerate((16, 32, 64)):
        for block in range(3):
            strides = 2 if stage and not block else 1
            y = unit(unit(x, filters, strides), filters, activation=False)
            if strides == 2:
                x = layers.Conv2D(filters, 1, strides=2, use_bias=False)(x)
                x = layers.BatchNormalization()(x)
            x = layers.ReLU()(layers.Add()([x, y]))
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, layers.Dense(10, activation="softmax")(x))


def _text(keras, recurrent):
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((40,), dtype="int32"),
            layers.Embedding(500, 32),
            layers.SpatialDropout1D(0.2),
            getattr(layers, recurrent)(32, return_sequences=True),
            layers.Bidirectional(getattr(layers, recurrent)(16)),
            layers.Dense(16, activation="tanh"),
            layers.Dense(4, activation="softmax"),
        ]
    )


def _transformer(keras):
    layers = keras.layers
    inputs = keras.Input((24,), dtype="int32")
    x = layers.Embedding(300, 32)(inputs)
    for _ in range(2):
        attended = layers.MultiHeadAttention(4, 8)(x, x)
        x = layers.LayerNormalization()(layers.Add()([x, attended]))
        y = layers.Dense(64, activation="gelu")(x)
        y = layers.Dropout(0.1)(layers.Dense(32)(y))
        x = layers.LayerNormalization()(layers.Add()([x, y]))
    x = layers.GlobalAveragePooling1D()(x)
    return keras.Model(inputs, layers.Dense(5, activation="softmax")(x))


def _steering(keras):
    """A steering-angle regression in the manner of NVIDIA's PilotNet."""
    layers = keras.layers
    stack = [keras.Input((66, 200, 3)), layers.Rescaling(2.0, offset=-1.0)]
    for filters, size, strides in ((24, 5, 2), (36, 5, 2), (48, 5, 2), (64, 3, 1), (64, 3, 1)):
        stack.append(layers.Conv2D(filters, size, strides=strides, activation="elu"))
    stack += [layers.Flatten()] + [layers.Dense(n, activation="elu") for n in (100, 50, 10)]
    return keras.Sequential(stack + [layers.Dense(1)])


def _application(name):
    return lambda keras: getattr(keras.applications, name)(weights=None)


ARCHITECTURES = {
    "lenet1": lambda keras: _lenet(keras, (4, 12), ()),
    "lenet4": lambda keras: _lenet(keras, (4, 16), (120,)),
    "lenet5": lambda keras: _lenet(keras, (6, 16), (120, 84)),
    "resnet20": _resnet20,
    "resnet50": _application("ResNet50"),
    "vgg16": _application("VGG16"),
    "mobilenet": _application("MobileNet"),
    "mobilenetv2": _application("MobileNetV2"),
    "densenet121": _application("DenseNet121"),
    "inceptionv3": _application("InceptionV3"),
    "inceptionresnetv2": _application("InceptionResNetV2"),
    "xception": _application("Xception"),
    "nasnetmobile": _application("NASNetMobile"),
    "nasnetlarge": _application("NASNetLarge"),
    "lstm": lambda keras: _text(keras, "LSTM"),
    "gru": lambda keras: _text(keras, "GRU"),
    "transformer": _transformer,
    "steering": _steering,
}


def build(keras, name, seed, path):
    """Build the architecture with weights of that seed, and save it as a .keras file."""
    keras.backend.clear_session()  # layers are named by count: the same in every process
    model = ARCHITECTURES[name](keras)
    for index, weight in enumerate(model.weights):
        weight.assign(_drawn(weight, seed, index))
    _calibrate(keras, model, seed)
    model.save(path)


def _drawn(weight, seed, index):
    shape, kind = tuple(weight.shape), weight.path.rpartition("/")[2]
    if "float" not in str(weight.dtype):
        return np.zeros(shape, str(weight.dtype))  # the state of a random generator
    low, high = -0.05, 0.05
    if kind in ("gamma", "moving_variance"):
        low, high = 0.9, 1.1
    elif kind == "embeddings":
        low, high = -1.0, 1.0
    elif len(shape) >= 2:
        channels = shape[-2] if "depthwise" not in kind else 1
        gain = 3.0 if kind == "recurrent_kernel" else 6.0
        fan_in = float(np.prod(shape[:-2], dtype="int64")) * channels
        high = float(np.sqrt(gain / max(fan_in, 1.0)))
        low = -high
    recipe = {"kind": "uniform", "seed": recipes.derive(seed, index), "low": low, "high": high}
    return recipes.materialise(recipe, shape, "float32")


def _calibrate(keras, model, seed):
    """Statistics of every batch normalization; centre and scale of the last layer."""
    layers = keras.layers
    session = KerasSession(_Plain(keras), model)
    inputs = [
        _instances(tuple(tensor.shape)[1:], str(tensor.dtype), recipes.derive(seed, place))
        for place, tensor in enumerate(keras_plan.functional(model).inputs)
    ]
    kinds = (layers.Dense, layers.Conv2D)
    last = [step for step in session.steps if isinstance(step.operation, kinds)][-1]
    with session.inference():
        tensors = dict(zip(session.input_names, map(keras.ops.convert_to_tensor, inputs)))
        for step in session.forgetting(tensors):
            operation = step.operation
            if isinstance(operation, layers.BatchNormalization):
                x = keras.ops.convert_to_numpy(tensors[step.inputs[0]]).astype("float64")
                axes = tuple(range(x.ndim - 1))
                operation.moving_mean.assign(x.mean(axes).astype("float32"))
                operation.moving_variance.assign((x.var(axes) + 0.01).astype("float32"))
            if step is last:
                x = keras.ops.convert_to_numpy(tensors[step.inputs[0]]).astype("float64")
                _spread_out(keras, operation, x)
            for name, tensor in zip(step.outputs, keras.tree.flatten(step.call(tensors))):
                tensors[name] = tensor


def _instances(shape, dtype, seed):
    """Inputs for the calibration: ids, or values of a range of each instance's own."""
    drawn = []
    for index in range(_CALIBRATION_INSTANCES):
        seeded = recipes.derive(seed, "calibration", index)
        low, high = recipes.range_of_instance(seeded)
        recipe = {"kind": "uniform", "seed": seeded, "low": low, "high": high}
        if "int" in dtype:
            recipe = {"kind": "integers", "seed": seeded, "low": 0, "high": 99}
        drawn.append(recipes.materialise(recipe, shape, dtype))
    return np.stack(drawn)


def _spread_out(keras, operation, x):
    """Centre and scale the outputs of the last layer over instances."""
    kernel = keras.ops.convert_to_numpy(operation.kernel).astype("float64")
    # Where it is a convolution, its window is one pixel.
    outputs = (x @ kernel.reshape(kernel.shape[-2:])).reshape(len(x), -1)
    spread = max(
        float(outputs.std(axis=0).mean()), _SMALLEST_SHARE * float(np.sqrt((outputs**2).mean()))
    )
    wanted = _LOGIT_SPREAD if kernel.shape[-1] > 1 else _VALUE_SPREAD
    factor = wanted / spread if spread > 0 else 1.0
    operation.kernel.assign((kernel * factor).astype("float32"))
    operation.bias.assign((-factor * outputs.mean(axis=0)).astype("float32"))


class _Plain(object):
    """What a session asks of an adapter."""

    def __init__(self, keras):
        self.keras = keras
        self.backend = keras.backend.backend()
