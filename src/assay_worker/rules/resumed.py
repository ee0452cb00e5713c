"""Training that was saved in between and goes on from there gives what it gives in one go."""

from assay_worker.rules._training import Training, begun, learner, learning, optimizer_of, stepped


def keras_uninterrupted(function):
    import keras

    made = []

    def first(inputs, gradient=None):
        if gradient is not None:
            gradients = [gradient * share for share in (1.0, -0.5, 0.75, 0.25)]
            return stepped(optimizer_of(function), inputs, gradients)[1][-1]
        if not made:
            made.append(learner(function, inputs, optimizer=keras.optimizers.Adam(0.01)))
        model, x, y = begun(made[0], function, inputs)
        learning(model.fit, x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
        return model.get_weights()

    return first


def keras_resumed(function):
    import os
    import shutil
    import tempfile

    import keras
    import numpy as np

    made = []

    def second(inputs, gradient=None):
        if gradient is not None:
            before, after = optimizer_of(function), optimizer_of(function)
            variable, _ = stepped(before, inputs, [gradient, gradient * -0.5])
            store = {}
            before.save_own_variables(store)
            variable = keras.Variable(keras.ops.copy(variable.value), dtype=variable.dtype)
            after.build([variable])
            after.load_own_variables({key: np.asarray(item) for key, item in store.items()})
            for share in (0.75, 0.25):
                after.apply([gradient * share], [variable])
            return keras.ops.convert_to_numpy(variable)
        if not made:
            made.append(learner(function, inputs, optimizer=keras.optimizers.Adam(0.01)))
        model, x, y = begun(made[0], function, inputs)
        learning(model.fit, x, y, batch_size=2, shuffle=False, verbose=0)
        folder = tempfile.mkdtemp()
        path = os.path.join(folder, "model.keras")
        try:
            model.save(path)
            loaded = keras.saving.load_model(path)
        finally:
            shutil.rmtree(folder)
        learning(loaded.fit, x, y, batch_size=2, shuffle=False, verbose=0)
        return loaded.get_weights()

    return second


class Resumed(Training):
    """A ``.keras`` file after half of it, with the state of the optimizer."""

    name = "resumed"
    says = "training ≡ training that is saved, loaded and resumed"
    domain = "Keras: layers with weights, trained by Adam in a small model; optimizers"
    programs = {"keras": keras_resumed}
    firsts = {"keras": keras_uninterrupted}
    helpers = (learner, begun, learning, stepped, optimizer_of)
    layers = Training.layers | {"BatchNormalization"}


RULE = Resumed()
