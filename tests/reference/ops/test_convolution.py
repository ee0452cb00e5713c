"""Convolutions of ``keras.ops`` in the reference."""

import numpy as np

from tests.reference.ops.calls import call


def test_separable_is_depthwise_then_pointwise() -> None:
    draw = np.random.default_rng(1)
    x, depthwise = draw.normal(size=(2, 5, 4, 3)), draw.normal(size=(2, 3, 3, 2))
    pointwise = draw.normal(size=(1, 1, 6, 4))
    found = call("separable_conv", x, depthwise, pointwise, strides=2)
    between = call("depthwise_conv", x, depthwise, strides=2)
    assert np.allclose(found, call("conv", between, pointwise))


def test_transposed_convolution_is_the_transpose() -> None:
    """<conv(x), y> = <x, conv_transpose(y)>, on the input length that the transpose chooses."""
    draw = np.random.default_rng(2)
    kernel = draw.normal(size=(3, 2, 4))
    for padding in ("valid", "same"):
        y = draw.normal(size=(1, 3, 4))
        back = call("conv_transpose", y, kernel, strides=2, padding=padding)
        x = draw.normal(size=back.shape)
        assert np.isclose(
            np.sum(call("conv", x, kernel, strides=2, padding=padding) * y), np.sum(x * back)
        )
