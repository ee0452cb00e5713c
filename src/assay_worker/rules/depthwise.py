"""A convolution in groups gives what one convolution for each group gives."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import given


def torch_by_group(function):
    import torch

    def second(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        axis = input.dim() - weight.dim() + 1  # without a batch, channels come first
        biases = [None] * groups if bias is None else bias.chunk(groups)
        pieces = zip(input.chunk(groups, axis), weight.chunk(groups), biases)
        own = (stride, padding, dilation, 1)
        return torch.cat([function(x, w, b, *own) for x, w, b in pieces], axis)

    return second


def tensorflow_by_channel(function):
    import tensorflow as tf

    def second(input, filter, strides, padding, data_format=None, dilations=None, name=None):
        channels = input.shape[-1]
        own = {"strides": strides, "padding": padding, "dilations": dilations}
        pieces = zip(tf.split(input, channels, -1), tf.split(filter, channels, 2))
        return tf.concat([tf.nn.conv2d(x, w, **own) for x, w in pieces], -1)

    return second


def jax_by_group(function):
    import jax.numpy as jnp

    def second(lhs, rhs, window_strides, padding, **kwargs):
        groups = kwargs["feature_group_count"]
        named = dict(kwargs, feature_group_count=1)
        pieces = zip(jnp.split(lhs, groups, 1), jnp.split(rhs, groups, 0))
        found = [function(x, w, window_strides, padding, **named) for x, w in pieces]
        return jnp.concatenate(found, 1)

    return second


def keras_by_channel(function):
    import keras

    def second(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
        axis = 1 if data_format == "channels_first" else -1
        channels = inputs.shape[axis]
        own = {"strides": strides, "padding": padding, "data_format": data_format,
               "dilation_rate": dilation_rate}  # fmt: skip
        ops = keras.ops
        pieces = zip(ops.split(inputs, channels, axis), ops.split(kernel, channels, -2))
        return ops.concatenate([ops.conv(x, w, **own) for x, w in pieces], axis)

    return second


class Depthwise(Rule):
    """Of channels by themselves, or groups of them."""

    name = "depthwise"
    eagle = 4
    says = "convolution in groups ≡ one convolution for each group, joined"
    domain = "convolutions with several groups; depthwise ones"
    #: Kernels for other sizes may multiply infinities by the zeros of a padding.
    special = False
    raising = False
    programs = {
        "torch": torch_by_group,
        "tensorflow": tensorflow_by_channel,
        "jax": jax_by_group,
        "keras": keras_by_channel,
    }

    def applies(self, facts):
        """More than one group; of JAX, told by name, in its own layout."""
        own = facts.api.rpartition(".")[2]
        if facts.library == "torch":
            convolves = own in ("conv1d", "conv2d", "conv3d")
            return convolves and (given(facts, "groups", 6) or 1) > 1
        if facts.library == "jax":
            groups = facts.arguments.get("feature_group_count", 1)
            usual = given(facts, "dimension_numbers", 6) is None and "4" not in facts.arguments
            return own == "conv_general_dilated" and groups > 1 and usual
        if facts.library == "tensorflow":
            usual = given(facts, "data_format", 4) in (None, "NHWC")
            return facts.api == "tf.nn.depthwise_conv2d" and usual
        return facts.api == "keras.ops.depthwise_conv"


RULE = Depthwise()
