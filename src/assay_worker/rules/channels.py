"""Where the channels lie is a matter of memory, or of order, not of numbers."""

from assay_worker.rules._base import Rule, mapped
from assay_worker.rules._names import given, ranks, words


def torch_channels_last(function):
    import torch

    formats = {4: torch.channels_last, 5: torch.channels_last_3d}

    def turned(value):
        if not isinstance(value, torch.Tensor) or value.dim() not in formats:
            return value
        return value.contiguous(memory_format=formats[value.dim()])

    def second(*args, **kwargs):
        return function(*mapped(turned, args), **mapped(turned, kwargs))

    return second


def tensorflow_channels_first(function):
    import inspect

    import tensorflow as tf

    def second(*args, **kwargs):
        call = inspect.signature(function).bind(*args, **kwargs)
        told = call.arguments
        first = next(iter(told))
        rank = len(told[first].shape)

        def turned(value):
            several = isinstance(value, (list, tuple)) and len(value) == rank
            return [value[0], value[-1]] + list(value[1:-1]) if several else value

        # Kernels are laid out the same in both.
        for key in ("ksize", "strides", "stride", "dilations"):
            if key in told:
                told[key] = turned(told[key])
        told[first] = tf.transpose(told[first], turned(list(range(rank))))
        told["data_format"] = {3: "NCW", 4: "NCHW", 5: "NCDHW"}[rank]
        return tf.transpose(function(*call.args, **call.kwargs), [0] + list(range(2, rank)) + [1])

    return second


def jax_channels_last(function):
    import jax
    import jax.numpy as jnp

    def second(lhs, rhs, window_strides, padding, **kwargs):
        letters = "DHW"[-(lhs.ndim - 2) :]
        numbers = ("N" + letters + "C", letters + "IO", "N" + letters + "C")
        named = dict(kwargs, dimension_numbers=numbers)
        own = (jnp.moveaxis(lhs, 1, -1), jnp.moveaxis(rhs, (0, 1), (-1, -2)))
        function = jax.lax.conv_general_dilated
        return jnp.moveaxis(function(*own, window_strides, padding, **named), -1, 1)

    return second


def keras_other_layout(function):
    import keras

    turns = {"channels_last": "channels_first", "channels_first": "channels_last"}

    def turned(tensor, layout):
        axes = (1, -1) if layout == "channels_first" else (-1, 1)
        return keras.ops.moveaxis(tensor, *axes) if len(tensor.shape) > 2 else tensor

    if not isinstance(function, keras.layers.Layer):

        def second(inputs, *args, **kwargs):
            layout = kwargs.pop("data_format", None) or keras.config.image_data_format()
            own = turned(inputs, layout)
            result = function(own, *args, data_format=turns[layout], **kwargs)
            return turned(result, turns[layout])

        return second

    layout = function.data_format
    config = dict(function.get_config(), data_format=turns[layout])
    twin = type(function).from_config(config)

    def layer(inputs):
        own = turned(inputs, layout)
        if not twin.built:
            twin.build(own.shape)
        # Kernels are laid out the same in both.
        twin.set_weights(function.get_weights())
        return turned(twin(own), turns[layout])

    return layer


class Channels(Rule):
    """Of PyTorch the same order, elsewhere in memory; of others another order."""

    name = "channels"
    says = "channels first ≡ channels last"
    domain = (
        "torch: tensors of four or five axes, in memory; TensorFlow: functions with data_format, "
        "where the processor has the other; JAX: convolutions; Keras: layers and functions with "
        "data_format"
    )
    programs = {
        "torch": torch_channels_last,
        "tensorflow": tensorflow_channels_first,
        "jax": jax_channels_last,
        "keras": keras_other_layout,
    }
    own_helpers = {"torch": (mapped,)}
    #: Kernels for other sizes may multiply infinities by the zeros of a padding.
    special = False
    refusal = r"only supports? (the )?N|data_format|data format|NHWC|channels_first|" + Rule.refusal
    #: About memory, or strides.
    about_memory = (
        "as_strided", "as_strided_copy", "as_strided_scatter", "is_contiguous", "stride",
        "storage_offset", "set", "resize", "resize_as", "view", "view_as", "empty_strided",
        "is_set_to", "data_ptr", "untyped_storage", "contiguous", "empty_like",
    )  # fmt: skip
    tensorflow_names = tuple("tf.nn." + name for name in (
        "conv1d", "conv2d", "conv3d", "max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d",
        "avg_pool2d", "avg_pool3d", "bias_add", "depthwise_conv2d", "max_pool", "avg_pool",
    ))  # fmt: skip
    #: Keras: layers and functions that keep the axis of channels, or end without places.
    keras_names = words(
        """
    Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose DepthwiseConv1D
    DepthwiseConv2D SeparableConv1D SeparableConv2D MaxPooling1D MaxPooling2D MaxPooling3D
    AveragePooling1D AveragePooling2D AveragePooling3D GlobalMaxPooling1D GlobalMaxPooling2D
    GlobalMaxPooling3D GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D
    UpSampling2D UpSampling3D ZeroPadding1D ZeroPadding2D ZeroPadding3D Cropping2D Cropping3D
    AdaptiveAveragePooling1D AdaptiveAveragePooling2D AdaptiveAveragePooling3D
    AdaptiveMaxPooling1D AdaptiveMaxPooling2D AdaptiveMaxPooling3D conv conv_transpose
    depthwise_conv separable_conv max_pool average_pool adaptive_average_pool
    adaptive_max_pool
    """
    )

    #: Keras' activations that take the last axis for that of the channels, whatever the layout.
    along_last = ("softmax", "log_softmax", "sparsemax", "glu")

    def applies(self, facts):
        """Something must have channels."""
        own = facts.api.rpartition(".")[2]
        if facts.library == "torch":
            alone = own.rstrip("_") not in self.about_memory and not own.endswith("_")
            return alone and any(rank in (4, 5) for rank in ranks(facts))
        if facts.library == "tensorflow":
            layout = given(facts, "data_format", 2 if own == "bias_add" else 4)
            usual = layout is None or layout in ("NWC", "NHWC", "NDHWC")
            known = facts.api in self.tensorflow_names and usual
            told = given(facts, "padding", 3)
            return known and ranks(facts)[0] in (3, 4, 5) and not isinstance(told, list)
        if facts.library == "jax":
            plain = facts.api in ("jax.lax.conv", "jax.lax.conv_general_dilated")
            usual = given(facts, "dimension_numbers", 6) is None and "4" not in facts.arguments
            return plain and usual
        # A causal padding is of the last layout only, and kept dimensions turn with the rest.
        causal = given(facts, "padding", "padding") == "causal"
        flat = own.startswith("Global") and not given(facts, "keepdims", "keepdims")
        if causal or given(facts, "activation", "activation") in self.along_last:
            return False
        return own in self.keras_names and (not own.startswith("Global") or flat)


RULE = Channels()
