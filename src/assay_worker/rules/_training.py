"""What the rules about training share: a small model around a layer, and steps of an optimizer."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import given, words


def learner(layer, inputs, **compiled):
    """A model of the layer and a dense one, to be trained; its optimizer's state is fresh."""
    import keras

    layer.built or layer.build(tuple(inputs.shape))
    model = keras.Sequential([
        keras.Input(tuple(inputs.shape[1:]), dtype=keras.backend.standardize_dtype(inputs.dtype)),
        type(layer).from_config(layer.get_config()),
        keras.layers.Flatten(),
        keras.layers.Dense(3),
    ])  # fmt: skip
    model.compile(loss="mse", **compiled)
    model.optimizer.build(model.trainable_variables)
    numpy = keras.ops.convert_to_numpy
    return model, [(variable, numpy(variable).copy()) for variable in model.optimizer.variables]


def begun(learner, layer, inputs):
    """The model as it was before any step; what it is to learn, as arrays."""
    import keras
    import numpy as np

    model, fresh = learner
    for variable, value in fresh:
        variable.assign(value)
    model.layers[0].set_weights(layer.get_weights())
    dense = model.layers[-1]
    waves = [np.cos(np.arange(w.size, dtype="float32")).reshape(w.shape)
             for w in dense.get_weights()]  # fmt: skip
    dense.set_weights(waves)
    x = keras.ops.convert_to_numpy(inputs)
    return model, x, np.sin(np.arange(3 * len(x), dtype="float32")).reshape(-1, 3)


def learning(method, *args, **kwargs):
    """What a method of a model does that trains, whoever has switched gradients off."""
    import keras

    if keras.backend.backend() != "torch":
        return method(*args, **kwargs)
    import torch

    with torch.enable_grad():
        return method(*args, **kwargs)


def stepped(optimizer, value, gradients):
    """A variable of that value after one step for each gradient, and the values between."""
    import keras

    variable = keras.Variable(keras.ops.copy(value), dtype=value.dtype)
    optimizer.build([variable])
    values = []
    for gradient in gradients:
        optimizer.apply([gradient], [variable])
        values.append(keras.ops.convert_to_numpy(variable).copy())
    return variable, values


def optimizer_of(function, **changes):
    """A new optimizer with the configuration of one, or of what takes one step of it."""
    optimizer = getattr(function, "object", function)
    return type(optimizer).from_config(dict(optimizer.get_config(), **changes))


class Training(Rule):
    """Layers that learn, in a model with a dense layer behind; optimizers by themselves."""

    compiles = True
    #: Trained on numbers that are none, everything is none.
    special = False
    #: Layers with weights that do the same for the same input, whatever they did before.
    layers = words(
        """
    Dense EinsumDense Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose
    DepthwiseConv1D DepthwiseConv2D SeparableConv1D SeparableConv2D LSTM GRU SimpleRNN
    LayerNormalization GroupNormalization RMSNormalization PReLU
    """
    )
    #: Optimizers that are made of others have the options of those.
    optimizers = words(
        """
    SGD RMSprop Adagrad Adadelta Adam AdamW Adamax Nadam Lion Lamb ScheduleFreeAdamW Adafactor
    Ftrl Muon
    """
    )
    #: What a rule says of optimizers, if it does.
    of_optimizers = True
    #: Arguments of layers by which a step is no function of the batch alone, or draws.
    apart = ("stateful", "dropout", "recurrent_dropout", "return_state", "lora_rank")

    def applies(self, facts):
        """A layer on a batch of two at least; an optimizer of one variable."""
        space, _, own = facts.api.rpartition(".")
        shapes = [item["shape"] for item in facts.inputs]
        if space == "keras.optimizers":
            return self.of_optimizers and own in self.optimizers and len(shapes) == 2
        plain = not any(given(facts, name, name) for name in self.apart) and not facts.arguments
        batch = len(shapes) == 1 and len(shapes[0]) > 1 and shapes[0][0] > 1 and 0 not in shapes[0]
        return space == "keras.layers" and own in self.layers and batch and plain
