"""Activation functions: ``keras.activations``.

Formulas are those of the documentation, evaluated so that float64 does not lose
what the formula has. At infinities the formula decides (silu(-inf) = -inf * 0 is
NaN). A function of NaN is NaN.
"""

import numpy as np
from scipy import special

from assay_worker.reference import arrays
from assay_worker.reference.registry import Undocumented, reference

_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805


def _activation(*names, **options):
    """Register under the names of ``keras.activations``."""
    return reference(*["keras.activations." + name for name in names], **options)


def pieces(x, *conditions_and_values):
    """Piecewise: the value of the first condition that holds, the last one otherwise; NaN stays."""
    result = conditions_and_values[-1]
    for place in range(len(conditions_and_values) - 3, -1, -2):
        result = np.where(conditions_and_values[place], conditions_and_values[place + 1], result)
    return np.where(np.isnan(x), x, result)


@_activation("linear")
def linear(x):
    """x."""
    return x


@_activation("relu", integers=True)
def relu(x, negative_slope=0.0, max_value=None, threshold=0.0):
    """x above the threshold, a line below it, cut at ``max_value``."""
    for name, value in (
        ("negative_slope", negative_slope),
        ("threshold", threshold),
        ("max_value", max_value),
    ):
        if value is not None and value < 0:
            raise ValueError("expected %s of at least 0; received %r" % (name, value))
    if max_value is not None and max_value < threshold:
        raise Undocumented("the documentation does not say what max_value below threshold means")
    if x.dtype.kind in "iu" and not (negative_slope or threshold) and max_value is None:
        return np.maximum(x, 0)
    x = x.astype("float64", copy=False)
    # 0 * -inf would be NaN where the function is constantly zero.
    below = negative_slope * (x - threshold) if negative_slope else 0.0
    result = pieces(x, x > threshold, x, below)
    return result if max_value is None else np.minimum(result, max_value)


@_activation("relu6")
def relu6(x):
    """min(max(x, 0), 6)."""
    return np.clip(x, 0.0, 6.0)


@_activation("leaky_relu")
def leaky_relu(x, negative_slope=0.2):
    """x, or negative_slope * x below zero."""
    return pieces(x, x >= 0, x, negative_slope * x)


@_activation("elu")
def elu(x, alpha=1.0):
    """x, or alpha * (exp(x) - 1) below zero."""
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0.0)))


@_activation("selu")
def selu(x):
    """Scaled ``elu``."""
    return _SELU_SCALE * elu(x, _SELU_ALPHA)


@_activation("celu")
def celu(x, alpha=1.0):
    """x, or alpha * (exp(x / alpha) - 1) below zero."""
    return np.where(x >= 0, x, alpha * np.expm1(np.minimum(x, 0.0) / alpha))


@_activation("exponential")
def exponential(x):
    """exp(x)."""
    return np.exp(x)


@_activation("sigmoid")
def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return special.expit(x)


@_activation("log_sigmoid")
def log_sigmoid(x):
    """log(sigmoid(x))."""
    return -np.logaddexp(0.0, -x)


@_activation("silu", "swish")
def silu(x):
    """x * sigmoid(x)."""
    return x * special.expit(x)


@_activation("gelu")
def gelu(x, approximate=False):
    """x * P(X <= x) for a standard normal X, or the tanh approximation of the paper."""
    if approximate:
        # 1 + tanh(y) is 2 sigmoid(2 y), which keeps its digits where tanh(y) nears -1.
        return x * special.expit(np.sqrt(8.0 / np.pi) * (x + 0.044715 * x * x * x))
    return x * special.ndtr(x)


@_activation("softplus")
def softplus(x):
    """log(exp(x) + 1)."""
    return np.logaddexp(x, 0.0)


@_activation("mish")
def mish(x):
    """x * tanh(softplus(x))."""
    return x * np.tanh(softplus(x))


@_activation("softsign")
def softsign(x):
    """x / (|x| + 1)."""
    return x / (np.abs(x) + 1.0)


@_activation("tanh")
def tanh(x):
    """tanh(x)."""
    return np.tanh(x)


