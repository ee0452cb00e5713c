"""The moving average that an optimizer keeps is that of the weights after each step."""

from assay_worker.rules._training import Training, begun, learner, learning, optimizer_of, stepped


def keras_by_hand(function):
    import keras

    made = []

    def mean(values):
        average = values[0]
        for value in values[1:]:
            average = 0.9 * average + 0.1 * value
        return average

    def first(inputs, gradient=None):
        if gradient is not None:
            gradients = [gradient * share for share in (1.0, -0.5, 0.75, 0.25)]
            changes = {"gradient_accumulation_steps": None, "use_ema": False}
            return mean(stepped(optimizer_of(function, **changes), inputs, gradients)[1])
        if not made:
            made.append(learner(function, inputs, optimizer=keras.optimizers.SGD(0.1)))
        model, x, y = begun(made[0], function, inputs)
        average = None
        for _ in range(2):  # the weights of the end are the average, and training goes on there
            for row in range(len(x)):
                learning(model.train_on_batch, x[row : row + 1], y[row : row + 1])
                weights = model.get_weights()
                # The average of the first step of all is what that step gives.
                average = (
                    weights if average is None else [mean(pair) for pair in zip(average, weights)]
                )
            model.set_weights(average)
        return average

    return first


def keras_averaged(function):
    import keras

    made = []

    def second(inputs, gradient=None):
        if gradient is not None:
            gradients = [gradient * share for share in (1.0, -0.5, 0.75, 0.25)]
            changes = {"gradient_accumulation_steps": None, "use_ema": True, "ema_momentum": 0.9,
                       "ema_overwrite_frequency": None}  # fmt: skip
            optimizer = optimizer_of(function, **changes)
            variable, _ = stepped(optimizer, inputs, gradients)
            optimizer.finalize_variable_values([variable])
            return keras.ops.convert_to_numpy(variable)
        if not made:
            averaging = keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.9)
            made.append(learner(function, inputs, optimizer=averaging))
        model, x, y = begun(made[0], function, inputs)
        for _ in range(2):
            learning(model.fit, x, y, batch_size=1, shuffle=False, verbose=0)
        return model.get_weights()

    return second


class Averaged(Training):
    """``use_ema=True``, in two calls of ``fit``."""

    name = "averaged"
    says = "use_ema=True ≡ the moving average of the weights after each step"
    domain = (
        "Keras: layers with weights, trained by SGD in a small model, without others that no "
        "gradient changes; optimizers"
    )
    programs = {"keras": keras_averaged}
    firsts = {"keras": keras_by_hand}
    helpers = (learner, begun, learning, stepped, optimizer_of)


RULE = Averaged()
