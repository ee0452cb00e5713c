"""Ops that make tensors: ranges, windows, constants, names from a to l."""

import numpy as np

from assay_worker.reference.registry import Undocumented, reference


def _cast(values, dtype):
    """As that dtype where it says what the values are, not how precise."""
    return values if dtype is None or dtype.startswith("float") else values.astype(dtype)


@reference("keras.ops.arange", integers=True)
def arange(start, stop=None, step=None, dtype=None):
    """start, start + step … below ``stop``; with one end only, from 0 to it."""
    start, stop = (0, start) if stop is None else (start, stop)
    return _cast(np.arange(start, stop, 1 if step is None else step), dtype)


def _check(start, stop, num):
    if not isinstance(num, int) or num < 0:
        raise ValueError("expected a number of samples; received num=%r" % (num,))
    if not (np.isfinite(start).all() and np.isfinite(stop).all()):
        raise Undocumented("samples between infinities or NaN are not documented")


@reference("keras.ops.linspace")
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """Evenly spaced numbers along a new axis, and the step if asked for."""
    _check(start, stop, num)
    if not retstep:
        return _cast(np.linspace(start, stop, num, endpoint, axis=axis), dtype)
    intervals = num - 1 if endpoint else num
    if intervals < 1:
        raise Undocumented("the step between fewer than two samples is not documented")
    samples = np.linspace(start, stop, num, endpoint, axis=axis)
    return _cast(samples, dtype), (stop - start) / intervals


@reference("keras.ops.logspace")
def logspace(start, stop, num=50, endpoint=True, base=10, dtype=None, axis=0):
    """``base`` to the power of evenly spaced numbers."""
    _check(start, stop, num)
    return _cast(np.power(float(base), np.linspace(start, stop, num, endpoint, axis=axis)), dtype)


@reference("keras.ops.geomspace")
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Each a constant multiple of the one before."""
    _check(start, stop, num)
    logarithms = np.linspace(np.log(start), np.log(stop), num, endpoint, axis=axis)
    return _cast(np.exp(logarithms), dtype)


def _window(function):
    return lambda x: function(x)


for _name, _function in (
    ("bartlett", np.bartlett),
    ("blackman", np.blackman),
    ("hamming", np.hamming),
    ("hanning", np.hanning),
):
    reference("keras.ops." + _name, integers=True)(_window(_function))


@reference("keras.ops.kaiser", integers=True)
def kaiser(x, beta):
    """Kaiser's window."""
    return np.kaiser(x, beta)


@reference("keras.ops.eye", integers=True)
def eye(N, M=None, k=0, dtype=None):  # the documented names
    """Ones on a diagonal."""
    return _cast(np.eye(N, M, k), dtype)


@reference("keras.ops.identity", integers=True)
def identity(n, dtype=None):
    """Ones on the main diagonal."""
    return _cast(np.identity(n), dtype)


@reference("keras.ops.full", integers=True)
def full(shape, fill_value, dtype=None):
    """One value everywhere."""
    return _cast(np.full(shape, float(fill_value)), dtype)


@reference("keras.ops.full_like", integers=True)
def full_like(x, fill_value, dtype=None):
    """One value everywhere, in the shape and dtype of another tensor."""
    filled = np.full(x.shape, float(fill_value))
    return _cast(filled, x.dtype.name if dtype is None else dtype)
