"""The core functions of ``keras.ops``: casts, slices, scatters."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.registry import Undocumented, reference


def _ops(*names, **options):
    return reference(*["keras.ops." + name for name in names], integers=True, **options)


def _known_dtype(dtype):
    if not isinstance(dtype, str):
        raise ValueError("expected the name of a dtype; received %r" % (dtype,))
    return np.dtype(dtype)


@_ops("cast")
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


@_ops("convert_to_tensor")
def convert_to_tensor(x, dtype=None):
    """As it is, or cast."""
    return x if dtype is None else cast(x, dtype)


@_ops("saturate_cast")
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


@_ops("stop_gradient")
def stop_gradient(x):
    """x."""
    return x


def _place(start, lengths):
    return tuple(slice(first, first + length) for first, length in zip(start, lengths))


def _need_inside(x, start, lengths):
    inside = len(start) == len(lengths) == x.ndim and all(
        first >= 0 and first + length <= size
        for first, length, size in zip(start, lengths, x.shape)
    )
    if not inside:
        raise ValueError(
            "expected a part of shape %s; received start %r and shape %r"
            % (x.shape, start, lengths)
        )


@_ops("slice")
def slice_(inputs, start_indices, shape):
    """The part that begins at the indices."""
    _need_inside(inputs, start_indices, shape)
    return inputs[_place(start_indices, shape)]


@_ops("slice_update")
def slice_update(inputs, start_indices, updates):
    """The inputs with one part replaced."""
    _need_inside(inputs, start_indices, updates.shape)
    y = inputs.copy()
    y[_place(start_indices, updates.shape)] = updates
    return y


@_ops("unstack")
def unstack(x, num=None, axis=0):
    """The parts along an axis."""
    (along,) = arrays.axes(axis, x.ndim)
    if num is not None and num != x.shape[along]:
        raise ValueError("expected %d parts; received num=%r" % (x.shape[along], num))
    return tuple(np.take(x, index, axis=along) for index in range(x.shape[along]))


_REDUCTIONS = {
    None: lambda old, new: new,
    "add": lambda old, new: old + new,
    "max": np.maximum,
    "min": np.minimum,
    "mul": lambda old, new: old * new,
}


@_ops("scatter_update")
def scatter_update(inputs, indices, updates, reduction=None):
    """Updates one after the other: the last one of a place stays."""
    if reduction not in _REDUCTIONS:
        raise ValueError("expected a reduction; received %r" % (reduction,))
    y = inputs.copy()
    for index, update in zip(indices, updates):
        place = tuple(int(item) for item in index)
        y[place] = _REDUCTIONS[reduction](y[place], update)
    return y


@_ops("scatter")
def scatter(indices, values, shape):
    """``scatter_update`` of zeros."""
    if len({tuple(index) for index in indices.tolist()}) < len(indices):
        # Documented as scatter_update, where the last one stays; implemented as a sum.
        raise Undocumented("what several values for one place give is contradictory")
    return scatter_update(np.zeros(shape, dtype=values.dtype), indices, values)


def _terms(side):
    """The axes of one side of a pattern: each a list of names."""
    result, group = [], None
    for token in side.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            group = []
        elif token == ")":
            result.append(group)
            group = None
        elif group is not None:
            group.append(token)
        else:
            result.append([token])
    return result


@_ops("rearrange")
def rearrange(tensor, pattern, f=None):
    """Axes split, permuted and merged as the pattern says; ``f`` is a length it leaves open."""
    left, right = [_terms(side) for side in pattern.split("->")]
    if len(left) != tensor.ndim:
        raise ValueError("expected %d axes; received %r" % (tensor.ndim, pattern))
    names, lengths = [], []
    for term, length in zip(left, tensor.shape):
        for name in term:
            names.append(name)
            known = f if name == "f" else length // f if "f" in term else length
            lengths.append(known)
    order = [names.index(name) for term in right for name in term]
    if sorted(order) != list(range(len(names))) or len(set(names)) != len(names):
        raise ValueError("expected each axis once on both sides; received %r" % (pattern,))
    y = tensor.reshape(lengths).transpose(order)
    merged = [int(np.prod([lengths[names.index(name)] for name in term])) for term in right]
    return y.reshape(merged)
