"""Ids as vectors of zeros and ones."""

import numpy as np

from assay_worker.reference.registry import Undocumented, reference


def _needs_ids(ids, count):
    if np.any((ids < 0) | (ids >= count)):
        raise Undocumented("the documentation does not say what an id without class becomes")


def _kind(y, dtype):
    return y if dtype is None or "float" in dtype else y.astype(dtype)


@reference("keras.ops.one_hot", integers=True)
def one_hot(x, num_classes, axis=-1, dtype=None, sparse=False):
    """A new axis with 1 at the place of the id."""
    _needs_ids(x, num_classes)
    y = (x[..., None] == np.arange(num_classes)).astype("float64")
    return _kind(np.moveaxis(y, -1, axis), dtype)


@reference("keras.ops.multi_hot", integers=True)
def multi_hot(inputs, num_classes=None, axis=-1, dtype=None, sparse=False):
    """1 at the places of all ids of a sample."""
    _needs_ids(inputs, num_classes)
    if axis != -1:
        raise Undocumented("where the labels of a sample are is documented for the last axis only")
    y = (inputs[..., None] == np.arange(num_classes)).any(axis=-2)
    return _kind(y.astype("float64"), dtype)
