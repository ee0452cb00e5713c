"""Formulas of one number: activation functions, and the layers that apply them.

Pieces are chosen by the exact number, so that no choice is in doubt. At infinities a function
has the value that its formula has, where that is no product or difference of zero and infinity.
"""

import math
from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from assay.judge.balls.exact import COMPARED
from assay.judge.balls.registry import Function, unary
from assay.judge.balls.truth import Open

INFINITY = math.inf
#: As published by Klambauer et al., to 32 digits.
_SELU_ALPHA, _SELU_SCALE = (
    "1.6732632423543772848170429916717",
    "1.0507009873554804934193349852946",
)
_FORMULA = Open("0 times infinity by its formula, 0 by its limit")


def both(*names: str) -> tuple[str, ...]:
    """The paths in ``keras.activations`` and in ``keras.ops``."""
    return tuple(f"keras.{space}.{name}" for name in names for space in ("activations", "ops"))


def sigmoid(x: arb) -> arb:
    """1 / (1 + exp(-x))."""
    if x > 0:
        return 1 / (1 + (-x).exp())
    small = x.exp()
    return small / (1 + small)


def softplus(x: arb) -> arb:
    """log(1 + exp(x))."""
    if x > 0:
        return x + (-x).exp().log1p()
    return x.exp().log1p()


unary(*both("sigmoid"), plus=1.0, minus=0.0)(sigmoid)
unary(*both("softplus"), plus=INFINITY, minus=0.0)(softplus)


@unary(*both("log_sigmoid"), plus=0.0, minus=-INFINITY)
def log_sigmoid(x: arb) -> arb:
    """log(sigmoid(x))."""
    return -softplus(-x)


@unary(*both("silu", "swish"), plus=INFINITY, minus=_FORMULA)
def silu(x: arb) -> arb:
    """x * sigmoid(x)."""
    return x * sigmoid(x)


@unary("keras.activations.mish", plus=INFINITY, minus=_FORMULA)
def mish(x: arb) -> arb:
    """x * tanh(softplus(x))."""
    return x * softplus(x).tanh()


def _gelu(x: arb, approximate: bool) -> arb:
    if not approximate:
        return x * (-x / arb(2).sqrt()).erfc() / 2
    inner = (arb(2) / arb.pi()).sqrt() * (x + arb(fmpq(44715, 10**6)) * x * x * x)
    # 1 + tanh(y) is twice the sigmoid of 2 y, which loses nothing where y is negative.
    return x * sigmoid(2 * inner)


def _at_infinity(value: Any) -> Any:
    return lambda **params: value


@unary("keras.activations.gelu", plus=_at_infinity(INFINITY), minus=_at_infinity(_FORMULA))
def gelu(x: arb, approximate: bool = False) -> arb:
    """x times the normal distribution function, or the approximation by tanh of the paper."""
    return _gelu(x, approximate)


@unary("keras.ops.gelu", plus=_at_infinity(INFINITY), minus=_at_infinity(_FORMULA))
def gelu_of_ops(x: arb, approximate: bool = True) -> arb:
    """The same with another default."""
    return _gelu(x, approximate)


@unary(*both("softsign"), plus=Open("infinity / infinity by its formula"))
def softsign(x: arb) -> arb:
    """x / (1 + |x|)."""
    return x / (1 + abs(x))


@unary(*both("tanh_shrink"), plus=INFINITY, minus=-INFINITY)
def tanh_shrink(x: arb) -> arb:
    """x - tanh(x)."""
    return x - x.tanh()


@unary(*both("squareplus"), plus=_at_infinity(INFINITY))
def squareplus(x: arb, b: float = 4) -> arb:
    """(x + sqrt(x * x + b)) / 2."""
    return (x + (x * x + b).sqrt()) / 2


# ----------------------------------------------------------------- exponential below zero


def _elu(x: arb, alpha: Any) -> arb:
    return x if x > 0 else alpha * x.expm1()


@unary(
    *both("elu"),
    "keras.layers.ELU",
    plus=_at_infinity(INFINITY),
    minus=lambda alpha=1.0: -arb(alpha),
)
def elu(x: arb, alpha: float = 1.0) -> arb:
    """x, or alpha * (exp(x) - 1) below zero."""
    return _elu(x, arb(alpha))


@unary(*both("celu"), plus=_at_infinity(INFINITY), minus=lambda alpha=1.0: -arb(alpha))
def celu(x: arb, alpha: float = 1.0) -> arb:
    """x, or alpha * (exp(x / alpha) - 1) below zero."""
    return x if x >= 0 else alpha * (x / alpha).expm1()


@unary(
    *both("selu"),
    plus=INFINITY,
    minus=lambda: -arb(_SELU_SCALE) * arb(_SELU_ALPHA),
)
def selu(x: arb) -> arb:
    """``elu`` with the published alpha, times the published scale."""
    return arb(_SELU_SCALE) * _elu(x, arb(_SELU_ALPHA))


# --------------------------------------------------------------------------------- pieces


