"""One tensor in parts along an axis."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.registry import Undocumented, reference


def _split(x, where, axis):
    if isinstance(where, tuple):
        return tuple(np.split(x, list(where), axis=axis))
    if not isinstance(where, int) or where < 1:
        raise ValueError("expected a number of sections or indices; received %r" % (where,))
    if x.shape[axis] % where:
        raise Undocumented("unequal sections are documented for one backend only")
    return tuple(np.split(x, where, axis=axis))


@reference("keras.ops.split", integers=True)
def split(x, indices_or_sections, axis=0):
    """Equal sections, or parts between indices."""
    return _split(x, indices_or_sections, axis)


@reference("keras.ops.vsplit", integers=True)
def vsplit(x, indices_or_sections):
    """Parts along the first axis."""
    return _split(x, indices_or_sections, 0)


@reference("keras.ops.array_split", integers=True)
def array_split(x, indices_or_sections, axis=0):
    """Parts as equal as possible, the longer ones first."""
    return tuple(np.array_split(x, indices_or_sections, axis=axis))


def _sections(value):
    return list(value) if isinstance(value, tuple) else value


@reference("keras.ops.hsplit", integers=True)
def hsplit(x, indices_or_sections):
    """Parts along the second axis; of vectors along their only one."""
    return tuple(np.hsplit(x, _sections(indices_or_sections)))


@reference("keras.ops.dsplit", integers=True)
def dsplit(x, indices_or_sections):
    """Parts along the third axis."""
    return tuple(np.dsplit(x, _sections(indices_or_sections)))


@reference("keras.ops.unstack", integers=True)
def unstack(x, num=None, axis=0):
    """The parts along an axis."""
    (along,) = arrays.axes(axis, x.ndim)
    if num is not None and num != x.shape[along]:
        raise ValueError("expected %d parts; received num=%r" % (x.shape[along], num))
    return tuple(np.take(x, index, axis=along) for index in range(x.shape[along]))
