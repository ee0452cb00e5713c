"""Training twice for one epoch is training for two."""

from assay_worker.rules._training import Training, begun, learner, learning


def keras_longer(function):
    import keras

    made = []

    def first(inputs):
        if not made:
            made.append(learner(function, inputs, optimizer=keras.optimizers.Adam(0.01)))
        model, x, y = begun(made[0], function, inputs)
        learning(model.fit, x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
        return model.get_weights()

    return first


def keras_twice(function):
    import keras

    made = []

    def second(inputs):
        if not made:
            made.append(learner(function, inputs, optimizer=keras.optimizers.Adam(0.01)))
        model, x, y = begun(made[0], function, inputs)
        for _ in range(2):
            learning(model.fit, x, y, batch_size=2, shuffle=False, verbose=0)
        return model.get_weights()

    return second


class Refitted(Training):
    """The state of the optimizer, and all that a model remembers, must last."""

    name = "refitted"
    says = "fit for two epochs ≡ fit for one, twice"
    domain = "Keras: layers with weights, trained by Adam in a small model"
    programs = {"keras": keras_twice}
    firsts = {"keras": keras_longer}
    helpers = (learner, begun, learning)
    layers = Training.layers | {"BatchNormalization"}
    of_optimizers = False


RULE = Refitted()
