"""Examples for Keras, on JAX: it compiles, and has all layouts."""

from typing import Any

from tests.worker.rules.examples import (
    Call,
    Example,
    by_size,
    changed,
    numbers,
    scaled,
    shifted,
)

X = numbers(3, 4)
STEPS = numbers(2, 5, 3)
IMAGE = numbers(2, 6, 6, 4)
KERNEL = numbers(3, 3, 4, 2, seed=1)


def of_x(api: str, **params: Any) -> Call:
    """Of one tensor."""
    return Call(api, {}, params, ["x"], x=X)


def layer(own: str, x: Any = X, **params: Any) -> Call:
    """Of one tensor, by a layer."""
    return Call("keras.layers." + own, {}, params, ["x"], x=x)


def conv(own: str = "conv", **params: Any) -> Call:
    """Of a picture and a kernel."""
    params = dict(padding="same", data_format="channels_last", strides=1, **params)
    return Call("keras.ops." + own, {}, params, ["x", "y"], x=IMAGE, y=KERNEL)


def traced(function: Any) -> Any:
    """Wrong where it is traced."""

    def faulty(*args: Any, **kwargs: Any) -> Any:
        import jax

        result = function(*args, **kwargs)
        if type(result).__name__ == "KerasTensor":
            return type(result)((1,), result.dtype)
        return result * 1.01 if isinstance(result, jax.core.Tracer) else result

    return faulty


