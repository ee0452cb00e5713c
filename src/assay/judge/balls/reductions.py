"""Formulas of reductions: sums and means, extremes, norms, softmax, running totals."""

import math
from typing import Any

import numpy as np
from flint import arb

from assay.ir import Array
from assay.judge.balls import arrays
from assay.judge.balls.activations import both, sigmoid
from assay.judge.balls.arrays import Axis, each, reduced
from assay.judge.balls.registry import NoFormula, arraywise


def _over_axes(function: Any, *names: str, sums: bool = False) -> None:
    @arraywise(*(f"keras.ops.{name}" for name in names), sums=sums)
    def reduction(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
        """Over the axes; None is all of them."""
        return reduced(function, x, axis, keepdims)


_over_axes(arrays.total, "sum", sums=True)
_over_axes(arrays.mean, "mean", sums=True)
_over_axes(arrays.variance, "var")
_over_axes(lambda items: arrays.root(arrays.variance(items)), "std")
_over_axes(arrays.logsumexp, "logsumexp")
_over_axes(arrays.largest, "amax")
_over_axes(arrays.smallest, "amin")
_over_axes(lambda items: arrays.largest(items) - arrays.smallest(items), "ptp")


@arraywise("keras.ops.max")
def maximum(x: Array, axis: Axis = None, keepdims: bool = False, initial: Any = None) -> Array:
    """Largest over the axes, and not below ``initial``."""
    first = [] if initial is None else [arb(initial)]
    return reduced(lambda items: arrays.largest(first + list(items)), x, axis, keepdims)


@arraywise("keras.ops.min")
def minimum(x: Array, axis: Axis = None, keepdims: bool = False, initial: Any = None) -> Array:
    """Smallest over the axes, and not above ``initial``."""
    first = [] if initial is None else [arb(initial)]
    return reduced(lambda items: arrays.smallest(first + list(items)), x, axis, keepdims)


@arraywise("keras.ops.prod")
def product(x: Array, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Array:
    """Product over the axes."""
    _need_float(dtype)
    return reduced(arrays.product, x, axis, keepdims)


def _need_float(dtype: Any) -> None:
    if dtype not in (None, "float16", "bfloat16", "float32", "float64"):
        raise NoFormula(f"formulas compute no totals in {dtype}")


@arraywise("keras.ops.average")
def average(x: Array, axis: int | None = None, weights: Any = None) -> Array:
    """sum(x * weights) / sum(weights)."""
    if weights is None:
        return reduced(arrays.mean, x, axis)
    shares = arrays.as_balls(weights)
    if shares.shape != x.shape:
        shares = np.broadcast_to(arrays.along(shares, x, axis), x.shape)
    return reduced(arrays.total, x * shares, axis) / reduced(arrays.total, shares, axis)


@arraywise("keras.ops.median")
def median(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """The middle element, or the mean of the two middle ones."""
    return reduced(_middle, x, axis, keepdims)


def _middle(items: Any) -> arb:
    if not all(item.is_exact() and item.is_finite() for item in items):
        return arb.nan()
    ordered, half = sorted(items), len(items) // 2
    lower, upper = ordered[(len(items) - 1) // 2], ordered[half]
    middle: arb = (lower + upper) / 2
    return middle


@arraywise("keras.ops.moments")
def moments(
    x: Array, axes: Axis, keepdims: bool = False, synchronized: bool = False
) -> tuple[Array, Array]:
    """Mean and variance over the axes."""
    return reduced(arrays.mean, x, axes, keepdims), reduced(arrays.variance, x, axes, keepdims)


# --------------------------------------------------------------------------------- norms


def _length(items: Any) -> arb:
    return arrays.root(arrays.total([item * item for item in items]))


def _norm_of(order: Any) -> Any:
    """The vector norm of an order, of a list of balls."""
    if order in (None, 2):
        return _length
    if order == math.inf:
        return lambda items: arrays.largest([abs(item) for item in items])
    if order == -math.inf:
        return lambda items: arrays.smallest([abs(item) for item in items])
    if order == 1:
        return lambda items: arrays.total([abs(item) for item in items])
    if order == 0:
        return lambda items: arb(sum(not item.is_zero() for item in items))
    if isinstance(order, int) and order > 0:
        return lambda items: arrays.total([abs(item) ** order for item in items]).root(order)
    raise NoFormula(f"there is no formula for the norm of order {order!r}")


@arraywise("keras.ops.norm")
def norm(x: Array, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """Vector norms, and the matrix norms that are sums of absolute values or squares."""
    over = arrays.axes_of(axis, x.ndim)
    if len(over) == 1 or ord is None:
        return reduced(_norm_of(ord), x, axis, keepdims)
    if len(over) != 2:
        raise NoFormula("there is no formula for norms over more than two axes")
    if ord == "fro":
        return reduced(_length, x, axis, keepdims)
    if ord not in (1, -1, math.inf, -math.inf):
        raise NoFormula(f"there is no formula for the matrix norm {ord!r}")
    rows, columns = over if axis is None else (item % x.ndim for item in axis)  # type: ignore[union-attr]
    first, last = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = reduced(lambda items: arrays.total([abs(item) for item in items]), x, first, True)
    found = reduced(arrays.largest if ord > 0 else arrays.smallest, sums, last, True)
    return found if keepdims else found.squeeze(over)


@arraywise("keras.ops.normalize")
def normalize(x: Array, axis: Axis = -1, order: int = 2, epsilon: float | None = None) -> Array:
    """x / max(norm, epsilon)."""
    size = reduced(_norm_of(order), x, axis, True)
    return x / each(lambda ball: ball.max(arb(1e-7 if epsilon is None else epsilon)), size)


@arraywise("keras.layers.UnitNormalization")
def unit_normalization(x: Array, axis: Axis = -1) -> Array:
    """x / max(norm, 1e-12)."""
    size = reduced(_length, x, axis, True)
    return x / each(lambda ball: ball.max(arb(1e-12)), size)


# ------------------------------------------------------------------------------- softmax


def log_softmax_of(x: Array, axis: Axis) -> Array:
    """x - logsumexp(x), over the axes."""
    return x - reduced(arrays.logsumexp, x, axis, True) if x.size else x


@arraywise(*both("log_softmax"), "keras.ops.nn.log_softmax")
def log_softmax(x: Array, axis: Axis = -1) -> Array:
    """The logarithm of softmax."""
    return log_softmax_of(x, axis)


@arraywise(*both("softmax"), "keras.ops.nn.softmax")
def softmax(x: Array, axis: Axis = -1) -> Array:
    """exp(x) / sum(exp(x)), over one axis or several."""
    return softmax_of(x, axis)


def softmax_of(x: Array, axis: Axis) -> Array:
    """exp(x) / sum(exp(x)), over the axes."""
    return each(lambda ball: ball.exp(), log_softmax_of(x, axis))


@arraywise("keras.layers.Softmax")
def softmax_layer(x: Array, axis: Axis = -1) -> Array:
    """As the function; without a mask."""
    return softmax_of(x, axis)


@arraywise(*both("glu"))
def glu(x: Array, axis: int = -1) -> Array:
    """First half * sigmoid(second half)."""
    first, second = np.split(x, 2, axis=axis)
    return first * each(sigmoid, second)


@arraywise(*both("sparsemax"))
def sparsemax(x: Array, axis: int = -1) -> Array:
    """The nearest point of the probability simplex (Martins and Astudillo, 2016)."""
    shift = reduced(_simplex, x, axis, True)
    return each(lambda ball, tau: (ball - tau).max(arb(0)), x, shift)


def _simplex(items: Any) -> arb:
    """What is subtracted of each element: max over k of (sum of the k largest - 1) / k."""
    if not all(item.is_exact() and item.is_finite() for item in items):
        return arb.nan()
    sums, levels = arb(0), []
    for count, item in enumerate(sorted(items, reverse=True), 1):
        sums = sums + item
        levels.append((sums - 1) / count)
    return arrays.largest(levels)


# ------------------------------------------------------------------------ running totals


def _running(name: str, step: Any, sums: bool) -> None:
    @arraywise(f"keras.ops.{name}", sums=sums)
    def scan(x: Array, axis: int | None = None, dtype: Any = None) -> Array:
        """Running totals along an axis, or of all elements in order."""
        _need_float(dtype)
        flat = x.reshape(-1) if axis is None else np.moveaxis(x, axis, 0)
        found = np.array(flat, dtype=object)
        for place in range(1, len(found)):
            found[place] = step(found[place - 1], found[place])
        return found if axis is None else np.moveaxis(found, 0, axis)


_running("cumsum", lambda before, item: before + item, True)
_running("cumprod", lambda before, item: before * item, False)


@arraywise("keras.ops.diff", sums=True)
def diff(a: Array, n: int = 1, axis: int = -1) -> Array:
    """Differences of neighbours, ``n`` times."""
    for _ in range(n):
        a = np.moveaxis(np.moveaxis(a, axis, 0)[1:] - np.moveaxis(a, axis, 0)[:-1], 0, axis)
    return a


@arraywise("keras.ops.trapezoid")
def trapezoid(y: Array, x: Any = None, dx: float = 1.0, axis: int = -1) -> Array:
    """Areas of trapezoids between neighbours, added up."""
    heights = np.moveaxis(y, axis, -1)
    width: Any = arb(dx)
    if x is not None:
        places = arrays.as_balls(x)
        width = diff(places if places.ndim == 1 else np.moveaxis(places, axis, -1))
    areas = (heights[..., 1:] + heights[..., :-1]) * width / arb(2)
    return reduced(arrays.total, areas, -1)
