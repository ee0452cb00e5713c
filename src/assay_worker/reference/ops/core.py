"""What a tensor is: its dtype, its bytes, its size, and whether it has a gradient."""

import numpy as np

from assay_worker.reference.registry import Undocumented, Unsupported, reference


def _known_dtype(dtype):
    if not isinstance(dtype, str):
        raise ValueError("expected the name of a dtype; received %r" % (dtype,))
    return np.dtype(dtype)


@reference("keras.ops.cast", integers=True)
def cast(x, dtype):
    """Another dtype; floats are cut to whole numbers."""
    target = _known_dtype(dtype)
    if target.kind == "b":
        return x != 0
    if target.kind in "iu" and x.dtype.kind == "f":
        info = np.iinfo(target)
        if not np.all((np.trunc(x) >= info.min) & (np.trunc(x) <= info.max)):
            raise Undocumented("what a dtype cannot hold has no defined value in it")
    return x.astype(target)


@reference("keras.ops.convert_to_tensor", integers=True)
def convert_to_tensor(x, dtype=None):
    """As it is, or cast."""
    return x if dtype is None else cast(x, dtype)


@reference("keras.ops.saturate_cast", integers=True)
def saturate_cast(x, dtype):
    """As cast, of values cut to the range of the dtype."""
    target = _known_dtype(dtype)
    if x.dtype.kind == "f" and np.isnan(x).any():
        raise Undocumented("what NaN becomes in another dtype is not documented")
    if target.kind == "f":
        limit = float(np.finfo(target).max)
        return np.clip(x.astype("float64"), -limit, limit)
    info = np.iinfo(target)
    # float64 holds the limits of 32 bits exactly.
    return np.clip(x.astype("float64"), float(info.min), float(info.max)).astype(target)


@reference("keras.ops.stop_gradient", integers=True)
def stop_gradient(x):
    """x."""
    return x


@reference("keras.ops.ndim", integers=True)
def ndim(x):
    """The number of axes."""
    return np.asarray(x.ndim)


@reference("keras.ops.size", integers=True)
def size(x):
    """The number of elements."""
    return np.asarray(x.size)


@reference("keras.ops.view", integers=True)
def view(x, dtype=None):
    """The same bytes as another dtype."""
    if x.dtype.kind == "f":
        raise Unsupported("the reference does not know how precise its inputs were")
    return np.ascontiguousarray(x).view(x.dtype if dtype is None else dtype)


@reference("keras.ops.view_as_complex")
def view_as_complex(x):
    """Pairs along the last axis as complex numbers."""
    y = np.empty(x.shape[:-1], dtype="complex128")
    y.real, y.imag = x[..., 0], x[..., 1]
    return y


@reference("keras.ops.view_as_real")
def view_as_real(x):
    """The inverse of ``view_as_complex``."""
    return np.stack([x.real, x.imag], axis=-1).astype("float64")