def _relu(x: arb, negative_slope: float, max_value: float | None, threshold: float) -> Any:
    if max_value is not None and max_value < threshold:
        return Open("max_value below threshold is not documented")
    if x > threshold:
        return x if max_value is None else x.min(arb(max_value))
    below = negative_slope * (x - threshold) if negative_slope else arb(0)
    return below if max_value is None else below.min(arb(max_value))


def _relu_at_infinity(sign: int) -> Any:
    def value(
        negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0
    ) -> Any:
        if max_value is not None and max_value < threshold:
            return Open("max_value below threshold is not documented")
        if sign > 0:
            return INFINITY if max_value is None else float(max_value)
        return -INFINITY if negative_slope else 0.0

    return value


@unary(
    "keras.activations.relu",
    "keras.layers.ReLU",
    plus=_relu_at_infinity(1),
    minus=_relu_at_infinity(-1),
    nan=COMPARED,
)
def relu(
    x: arb, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0
) -> Any:
    """x above the threshold, a line below it, cut at ``max_value``."""
    return _relu(x, negative_slope, max_value, threshold)


@unary("keras.ops.relu", plus=INFINITY, minus=0.0, nan=COMPARED)
def relu_of_ops(x: arb) -> Any:
    """max(x, 0)."""
    return _relu(x, 0.0, None, 0.0)


@unary(*both("relu6"), plus=6.0, minus=0.0, nan=COMPARED)
def relu6(x: arb) -> Any:
    """min(max(x, 0), 6)."""
    return _relu(x, 0.0, 6.0, 0.0)


def _leaky(*paths: str, default: float) -> None:
    @unary(
        *paths,
        plus=_at_infinity(INFINITY),
        minus=lambda negative_slope=default: -INFINITY if negative_slope else _FORMULA,
        nan=COMPARED,
    )
    def leaky_relu(x: arb, negative_slope: float = default) -> arb:
        """x, or negative_slope * x below zero."""
        return x if x >= 0 else negative_slope * x


_leaky(*both("leaky_relu"), default=0.2)
_leaky("keras.layers.LeakyReLU", default=0.3)


def _piecewise(*names: str, plus: float, minus: Any) -> Callable[[Function], Function]:
    return unary(*both(*names), plus=plus, minus=minus, nan=COMPARED)


@_piecewise("hard_tanh", plus=1.0, minus=-1.0)
def hard_tanh(x: arb) -> arb:
    """x within [-1, 1]."""
    return x.max(arb(-1)).min(arb(1))


@_piecewise("hard_sigmoid", plus=1.0, minus=0.0)
def hard_sigmoid(x: arb) -> arb:
    """x / 6 + 1/2 within [0, 1]."""
    return arb(0) if x <= -3 else arb(1) if x >= 3 else (x + 3) / 6


@_piecewise("hard_silu", "hard_swish", plus=INFINITY, minus=0.0)
def hard_silu(x: arb) -> arb:
    """x * hard_sigmoid(x), documented in pieces: 0 below -3, x above 3."""
    return arb(0) if x <= -3 else x if x >= 3 else x * (x + 3) / 6


@_piecewise("sparse_plus", plus=INFINITY, minus=0.0)
def sparse_plus(x: arb) -> arb:
    """0, a parabola within (-1, 1), then x."""
    return arb(0) if x <= -1 else x if x >= 1 else (x + 1) * (x + 1) / 4


@_piecewise("sparse_sigmoid", plus=1.0, minus=0.0)
def sparse_sigmoid(x: arb) -> arb:
    """(x + 1) / 2 within [0, 1]."""
    return arb(0) if x <= -1 else arb(1) if x >= 1 else (x + 1) / 2


def _shrinking(*names: str) -> Callable[[Function], Function]:
    return unary(
        *both(*names), plus=_at_infinity(INFINITY), minus=_at_infinity(-INFINITY), nan=COMPARED
    )


@_shrinking("hard_shrink")
def hard_shrink(x: arb, threshold: float = 0.5) -> arb:
    """x where its size exceeds the threshold, else 0."""
    return x if abs(x) > threshold else arb(0)


@_shrinking("soft_shrink")
def soft_shrink(x: arb, threshold: float = 0.5) -> arb:
    """x moved towards 0 by the threshold."""
    return x - threshold if x > threshold else x + threshold if x < -threshold else arb(0)


@unary(
    *both("threshold"),
    plus=_at_infinity(INFINITY),
    minus=lambda threshold, default_value: float(default_value),
    nan=COMPARED,
)
def threshold_of(x: arb, threshold: float, default_value: float) -> Any:
    """x above the threshold, else the default."""
    return x if x > threshold else arb(default_value)


def _rescaled_infinity(sign: float) -> Any:
    def value(scale: float, offset: float = 0.0) -> float:
        return float(scale) * sign * INFINITY + float(offset)

    return value


@unary("keras.layers.Rescaling", plus=_rescaled_infinity(1.0), minus=_rescaled_infinity(-1.0))
def rescaling(x: arb, scale: float, offset: float = 0.0) -> arb:
    """x * scale + offset."""
    return x * arb(scale) + arb(offset)
