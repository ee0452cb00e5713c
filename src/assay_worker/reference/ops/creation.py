"""Tensors from parameters or ends: constants, ranges, windows, grids."""

import numpy as np

from assay_worker.reference.registry import Undocumented, reference


def of_kind(values, dtype):
    """As that dtype where it says what the values are, not how precise."""
    return values if dtype is None or dtype.startswith("float") else values.astype(dtype)


@reference("keras.ops.arange", integers=True)
def arange(start, stop=None, step=None, dtype=None):
    """start, start + step … below ``stop``; with one end only, from 0 to it."""
    start, stop = (0, start) if stop is None else (start, stop)
    return of_kind(np.arange(start, stop, 1 if step is None else step), dtype)


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
        return of_kind(np.linspace(start, stop, num, endpoint, axis=axis), dtype)
    intervals = num - 1 if endpoint else num
    if intervals < 1:
        raise Undocumented("the step between fewer than two samples is not documented")
    samples = np.linspace(start, stop, num, endpoint, axis=axis)
    return of_kind(samples, dtype), (stop - start) / intervals


@reference("keras.ops.logspace")
def logspace(start, stop, num=50, endpoint=True, base=10, dtype=None, axis=0):
    """``base`` to the power of evenly spaced numbers."""
    _check(start, stop, num)
    return of_kind(np.power(float(base), np.linspace(start, stop, num, endpoint, axis=axis)), dtype)


@reference("keras.ops.geomspace")
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Each a constant multiple of the one before."""
    _check(start, stop, num)
    logarithms = np.linspace(np.log(start), np.log(stop), num, endpoint, axis=axis)
    return of_kind(np.exp(logarithms), dtype)


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
    return of_kind(np.eye(N, M, k), dtype)


@reference("keras.ops.identity", integers=True)
def identity(n, dtype=None):
    """Ones on the main diagonal."""
    return of_kind(np.identity(n), dtype)


@reference("keras.ops.full", integers=True)
def full(shape, fill_value, dtype=None):
    """One value everywhere."""
    return of_kind(np.full(shape, float(fill_value)), dtype)


@reference("keras.ops.full_like", integers=True)
def full_like(x, fill_value, dtype=None):
    """One value everywhere, in the shape and dtype of another tensor."""
    filled = np.full(x.shape, float(fill_value))
    return of_kind(filled, x.dtype.name if dtype is None else dtype)


def _meshgrid(x0, x1=None, x2=None, x3=None, indexing="xy"):
    if indexing not in ("xy", "ij"):
        raise ValueError("expected indexing xy or ij; received %r" % (indexing,))
    vectors = [x for x in (x0, x1, x2, x3) if x is not None]
    return tuple(np.meshgrid(*vectors, indexing=indexing))


reference("keras.ops.meshgrid", integers=True)(_meshgrid)


@reference("keras.ops.ones", integers=True)
def ones(shape, dtype=None):
    """One everywhere."""
    return of_kind(np.ones(shape), dtype)


@reference("keras.ops.zeros", integers=True)
def zeros(shape, dtype=None):
    """Zero everywhere."""
    return of_kind(np.zeros(shape), dtype)


@reference("keras.ops.ones_like", integers=True)
def ones_like(x, dtype=None):
    """Ones of the shape and dtype of another tensor."""
    return of_kind(np.ones_like(x), dtype)


@reference("keras.ops.zeros_like", integers=True)
def zeros_like(x, dtype=None):
    """Zeros of the shape and dtype of another tensor."""
    return of_kind(np.zeros_like(x), dtype)


@reference("keras.ops.vander", integers=True)
def vander(x, N=None, increasing=False):  # the documented name
    """Powers of the elements, the highest first."""
    count = x.size if N is None else N
    if not isinstance(count, int) or count < 0:
        raise ValueError("expected a number of columns; received N=%r" % (N,))
    powers = np.arange(count) if increasing else np.arange(count)[::-1]
    return np.power(x[:, None], powers.astype(x.dtype)[None, :])
