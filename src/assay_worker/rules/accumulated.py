"""Gradients of several batches, accumulated, make the step of one batch of all of them."""

from assay_worker.rules._training import Training, begun, learner, learning, optimizer_of, stepped


def keras_at_once(function):
    import keras

    made = []

    def first(inputs, gradient=None):
        if gradient is not None:
            # The means of two and two of those that are accumulated.
            means = [gradient * 0.25, gradient * 0.5]
            changes = {"gradient_accumulation_steps": None, "use_ema": False}
            return stepped(optimizer_of(function, **changes), inputs, means)[1][-1]
        if not made:
            made.append(learner(function, inputs, optimizer=keras.optimizers.SGD(0.1, 0.9)))
        model, x, y = begun(made[0], function, inputs)
        even = len(x) // 2 * 2
        learning(model.fit, x[:even], y[:even], batch_size=2, epochs=2, shuffle=False, verbose=0)
        return model.get_weights()

    return first


def keras_accumulated(function):
    import keras

    made = []

    def second(inputs, gradient=None):
        if gradient is not None:
            gradients = [gradient * share for share in (1.0, -0.5, 0.75, 0.25)]
            changes = {"gradient_accumulation_steps": 2, "use_ema": False}
            return stepped(optimizer_of(function, **changes), inputs, gradients)[1][-1]
        if not made:
            by_two = keras.optimizers.SGD(0.1, 0.9, gradient_accumulation_steps=2)
            made.append(learner(function, inputs, optimizer=by_two))
        model, x, y = begun(made[0], function, inputs)
        even = len(x) // 2 * 2
        learning(model.fit, x[:even], y[:even], batch_size=1, epochs=2, shuffle=False, verbose=0)
        return model.get_weights()

    return second


class Accumulated(Training):
    """``gradient_accumulation_steps=2``, of batches of one."""

    name = "accumulated"
    says = "a step for two batches, accumulated ≡ a step for one of both"
    domain = (
        "Keras: layers with weights, trained by SGD in a small model, without constraints, which "
        "hold after each batch; optimizers"
    )
    programs = {"keras": keras_accumulated}
    firsts = {"keras": keras_at_once}
    helpers = (learner, begun, learning, stepped, optimizer_of)
    apart = Training.apart + (
        "activity_regularizer", "kernel_constraint", "bias_constraint", "depthwise_constraint",
        "pointwise_constraint", "recurrent_constraint", "gamma_constraint", "beta_constraint",
        "alpha_constraint",
    )  # fmt: skip


RULE = Accumulated()
