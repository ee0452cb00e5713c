"""Formulas of sums of products: dot and matrix products, distances."""

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.ir import Array
from assay.judge.balls import arrays
from assay.judge.balls.arrays import each, reduced
from assay.judge.balls.registry import Function, NoFormula, arraywise


def _product(*names: str) -> Callable[[Function], Function]:
    return arraywise(*(f"keras.ops.{name}" for name in names), sums=True)


@_product("dot")
def dot(x1: Array, x2: Array) -> Any:
    """Over the last axis of the first and the last but one, or only, of the second."""
    if not x1.ndim or not x2.ndim:
        return x1 * x2
    return np.tensordot(x1, x2, axes=([-1], [max(x2.ndim - 2, 0)]))


@_product("inner")
def inner(x1: Array, x2: Array) -> Any:
    """Over the last axes."""
    return x1 * x2 if not x1.ndim or not x2.ndim else np.tensordot(x1, x2, axes=([-1], [-1]))


@_product("vdot")
def vdot(x1: Array, x2: Array) -> Any:
    """The sum of the products of all elements."""
    return arrays.total(list(x1.reshape(-1) * x2.reshape(-1)))


@_product("outer")
def outer(x1: Array, x2: Array) -> Array:
    """Every product of two elements."""
    return x1.reshape(-1)[:, None] * x2.reshape(-1)[None, :]


@_product("matmul")
def matmul(x1: Array, x2: Array) -> Any:
    """The matrix product over the last two axes; vectors are a row, then a column."""
    first = x1[None, :] if x1.ndim == 1 else x1
    second = x2[:, None] if x2.ndim == 1 else x2
    batch = np.broadcast_shapes(first.shape[:-2], second.shape[:-2])
    first = np.broadcast_to(first, batch + first.shape[-2:])
    second = np.broadcast_to(second, batch + second.shape[-2:])
    if first.shape[-1] != second.shape[-2]:
        raise ValueError(f"expected shapes that match; received {x1.shape} and {x2.shape}")
    found = np.empty((*batch, first.shape[-2], second.shape[-1]), dtype=object)
    for place in np.ndindex(batch):
        found[place] = np.tensordot(first[place], second[place], axes=1)
    found = found[..., 0, :] if x1.ndim == 1 else found
    return found[..., 0] if x2.ndim == 1 else found


@_product("tensordot")
def tensordot(x1: Array, x2: Array, axes: Any = 2) -> Any:
    """Sums over pairs of axes."""
    return np.tensordot(x1, x2, axes=axes)


@_product("kron")
def kron(x1: Array, x2: Array) -> Any:
    """Each element of the first times the whole second."""
    return np.kron(x1, x2)


@_product("einsum")
def einsum(x1: Array, x2: Any = None, subscripts: str = "") -> Any:
    """Einstein's summation; the operands come first here, as in a graph."""
    return np.einsum(subscripts, *([x1] if x2 is None else [x1, x2]))


@_product("trace")
def trace(x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The sum of a diagonal."""
    return reduced(arrays.total, np.diagonal(x, offset, axis1, axis2), -1)


@arraywise("keras.ops.cdist")
def cdist(x: Array, y: Array) -> Array:
    """Euclidean distances of all pairs of rows."""
    apart = x[..., :, None, :] - y[..., None, :, :]
    return each(arrays.root, reduced(arrays.total, apart * apart, -1))


def activated(y: Array, activation: Any) -> Array:
    """The output of a layer, whose activation must be none."""
    if activation not in (None, "linear"):
        raise NoFormula(f"there is no formula for a layer with the activation {activation!r}")
    return y


@arraywise("keras.layers.Dense")
def dense(
    weights: Any, x: Array, units: int, activation: Any = None, use_bias: bool = True
) -> Array:
    """x times the kernel, plus the bias."""
    y = np.tensordot(x, weights["kernel"], axes=1)
    return activated(y + weights["bias"] if use_bias else y, activation)
