"""A dilated convolution gives what a kernel with zeros between its numbers gives."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import given


def torch_filled(function):
    transposes = "transpose" in function.__name__

    def filled(weight, dilation):
        rank = weight.dim() - 2
        dilation = dilation if isinstance(dilation, (list, tuple)) else (dilation,)
        dilation = tuple(dilation) * (rank if len(dilation) == 1 else 1)
        sizes = [(size - 1) * d + 1 for size, d in zip(weight.shape[2:], dilation)]
        wide = weight.new_zeros(tuple(weight.shape[:2]) + tuple(sizes))
        wide[(slice(None), slice(None)) + tuple(slice(None, None, d) for d in dilation)] = weight
        return wide

    def convolution(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        return function(input, filled(weight, dilation), bias, stride, padding, 1, groups)

    def transposed(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
                   dilation=1):  # fmt: skip
        wide = filled(weight, dilation)
        return function(input, wide, bias, stride, padding, output_padding, groups, 1)

    return transposed if transposes else convolution


def tensorflow_filled(function):
    import inspect

    import numpy as np
    import tensorflow as tf

    def second(*args, **kwargs):
        call = inspect.signature(function).bind(*args, **kwargs).arguments
        tensor, kernel = [call[key] for key in list(call)[:2]]
        rank = len(tensor.shape) - 2
        told = call.get("dilations", call.get("rate"))
        told = list(told) if isinstance(told, (list, tuple)) else [told]
        dilations = told * rank if len(told) == 1 else told[-rank - 1 : -1] if len(
            told) > rank else told  # fmt: skip
        sizes = [(size - 1) * d + 1 for size, d in zip(kernel.shape, dilations)]
        wide = np.zeros(sizes + list(kernel.shape[rank:]), kernel.dtype.as_numpy_dtype)
        wide[tuple(slice(None, None, d) for d in dilations)] = kernel.numpy()
        if "atrous" in function.__name__:
            return tf.nn.conv2d(tensor, wide, 1, call["padding"])
        strides = call.get("strides", call.get("stride"))
        return function(tensor, wide, strides, call["padding"])

    return second


def jax_filled(function):
    import jax.numpy as jnp

    def second(lhs, rhs, window_strides, padding, **kwargs):
        dilations = kwargs["rhs_dilation"]
        sizes = [(size - 1) * d + 1 for size, d in zip(rhs.shape[2:], dilations)]
        steps = tuple(slice(None, None, d) for d in dilations)
        wide = jnp.zeros(rhs.shape[:2] + tuple(sizes), rhs.dtype)
        wide = wide.at[(slice(None), slice(None)) + steps].set(rhs)
        return function(lhs, wide, window_strides, padding, **dict(kwargs, rhs_dilation=None))

    return second


def keras_filled(function):
    import keras
    import numpy as np

    def second(inputs, kernel, dilation_rate=1, **kwargs):
        rank = len(inputs.shape) - 2
        told = dilation_rate if isinstance(dilation_rate, (list, tuple)) else [dilation_rate]
        dilations = list(told) * (rank if len(told) == 1 else 1)
        array = keras.ops.convert_to_numpy(kernel)
        sizes = [(size - 1) * d + 1 for size, d in zip(array.shape, dilations)]
        wide = np.zeros(sizes + list(array.shape[rank:]), array.dtype)
        wide[tuple(slice(None, None, d) for d in dilations)] = array
        return function(inputs, keras.ops.convert_to_tensor(wide), dilation_rate=1, **kwargs)

    return second


class Dilated(Rule):
    """Zeros take part in the sum, and change nothing."""

    name = "dilated"
    eagle = 6
    says = "dilated convolution ≡ convolution by a kernel filled with zeros"
    domain = "convolutions that are dilated, in the library's own layout"
    raising = False
    programs = {
        "torch": torch_filled,
        "tensorflow": tensorflow_filled,
        "jax": jax_filled,
        "keras": keras_filled,
    }
    #: Infinite values times zeros are not nothing.
    special = False

    def applies(self, facts):
        """Where something lies between."""
        own = facts.api.rpartition(".")[2]
        if not facts.floating or "bfloat16" in [item["dtype"] for item in facts.inputs]:
            return False
        if facts.library == "torch":
            if own not in ("conv1d", "conv2d", "conv3d") and "conv_transpose" not in own:
                return False
            return more_than_one(given(facts, "dilation", 7 if "transpose" in own else 5))
        if facts.library == "tensorflow":
            names = ("tf.nn.conv1d", "tf.nn.conv2d", "tf.nn.conv3d", "tf.nn.depthwise_conv2d")
            if facts.api == "tf.nn.atrous_conv2d":
                return more_than_one(given(facts, "rate", 2))
            if facts.api not in names:
                return False
            layout = given(facts, "data_format", 4)
            usual = layout is None or layout.endswith("C")
            padding = isinstance(given(facts, "padding", 3), str)
            dilates = more_than_one(given(facts, "dilations", 5))
            return usual and padding and dilates
        if facts.library == "jax":
            usual = given(facts, "dimension_numbers", 6) is None and "4" not in facts.arguments
            dilates = more_than_one(facts.arguments.get("rhs_dilation"))
            return own == "conv_general_dilated" and usual and dilates
        names = ("keras.ops.conv", "keras.ops.depthwise_conv")
        return facts.api in names and more_than_one(given(facts, "dilation_rate", 5))


def more_than_one(value):
    """Is it, or one of its numbers?"""
    return any(number != 1 for number in (value if isinstance(value, (list, tuple)) else [value])
               if isinstance(number, int))  # fmt: skip


RULE = Dilated()
