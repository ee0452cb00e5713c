"""Reductions over axes, and the softmax family."""

import numpy as np

from assay_worker.reference.activations import log_softmax, softmax
from assay_worker.reference.registry import reference

#: Integers add up in 32 bits, as everywhere in Keras; 64-bit ones stay.
SUM_DTYPES = {
    "bool": "int32", "int8": "int32", "int16": "int32", "int32": "int32", "int64": "int64",
    "uint8": "uint32", "uint16": "uint32", "uint32": "uint32", "uint64": "uint64",
}  # fmt: skip


@reference("keras.ops.sum", integers=True)
def total(x, axis=None, keepdims=False):
    """Sum over the axes."""
    return np.sum(x, axis=axis, keepdims=keepdims, dtype=SUM_DTYPES.get(x.dtype.name))


@reference("keras.ops.mean")
def mean(x, axis=None, keepdims=False):
    """Mean over the axes."""
    return np.mean(x, axis=axis, keepdims=keepdims)


@reference("keras.ops.var")
def variance(x, axis=None, keepdims=False):
    """Population variance over the axes."""
    return np.var(x, axis=axis, keepdims=keepdims)


@reference("keras.ops.std")
def deviation(x, axis=None, keepdims=False):
    """Population standard deviation over the axes."""
    return np.std(x, axis=axis, keepdims=keepdims)


def _extreme(function, x, axis, keepdims, initial):
    if initial is None:
        return function(x, axis=axis, keepdims=keepdims)
    return function(x, axis=axis, keepdims=keepdims, initial=initial)


@reference("keras.ops.max", integers=True)
def largest(x, axis=None, keepdims=False, initial=None):
    """Largest over the axes; NaN if there is one."""
    return _extreme(np.max, x, axis, keepdims, initial)


@reference("keras.ops.min", integers=True)
def smallest(x, axis=None, keepdims=False, initial=None):
    """Smallest over the axes; NaN if there is one."""
    return _extreme(np.min, x, axis, keepdims, initial)


@reference("keras.ops.logsumexp")
def logsumexp(x, axis=None, keepdims=False):
    """log(sum(exp(x))) over the axes."""
    return np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)


reference("keras.ops.softmax", "keras.ops.nn.softmax")(softmax)
reference("keras.ops.log_softmax", "keras.ops.nn.log_softmax")(log_softmax)