@_activation("tanh_shrink")
def tanh_shrink(x):
    """x - tanh(x)."""
    # tanh(x) = x / (1 + q), q = x² / (3 + x² / (5 + …)) by Lambert: x q / (1 + q) cancels nothing.
    small = np.where(np.abs(x) < 1.0, x, 0.0)
    fraction = small * small / 21.0
    for odd in range(19, 1, -2):
        fraction = small * small / (odd + fraction)
    return np.where(np.abs(x) < 1.0, x * fraction / (1.0 + fraction), x - np.tanh(x))


@_activation("hard_tanh")
def hard_tanh(x):
    """x within [-1, 1]."""
    return np.clip(x, -1.0, 1.0)


@_activation("hard_sigmoid")
def hard_sigmoid(x):
    """x / 6 + 0.5 within [0, 1]."""
    return np.clip(x / 6.0 + 0.5, 0.0, 1.0)


@_activation("hard_silu", "hard_swish")
def hard_silu(x):
    """x * hard_sigmoid(x)."""
    return pieces(x, x < -3.0, 0.0, x > 3.0, x, x * (x + 3.0) / 6.0)


@_activation("hard_shrink")
def hard_shrink(x, threshold=0.5):
    """x where |x| > threshold, else 0."""
    return pieces(x, np.abs(x) > threshold, x, 0.0)


@_activation("soft_shrink")
def soft_shrink(x, threshold=0.5):
    """x moved towards 0 by the threshold."""
    return pieces(x, x > threshold, x - threshold, x < -threshold, x + threshold, 0.0)


@_activation("sparse_plus")
def sparse_plus(x):
    """0, a parabola in (-1, 1), then x."""
    return pieces(x, x <= -1.0, 0.0, x >= 1.0, x, 0.25 * (x + 1.0) ** 2)


@_activation("sparse_sigmoid")
def sparse_sigmoid(x):
    """0.5 * (x + 1) within [0, 1]."""
    return np.clip(0.5 * (x + 1.0), 0.0, 1.0)


@_activation("squareplus")
def squareplus(x, b=4):
    """(x + sqrt(x^2 + b)) / 2."""
    root = np.sqrt(x * x + b)
    # For negative x the sum cancels; this is the same number without that.
    return np.where((x < 0) & np.isfinite(x), 0.5 * b / (root - x), 0.5 * (x + root))


@_activation("threshold")
def threshold(x, threshold, default_value):
    """x above the threshold, else the default."""
    return pieces(x, x > threshold, x, default_value)


@_activation("glu")
def glu(x, axis=-1):
    """First half * sigmoid(second half)."""
    if x.shape[axis] % 2:
        raise ValueError("expected an even size along axis %d; received shape %s" % (axis, x.shape))
    first, second = np.split(x, 2, axis=axis)
    return first * special.expit(second)


@_activation("softmax")
def softmax(x, axis=-1):
    """exp(x - max(x)) / sum of it, over one axis or several."""
    over = arrays.axes(axis, x.ndim)
    if x.size == 0:
        return x
    raised = np.exp(x - x.max(axis=over, keepdims=True))
    return raised / raised.sum(axis=over, keepdims=True)


@_activation("log_softmax")
def log_softmax(x, axis=-1):
    """log(softmax(x))."""
    over = arrays.axes(axis, x.ndim)
    if x.size == 0:
        return x
    moved = x - x.max(axis=over, keepdims=True)
    return moved - np.log(np.exp(moved).sum(axis=over, keepdims=True))


@_activation("sparsemax")
def sparsemax(x, axis=-1):
    """The nearest point of the probability simplex (Martins and Astudillo, 2016)."""
    moved = np.moveaxis(x, axis, -1)
    # The same for x + c, and exact for large x.
    moved = moved - moved.max(axis=-1, keepdims=True) if moved.size else moved
    ordered = -np.sort(-moved, axis=-1)
    sums = np.cumsum(ordered, axis=-1)
    count = np.arange(1, moved.shape[-1] + 1)
    support = np.sum(1.0 + count * ordered > sums, axis=-1, keepdims=True)
    tau = (np.take_along_axis(sums, np.maximum(support - 1, 0), axis=-1) - 1.0) / support
    return np.moveaxis(np.maximum(moved - tau, 0.0), -1, axis)
