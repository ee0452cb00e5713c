"""Dense, Activation and the like."""

import numpy as np

from assay_worker.reference.registry import Unsupported, Weight, reference


def kernel_and_bias(kernel_shape, bias_size, use_bias):
    """The weights of most layers."""
    weights = [Weight("kernel", tuple(kernel_shape))]
    if use_bias:
        weights.append(Weight("bias", (bias_size,)))
    return weights


def _dense_weights(x, units, use_bias, **others):
    if not isinstance(units, int) or units < 1:
        raise ValueError("expected units to be a positive integer; received %r" % (units,))
    if x.ndim < 2:
        raise ValueError("expected an input of rank 2 or more; received shape %s" % (x.shape,))
    return kernel_and_bias((x.shape[-1], units), units, use_bias)


@reference("keras.layers.Dense", weights=_dense_weights)
def dense(call, x, units, activation=None, use_bias=True, lora_rank=None, quantization_config=None):
    """activation(x · kernel + bias) over the last axis."""
    if lora_rank is not None or quantization_config is not None:
        raise Unsupported("reference does not know lora_rank and quantization_config of Dense")
    y = np.tensordot(x, call.weights["kernel"], axes=1)
    if use_bias:
        y = y + call.weights["bias"]
    return call.activate(activation, y)


@reference("keras.layers.Activation")
def activation_layer(call, x, activation):
    """The activation alone."""
    return call.activate(activation, x)


@reference("keras.layers.Identity", integers=True)
def identity(x):
    """x."""
    return x
