"""Layers that merge a list of tensors."""

import functools

import numpy as np

from assay_worker.reference.registry import Unsupported, reference


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


@reference("keras.layers.Average")
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
