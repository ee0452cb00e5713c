"""Activation layers."""

import numpy as np

from assay_worker.reference.activations import elu, leaky_relu, pieces, relu, softmax
from assay_worker.reference.registry import Weight, reference


@reference("keras.layers.Activation")
def activation_layer(call, x, activation):
    """The activation alone."""
    return call.activate(activation, x)


@reference("keras.layers.ReLU", integers=True)
def relu_layer(x, max_value=None, negative_slope=0.0, threshold=0.0):
    """As the function."""
    return relu(x, negative_slope, max_value, threshold)


@reference("keras.layers.LeakyReLU")
def leaky_relu_layer(x, negative_slope=0.3):
    """As the function, with another default."""
    if negative_slope is None or negative_slope < 0:
        raise ValueError("expected negative_slope of at least 0; received %r" % (negative_slope,))
    return leaky_relu(x, negative_slope)


def _prelu_weights(x, shared_axes, **others):
    shape = list(x.shape[1:])
    shared = shared_axes if isinstance(shared_axes, tuple) else (shared_axes,)
    for axis in () if shared_axes is None else shared:
        if not isinstance(axis, int) or not 1 <= axis < x.ndim:
            raise ValueError(
                "expected shared_axes between 1 and %d; received %r" % (x.ndim - 1, shared_axes)
            )
        shape[axis - 1] = 1
    return [Weight("alpha", tuple(shape))]


@reference("keras.layers.PReLU", weights=_prelu_weights)
def prelu(call, x, shared_axes=None):
    """x, or alpha * x below zero; alpha is a weight."""
    return pieces(x, x >= 0, x, call.weights["alpha"] * x)


@reference("keras.layers.ELU")
def elu_layer(x, alpha=1.0):
    """As the function."""
    return elu(x, alpha)


@reference("keras.layers.Softmax")
def softmax_layer(x, mask=None, axis=-1):
    """As the function; masked elements take no part."""
    if mask is None:
        return softmax(x, axis)
    kept = np.broadcast_to(mask != 0, x.shape)
    return np.where(kept, softmax(np.where(kept, x, -np.inf), axis), 0.0)
