"""Functions of ``keras.random``: any draw has all the properties of ``random_properties``.

What was drawn is not known here, so each function gives as many ones as its op has
properties, for arguments that the documentation allows.
"""

import numpy as np

from assay_worker import random_properties
from assay_worker.reference.registry import reference


def _all_true(name):
    return np.ones(len(random_properties.names("keras.random." + name)))


def _refuse_unless(allowed, name, value, expected):
    if not allowed:
        raise ValueError("expected %s to be %s; received %r" % (name, expected, value))


def _lengths(shape):
    whole = isinstance(shape, tuple) and all(isinstance(n, int) and n >= 0 for n in shape)
    _refuse_unless(whole, "shape", shape, "a tuple of lengths")


def _at_least(name, value, low, high=np.inf):
    numbers = np.asarray(value)
    allowed = numbers.dtype.kind in "if" and np.all((numbers >= low) & (numbers <= high))
    _refuse_unless(allowed, name, value, "at least %s" % low)


@reference("keras.random.SeedGenerator")
def seed_generator(seed=None):
    """A parameter of the others; its state is not looked at."""
    return np.ones(0)


@reference("keras.random.normal", name="normal")
@reference("keras.random.truncated_normal", name="truncated_normal")
def normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None, name=""):
    """Around ``mean``."""
    _lengths(shape)
    _at_least("stddev", stddev, 0)
    return _all_true(name)


@reference("keras.random.uniform")
def uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    """From ``minval`` to ``maxval``."""
    _lengths(shape)
    _at_least("maxval", maxval, minval)
    return _all_true("uniform")


@reference("keras.random.randint")
def randint(shape, minval, maxval, dtype="int32", seed=None):
    """From ``minval`` to ``maxval - 1``."""
    _lengths(shape)
    _at_least("maxval", maxval, minval + 1)
    return _all_true("randint")


@reference("keras.random.gamma")
def gamma(shape, alpha, dtype=None, seed=None):
    """Of mean ``alpha``."""
    _lengths(shape)
    _at_least("alpha", alpha, 0)
    return _all_true("gamma")


@reference("keras.random.beta")
def beta(shape, alpha, beta, dtype=None, seed=None):
    """From 0 to 1."""
    _lengths(shape)
    _at_least("alpha", alpha, 0)
    _at_least("beta", beta, 0)
    return _all_true("beta")


@reference("keras.random.binomial")
def binomial(shape, counts, probabilities, dtype=None, seed=None):
    """From 0 to ``counts``."""
    _lengths(shape)
    _at_least("counts", counts, 0)
    _at_least("probabilities", probabilities, 0, 1)
    return _all_true("binomial")


@reference("keras.random.categorical")
def categorical(logits, num_samples, dtype="int32", seed=None):
    """Classes by row."""
    _at_least("num_samples", num_samples, 0)
    return _all_true("categorical")


@reference("keras.random.dropout")
def dropout(inputs, rate, noise_shape=None, seed=None):
    """Zero, or scaled."""
    _at_least("rate", rate, 0, 1)
    return _all_true("dropout")


@reference("keras.random.shuffle")
def shuffle(x, axis=0, seed=None):
    """The same slices."""
    np.moveaxis(x, axis, 0)  # refuses an axis that is not there
    return _all_true("shuffle")
