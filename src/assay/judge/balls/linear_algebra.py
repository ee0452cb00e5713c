"""Formulas of linear algebra: determinants, inverses and solutions, enclosed by Arb's matrices."""

from typing import Any

import numpy as np
from flint import arb, arb_mat

from assay.ir import Array
from assay.judge.balls.registry import arraywise


def _matrix(x: Array) -> Any:
    return arb_mat([list(row) for row in x])


def _array(found: Any, shape: tuple[int, ...]) -> Array:
    result = np.empty(shape[0] * shape[1], dtype=object)
    result[:] = found.entries()
    return result.reshape(shape)


def _without_information(shape: tuple[int, ...]) -> Array:
    return np.full(shape, arb.nan(), dtype=object)


@arraywise("keras.ops.det")
def det(x: Array) -> Any:
    """Determinants."""
    found = np.empty(x.shape[:-2], dtype=object)
    for place in np.ndindex(found.shape):
        found[place] = _matrix(x[place]).det()
    return found


@arraywise("keras.ops.logdet")
def logdet(x: Array) -> Any:
    """Logarithms of determinants that are positive."""
    found = det(x)
    for place in np.ndindex(found.shape):
        found[place] = found[place].log()
    return found


def _solved(a: Array, b: Array) -> Array:
    """x of a x = b for one matrix each; no information where a may be singular."""
    try:
        return _array(_matrix(a).solve(_matrix(b)), b.shape)
    except ZeroDivisionError:
        return _without_information(b.shape)


@arraywise("keras.ops.solve")
def solve(a: Array, b: Array) -> Any:
    """x of a x = b; b holds columns, or is one vector."""
    columns = b[..., None] if b.ndim == 1 else b
    batch = np.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    left = np.broadcast_to(a, batch + a.shape[-2:])
    right = np.broadcast_to(columns, batch + columns.shape[-2:])
    found = np.empty(right.shape, dtype=object)
    for place in np.ndindex(batch):
        found[place] = _solved(left[place], right[place])
    return found[..., 0] if b.ndim == 1 else found


@arraywise("keras.ops.solve_triangular")
def solve_triangular(a: Array, b: Array, lower: bool = False) -> Any:
    """The same, where only one triangle of a is read."""
    rows, columns = np.indices(a.shape[-2:])
    read = rows >= columns if lower else rows <= columns
    zero = np.full((), arb(0), dtype=object)
    return solve(np.where(read, a, zero), b)


@arraywise("keras.ops.inv")
def inv(x: Array) -> Any:
    """Inverses."""
    unit = np.full(x.shape[-2:], arb(0), dtype=object)
    for place in range(x.shape[-1]):
        unit[place, place] = arb(1)
    return solve(x, unit)