def told(name: str, value: Any) -> Any:
    """Wrong where a layer or a call has an argument of that value."""

    def fault(function: Any) -> Any:
        def faulty(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            found = kwargs.get(name, getattr(args[0], name, None))
            return changed(result, lambda x: x * 1.01) if found == value else result

        return faulty

    return fault


def forgets(name: str) -> Any:
    """A configuration without one argument."""

    def fault(function: Any) -> Any:
        def faulty(self: Any) -> Any:
            return {key: value for key, value in function(self).items() if key != name}

        return faulty

    return fault


def deaf(function: Any) -> Any:
    """It knows no masks."""

    def faulty(self: Any, *args: Any, mask: Any = None, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    return faulty


def accumulates_twice(function: Any) -> Any:
    """A step that is too long where gradients were accumulated."""

    def faulty(self: Any, gradient: Any, variable: Any, rate: Any) -> Any:
        return function(self, gradient * (1.1 if self.gradient_accumulation_steps else 1.0),
                        variable, rate)  # fmt: skip

    return faulty


def keeps_nothing(function: Any) -> Any:
    """It does nothing."""
    return lambda *args, **kwargs: None


def drops_rest(function: Any) -> Any:
    """Several steps at a time leave the last batch out."""

    def faulty(self: Any, x: Any, y: Any, **kwargs: Any) -> Any:
        places = len(x) - (self.steps_per_execution > 1)
        return function(self, x[:places], y[:places], **kwargs)

    return faulty


def counts_anew(function: Any) -> Any:
    """The number of steps is forgotten after each call."""

    def faulty(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = function(self, *args, **kwargs)
        self.optimizer.variables[0].assign(0)
        return result

    return faulty


def last_axis(function: Any) -> Any:
    """Wrong along the last axis."""

    def faulty(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        result = function(x, axis=axis, keepdims=keepdims)
        return result * 1.01 if axis == len(x.shape) - 1 else result

    return faulty


def optimizer(own: str, **params: Any) -> Call:
    """Of a variable and its gradient."""
    return Call("keras.optimizers." + own, {}, params, ["x", "y"], x=X, y=numbers(3, 4, seed=1))


DEPTHWISE = conv("depthwise_conv")
SEPARABLE = Call("keras.ops.separable_conv", {}, {"padding": "same"}, ["x", "y", "z"], x=IMAGE,
                 y=KERNEL, z=numbers(1, 1, 8, 3))  # fmt: skip
EXAMPLES = (
    Example("accumulated", layer("Dense", units=5), accumulates_twice,
            layer("Dense", units=5, kernel_constraint="max_norm"),
            "keras.optimizers.SGD.update_step"),
    Example("accumulated", optimizer("SGD", learning_rate=0.1), accumulates_twice,
            layer("Flatten"), "keras.optimizers.SGD.update_step"),
    Example("averaged", optimizer("RMSprop", learning_rate=0.1), keeps_nothing, layer("Flatten"),
            "keras.optimizers.RMSprop.finalize_variable_values"),
    Example("batch", layer("Dense", units=5), by_size, layer("Softmax", axis=0)),
    Example("channels", layer("Conv2D", IMAGE, filters=3, kernel_size=2),
            told("data_format", "channels_first"), layer("Dense", units=3)),
    Example("channels", layer("Conv2D", IMAGE, filters=3, kernel_size=2, activation="relu"),
            told("data_format", "channels_first"),
            layer("Conv2D", IMAGE, filters=3, kernel_size=2, activation="softmax")),
    Example("channels", conv(), told("data_format", "channels_first"), of_x("keras.ops.exp")),
    Example("config", layer("Dense", units=5, activation="relu"), forgets("activation"),
            of_x("keras.ops.exp"), "keras.layers.Dense.get_config"),
    Example("config", layer("Dropout", rate=0.3, seed=7), forgets("seed"),
            layer("LSTM", STEPS, units=2, stateful=True), "keras.layers.Dropout.get_config"),
    Example("depthwise", DEPTHWISE, scaled, conv()),
    Example("dilated", conv(dilation_rate=2), told("dilation_rate", 2), conv()),
    Example("executed", layer("Dense", units=5), drops_rest, optimizer("SGD"),
            "keras.Sequential.fit"),
    Example("halves", layer("LSTM", STEPS, units=2, return_sequences=True, return_state=True),
            told("stateful", True), layer("LSTM", STEPS, units=2, go_backwards=True)),
    Example("halves", layer("GRU", STEPS, units=2), told("stateful", True),
            layer("Dense", units=2)),
    Example("jit", of_x("keras.ops.exp"), traced, Call("keras.ops.arange", {}, {"start": 4})),
    Example("jit", layer("Dense", units=5), traced, Call("keras.ops.arange", {}, {"start": 4})),
    Example("linear", of_x("keras.ops.sum"), shifted, of_x("keras.ops.exp")),
    Example("masked", layer("LSTM", STEPS, units=2), deaf,
            layer("LSTM", STEPS, units=2, go_backwards=True)),
    Example("masked", layer("GRU", STEPS, units=2, return_sequences=True, return_state=True), deaf,
            layer("LSTM", STEPS, units=2, stateful=True)),
    Example("masked", layer("GlobalAveragePooling1D", STEPS), lambda function: (
        lambda self, inputs, mask=None: function(self, inputs)),
        layer("GlobalMaxPooling1D", STEPS)),
    Example("module", of_x("keras.activations.softplus"), scaled,
            of_x("keras.activations.relu", max_value=2.0)),
    Example("moved", of_x("keras.ops.sum", axis=0), last_axis, of_x("keras.ops.sum")),
    Example("refitted", layer("Dense", units=5), counts_anew, optimizer("SGD"),
            "keras.Sequential.fit"),
    Example("resumed", layer("GRU", STEPS, units=2), keeps_nothing,
            layer("GRU", STEPS, units=2, stateful=True),
            "keras.optimizers.Adam.load_own_variables"),
    Example("resumed", optimizer("Nadam", learning_rate=0.1), keeps_nothing,
            layer("Flatten"),
            "keras.optimizers.Nadam.load_own_variables"),
    Example("samename", of_x("keras.ops.exp"), scaled, of_x("keras.ops.argsort")),
    Example("samename", of_x("keras.ops.roll", shift=2, axis=1), shifted,
            of_x("keras.ops.relu")),
    Example("saved", layer("Dense", units=5, activation="relu"), forgets("activation"),
            of_x("keras.ops.exp"), "keras.layers.Dense.get_config"),
    Example("separable", SEPARABLE, scaled, conv()),
    Example("split", of_x("keras.ops.exp"), by_size, of_x("keras.ops.cumsum", axis=0)),
    # It announces 64 bits, which JAX does not have unless it is told to.
    Example("symbolic", Call("keras.layers.HashedCrossing", {}, {"num_bins": 3}, [["x", "y"]],
                             x=[[1], [2]], y=[[3], [4]]),
            lambda function: lambda self, input_shape: (1, 1),
            Call("keras.ops.arange", {}, {"start": 4}), "keras.layers.HashedCrossing.compute_output_shape"),
    Example("symbolic", of_x("keras.ops.exp"), traced, Call("keras.ops.arange", {}, {"start": 4})),
    Example("symbolic", layer("Dense", units=5), lambda function: lambda self, input_shape: (1, 1),
            Call("keras.ops.arange", {}, {"start": 4}), "keras.layers.Dense.compute_output_shape"),
    Example("symmetric", of_x("keras.ops.sin"), shifted, of_x("keras.ops.exp")),
)  # fmt: skip

#: What fails on JAX for a reason of its own: Keras 3.15.1 donates a buffer of two variables.
ELSEWHERE = (
    Example("averaged", layer("LayerNormalization"), keeps_nothing, layer("BatchNormalization"),
            "keras.optimizers.SGD.finalize_variable_values"),
)  # fmt: skip
