"""Layers that merge a list of tensors."""

import functools

import numpy as np

from assay_worker.reference.registry import Unsupported, reference

#: Norms below it are taken for it.
_EPSILON = 1e-7


def _inputs(xs, count=None):
    if not isinstance(xs, list) or not xs or (count is not None and len(xs) != count):
        expected = "a list of tensors" if count is None else "a list of %d tensors" % count
        received = "%d" % len(xs) if isinstance(xs, list) else "one tensor"
        raise ValueError("expected %s; received %s" % (expected, received))
    if len({x.ndim for x in xs}) > 1:
        raise Unsupported("the reference does not merge tensors of different ranks")
    return xs


@reference("keras.layers.Add", integers=True)
def add(xs):
    """Sum."""
    return functools.reduce(np.add, _inputs(xs))


@reference("keras.layers.Subtract", integers=True)
def subtract(xs):
    """First minus second."""
    first, second = _inputs(xs, 2)
    return first - second


@reference("keras.layers.Multiply", integers=True)
def multiply(xs):
    """Product."""
    return functools.reduce(np.multiply, _inputs(xs))


@reference("keras.layers.Average", integers=True)
def average(xs):
    """Mean."""
    return functools.reduce(np.add, _inputs(xs)) / len(xs)


@reference("keras.layers.Maximum", integers=True)
def maximum(xs):
    """Largest."""
    return functools.reduce(np.maximum, _inputs(xs))


@reference("keras.layers.Minimum", integers=True)
def minimum(xs):
    """Smallest."""
    return functools.reduce(np.minimum, _inputs(xs))


@reference("keras.layers.Concatenate", integers=True)
def concatenate(xs, axis=-1):
    """Joined along an axis."""
    return np.concatenate(_inputs(xs), axis=axis)


def _contracted(xs, axes):
    pair = axes if isinstance(axes, tuple) else (axes, axes)
    if len(pair) != 2 or not all(isinstance(axis, int) for axis in pair):
        raise ValueError("expected one axis or two; received %r" % (axes,))
    found = []
    for x, axis in zip(xs, pair):
        if not -x.ndim <= axis < x.ndim or axis % x.ndim == 0:
            raise ValueError("expected an axis that is not the batch; received %r" % (axes,))
        found.append(axis % x.ndim)
    return found


@reference("keras.layers.Dot")
def dot(xs, axes, normalize=False):
    """Sample by sample, the sum of products along one axis of each."""
    if not isinstance(xs, list) or len(xs) != 2:
        raise ValueError("expected a list of 2 tensors")
    first, second = _contracted(xs, axes)
    if xs[0].shape[first] != xs[1].shape[second]:
        raise ValueError(
            "expected equal lengths along %r; received %s" % (axes, [x.shape for x in xs])
        )
    one, other = [np.moveaxis(x, axis, -1) for x, axis in zip(xs, (first, second))]
    if normalize:
        one, other = _unit(one), _unit(other)
    shape = one.shape[1:-1] + other.shape[1:-1]
    rows = one.reshape((len(one), int(np.prod(one.shape[1:-1])), one.shape[-1]))
    columns = other.reshape((len(other), int(np.prod(other.shape[1:-1])), other.shape[-1]))
    product = rows @ np.swapaxes(columns, 1, 2)
    return product.reshape((len(one),) + (shape or (1,)))


def _unit(x):
    """Vectors of length 1 along the last axis, as ``keras.ops.normalize`` defines it."""
    norm = np.sqrt(np.sum(x * x, axis=-1, keepdims=True))
    return x / np.maximum(norm, _EPSILON)
