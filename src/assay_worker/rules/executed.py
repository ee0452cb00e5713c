"""Several steps of training in one execution are these steps, one by one."""

from assay_worker.rules._training import Training, begun, learner, learning


def keras_one_by_one(function):
    import keras

    made = []

    def first(inputs):
        if not made:
            made.append(learner(function, inputs, optimizer=keras.optimizers.Adam(0.01)))
        model, x, y = begun(made[0], function, inputs)
        learning(model.fit, x, y, batch_size=1, epochs=2, shuffle=False, verbose=0)
        return model.get_weights()

    return first


def keras_together(function):
    import keras

    made = []

    def second(inputs):
        if not made:
            own = {"optimizer": keras.optimizers.Adam(0.01), "steps_per_execution": 3}
            made.append(learner(function, inputs, **own))
        model, x, y = begun(made[0], function, inputs)
        learning(model.fit, x, y, batch_size=1, epochs=2, shuffle=False, verbose=0)
        return model.get_weights()

    return second


class Executed(Training):
    """Three at a time, of batches of one: at the end of an epoch there may be fewer."""

    name = "executed"
    says = "fit ≡ fit with steps_per_execution=3"
    domain = "Keras: layers with weights, trained by Adam in a small model"
    programs = {"keras": keras_together}
    firsts = {"keras": keras_one_by_one}
    #: Keras refuses more than one on PyTorch.
    refusal = r"steps_per_execution. must be 1|" + Training.refusal
    helpers = (learner, begun, learning)
    layers = Training.layers | {"BatchNormalization"}
    of_optimizers = False


RULE = Executed()
