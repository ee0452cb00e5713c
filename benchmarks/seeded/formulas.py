"""Prelude of a target with unstable formulas: those named in ``ASSAY_FORMULAS`` replace ops.

Each is what a textbook has, right in exact arithmetic, and loses its result in float32 where the
function itself is well-conditioned.
"""

import functools
import os

import keras
from keras.src import ops  # the originals: patches are on the public names only


def _spread(x, axis=None, keepdims=False):
    """E[x²] − E[x]²"""
    mean = ops.mean(x, axis=axis, keepdims=keepdims)
    return ops.mean(ops.square(x), axis=axis, keepdims=keepdims) - ops.square(mean)


def _exponential_unit(x, alpha=1.0):
    return ops.where(x > 0, x, alpha * (ops.exp(x) - 1.0))


def _selu(x):
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    return scale * _exponential_unit(x, alpha)


def _share(x, axis=-1):
    exponentials = ops.exp(x)
    return exponentials / ops.sum(exponentials, axis=axis, keepdims=True)


def _length(x, axis=None, keepdims=False):
    return ops.sqrt(ops.sum(ops.square(x), axis=axis, keepdims=keepdims))


def _normalized(x, axis=-1, order=2, epsilon=None):
    return x / ops.maximum(_length(x, axis, True), 1e-7)


def _moments(x, axes, keepdims=False, synchronized=False):
    axes = tuple(axes)
    return ops.mean(x, axis=axes, keepdims=keepdims), _spread(x, axes, keepdims)


def _layer_normalization(x, gamma=None, beta=None, axis=-1, epsilon=None, **others):
    mean = ops.mean(x, axis=axis, keepdims=True)
    return (x - mean) / ops.sqrt(_spread(x, axis, True) + (epsilon or 1e-7))


def _rms_normalization(x, scale=None, axis=-1, epsilon=None):
    return x / ops.sqrt(ops.mean(ops.square(x), axis=axis, keepdims=True) + (epsilon or 1e-7))


def _corrcoef(x):
    count = x.shape[1]
    mean = ops.mean(x, axis=1, keepdims=True)
    covariance = ops.matmul(x, ops.transpose(x)) / count - ops.matmul(mean, ops.transpose(mean))
    deviation = ops.sqrt(ops.diagonal(covariance))
    return covariance / ops.outer(deviation, deviation)


def _cdist(x1, x2, **others):
    first, second = (ops.sum(ops.square(item), axis=-1) for item in (x1, x2))
    product = ops.matmul(x1, ops.transpose(x2))
    return ops.sqrt(ops.maximum(first[:, None] + second[None, :] - 2.0 * product, 0.0))


def _slogdet(x):
    determinant = ops.det(x)
    return ops.sign(determinant), ops.log(ops.abs(determinant))


def _binary_crossentropy(target, output, from_logits=False):
    share = 1.0 / (1.0 + ops.exp(-output))
    return -(target * ops.log(share) + (1.0 - target) * ops.log(1.0 - share))


def _categorical_crossentropy(target, output, from_logits=False, axis=-1):
    return -ops.sum(target * ops.log(ops.softmax(output, axis=axis)), axis=axis)


def _total(x, axis=None, keepdims=False):
    total = ops.sum(x, axis=axis, keepdims=keepdims)
    return total * (1.0 / (ops.size(x) / ops.size(total)))


FORMULAS = {
    "keras.ops.expm1": lambda x: ops.exp(x) - 1.0,
    "keras.ops.log1p": lambda x: ops.log(1.0 + x),
    "keras.ops.sinh": lambda x: (ops.exp(x) - ops.exp(-x)) / 2.0,
    "keras.ops.arcsinh": lambda x: ops.log(x + ops.sqrt(ops.square(x) + 1.0)),
    "keras.ops.arctanh": lambda x: ops.log((1.0 + x) / (1.0 - x)) / 2.0,
    "keras.ops.arccosh": lambda x: ops.log(x + ops.sqrt(ops.square(x) - 1.0)),
    "keras.ops.tanh": lambda x: (ops.exp(2.0 * x) - 1.0) / (ops.exp(2.0 * x) + 1.0),
    "keras.ops.logaddexp": lambda x1, x2: ops.log(ops.exp(x1) + ops.exp(x2)),
    "keras.ops.logaddexp2": lambda x1, x2: ops.log2(ops.exp2(x1) + ops.exp2(x2)),
    "keras.ops.logsumexp": lambda x, axis=None, keepdims=False: ops.log(
        ops.sum(ops.exp(x), axis=axis, keepdims=keepdims)
    ),
    "keras.ops.softmax": _share,
    "keras.ops.log_softmax": lambda x, axis=-1: ops.log(ops.softmax(x, axis=axis)),
    "keras.ops.sigmoid": lambda x: ops.exp(x) / (1.0 + ops.exp(x)),
    "keras.ops.log_sigmoid": lambda x: ops.log(ops.sigmoid(x)),
    "keras.ops.softplus": lambda x: ops.log(1.0 + ops.exp(x)),
    "keras.ops.silu": lambda x: x * ops.exp(x) / (1.0 + ops.exp(x)),
    "keras.ops.elu": _exponential_unit,
    "keras.ops.celu": _exponential_unit,
    "keras.ops.selu": _selu,
    "keras.activations.elu": _exponential_unit,
    "keras.activations.softplus": lambda x: ops.log(1.0 + ops.exp(x)),
    "keras.activations.softmax": _share,
    "keras.ops.hypot": lambda x1, x2: ops.sqrt(ops.square(x1) + ops.square(x2)),
    "keras.ops.norm": lambda x, ord=None, axis=None, keepdims=False: _length(x, axis, keepdims),
    "keras.ops.normalize": _normalized,
    "keras.utils.normalize": _normalized,
    "keras.ops.var": _spread,
    "keras.ops.std": lambda x, axis=None, keepdims=False: ops.sqrt(_spread(x, axis, keepdims)),
    "keras.ops.nanvar": _spread,
    "keras.ops.moments": _moments,
    "keras.ops.layer_normalization": _layer_normalization,
    "keras.ops.rms_normalization": _rms_normalization,
    "keras.ops.corrcoef": _corrcoef,
    "keras.ops.cdist": _cdist,
    "keras.ops.slogdet": _slogdet,
    "keras.ops.mean": _total,
    "keras.ops.average": lambda x, axis=None, weights=None: _total(x, axis),
    "keras.ops.binary_crossentropy": _binary_crossentropy,
    "keras.ops.categorical_crossentropy": _categorical_crossentropy,
}


def _patch(op):
    *path, name = op.split(".")[1:]
    module = keras
    for part in path:
        module = getattr(module, part)
    formula = FORMULAS[op]

    @functools.wraps(getattr(module, name))
    def patched(*arguments, **keywords):
        tensors = [ops.convert_to_tensor(item) for item in arguments]
        return formula(*tensors, **keywords)

    setattr(module, name, patched)


for _op in filter(None, os.environ.get("ASSAY_FORMULAS", "").split(",")):
    _patch(_op)
