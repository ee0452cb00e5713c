"""A separable convolution gives what its two convolutions give."""

from assay_worker.rules._base import Rule
from assay_worker.rules._names import given


def tensorflow_in_two(function):
    import tensorflow as tf

    def second(input, depthwise_filter, pointwise_filter, strides, padding, data_format=None,
               dilations=None, name=None):  # fmt: skip
        between = tf.nn.depthwise_conv2d(
            input, depthwise_filter, strides, padding, dilations=dilations
        )
        return tf.nn.conv2d(between, pointwise_filter, 1, "VALID")

    return second


def keras_in_two(function):
    import keras

    def second(inputs, depthwise_kernel, pointwise_kernel, strides=1, padding="valid",
               data_format=None, dilation_rate=1):  # fmt: skip
        between = keras.ops.depthwise_conv(
            inputs, depthwise_kernel, strides, padding, data_format, dilation_rate
        )
        return keras.ops.conv(between, pointwise_kernel, 1, "valid", data_format)

    return second


class Separable(Rule):
    """Of each channel, then over all of them at each place."""

    name = "separable"
    eagle = 5
    says = "separable convolution ≡ depthwise, then 1 × 1"
    domain = "separable convolutions; of TensorFlow with channels last"
    #: Kernels for other sizes may multiply infinities by the zeros of a padding.
    special = False
    raising = False
    programs = {"tensorflow": tensorflow_in_two, "keras": keras_in_two}

    def applies(self, facts):
        """See ``domain``."""
        if facts.library == "tensorflow":
            usual = given(facts, "data_format", 5) in (None, "NHWC")
            return facts.api == "tf.nn.separable_conv2d" and usual
        return facts.api == "keras.ops.separable_conv"


RULE = Separable()
