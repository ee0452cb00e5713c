"""Orders, and searches in them: sorted, different, largest elements."""

import numpy as np

from assay_worker.reference.registry import Undocumented, reference


@reference("keras.ops.argsort", integers=True)
def argsort(x, axis=-1):
    """The places in ascending order; None flattens."""
    flat = x.reshape(-1) if axis is None else x
    along = 0 if axis is None else axis
    ordered = np.sort(flat, axis=along)
    if np.any(np.isnan(ordered)) or np.any(np.diff(ordered.astype("float64"), axis=along) == 0):
        raise Undocumented("the order of equal elements, or of NaN, is not documented")
    return np.argsort(flat, axis=along, kind="mergesort")


@reference("keras.ops.searchsorted", integers=True)
def searchsorted(sorted_sequence, values, side="left"):
    """Where to insert so that the order stays; NaN comes last, as NumPy documents."""
    if side not in ("left", "right"):
        raise ValueError("expected side left or right; received %r" % (side,))
    return np.searchsorted(sorted_sequence, values, side=side)


@reference("keras.ops.sort", integers=True)
def sort(x, axis=-1):
    """In ascending order, NaN last as NumPy documents; None flattens."""
    return np.sort(x, axis=axis)


@reference("keras.ops.unique", integers=True)
def unique(
    x,
    sorted=True,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    size=None,
    fill_value=None,
):
    """Different elements in ascending order, and where and how often they occur."""
    if size is not None and (not isinstance(size, int) or size < 0):
        raise ValueError("expected size to be a number of elements; received %r" % (size,))
    if not sorted:
        raise Undocumented("the order of unsorted elements is not documented")
    if x.dtype.kind == "f" and np.isnan(x).any():
        raise Undocumented("whether NaN equals NaN is not documented")
    values, index, inverse, counts = np.unique(x, True, True, True, axis=axis)
    along = 0 if axis is None else axis
    if size is not None:
        if size < values.shape[along] and return_inverse:
            raise Undocumented("the inverse of what was cut off is not documented")
        if size > values.shape[along] and return_index:
            raise Undocumented("the index of what was filled up is not documented")
        values = _sized(values, size, 0 if fill_value is None else fill_value, along)
        index, counts = _sized(index, size, 0, 0), _sized(counts, size, 0, 0)
    inverse = inverse.reshape(x.shape if axis is None else -1)
    asked = (
        (True, values), (return_index, index), (return_inverse, inverse), (return_counts, counts),
    )  # fmt: skip
    return tuple(item for wanted, item in asked if wanted)


def _sized(values, size, fill, axis):
    """Cut off or filled up to ``size`` along an axis."""
    kept = np.take(values, range(min(size, values.shape[axis])), axis=axis)
    shape = list(values.shape)
    shape[axis] = max(0, size - values.shape[axis])
    return np.concatenate([kept, np.full(shape, fill, dtype=values.dtype)], axis=axis)


@reference("keras.ops.isin", integers=True)
def isin(x1, x2, assume_unique=False, invert=False):
    """Is each element among the others?"""
    found = (x1.reshape(-1, 1) == x2.reshape(1, -1)).any(axis=1).reshape(x1.shape)
    return ~found if invert else found


@reference("keras.ops.top_k", integers=True)
def top_k(x, k, sorted=True):
    """The k largest along the last axis, and where they are."""
    if not isinstance(k, int) or not 0 <= k <= x.shape[-1]:
        raise ValueError("expected k of %d elements; received %r" % (x.shape[-1], k))
    if x.dtype.kind == "f" and np.isnan(x).any():
        raise Undocumented("where NaN belongs in an order is not documented")
    order = np.argsort(-x.astype("float64"), axis=-1, kind="mergesort")
    largest = np.take_along_axis(x, order, axis=-1)
    # The first element that is left out counts: it could be in.
    shown = largest[..., : k + 1]
    if np.any(shown[..., 1:] == shown[..., :-1]):
        raise Undocumented("the order of equal elements is not documented")
    return largest[..., :k], order[..., :k].astype("int32")


@reference("keras.ops.in_top_k", integers=True)
def in_top_k(targets, predictions, k):
    """Is the prediction of the target among the k largest? A target without one is not."""
    if not np.isfinite(predictions).all():
        raise Undocumented("predictions that are not finite have no documented place")
    count = predictions.shape[-1]
    known = (targets >= 0) & (targets < count)
    places = np.where(known, targets, 0).astype("int64")[..., None]
    own = np.take_along_axis(predictions, places, axis=-1)
    above = np.sum(predictions > own, axis=-1)
    tied = np.sum(predictions == own, axis=-1)
    if np.any(known & (above < k) & (above + tied > k)):
        raise Undocumented("the order of equal predictions is not documented")
    return known & (above < k)
