"""Reductions over the rows of each segment."""

import numpy as np

from assay_worker.reference.registry import Undocumented, reference


def _segments(data, segment_ids, num_segments, reduce, empty):
    """``reduce`` over the rows of each segment."""
    if np.any((segment_ids < 0) | (segment_ids >= num_segments)):
        raise Undocumented("the documentation does not say what ids without segment do")
    rows = data.reshape((segment_ids.size,) + data.shape[segment_ids.ndim :])
    ids = segment_ids.reshape(-1)
    y = np.zeros((num_segments,) + rows.shape[1:], dtype=data.dtype)
    for segment in range(num_segments):
        chosen = rows[ids == segment]
        if not len(chosen) and empty is None:
            raise Undocumented("the documentation does not say what an empty segment gives")
        y[segment] = reduce(chosen, axis=0) if len(chosen) else empty
    return y


@reference("keras.ops.segment_sum", integers=True)
def segment_sum(data, segment_ids, num_segments=None, sorted=False):
    """Sums; of nothing, 0."""
    return _segments(data, segment_ids, num_segments, np.sum, 0)


@reference("keras.ops.segment_prod", integers=True)
def segment_prod(data, segment_ids, num_segments=None, sorted=False):
    """Products; of nothing, 1."""
    return _segments(data, segment_ids, num_segments, np.prod, 1)


@reference("keras.ops.segment_max", integers=True)
def segment_max(data, segment_ids, num_segments=None, sorted=False):
    """Maxima."""
    return _segments(data, segment_ids, num_segments, np.max, None)


@reference("keras.ops.segment_min", integers=True)
def segment_min(data, segment_ids, num_segments=None, sorted=False):
    """Minima."""
    return _segments(data, segment_ids, num_segments, np.min, None)
