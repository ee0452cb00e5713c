"""Padding and cropping layers."""

from assay_worker.reference import arrays
from assay_worker.reference.registry import reference


def _ends(value, rank, name):
    """Cells before and after each of ``rank`` dimensions; with one, a pair is those two."""
    if isinstance(value, int):
        pairs = [(value, value)] * rank
    elif not isinstance(value, tuple):
        pairs = []
    elif rank == 1:
        pairs = [value]
    else:
        pairs = [(item, item) if isinstance(item, int) else item for item in value]
    if len(pairs) != rank or any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise ValueError(
            "expected non-negative %s for %d dimensions; received %r" % (name, rank, value)
        )
    return pairs


def _cropping(x, cropping=None, data_format=None, rank=2):
    arrays.need_rank(x, rank + 2)
    cropping = (int(rank != 2)) if cropping is None else cropping
    index = [slice(None)] * x.ndim
    axes = arrays.spatial_axes(x, data_format)
    for axis, (before, after) in zip(axes, _ends(cropping, rank, "cropping")):
        if before + after >= x.shape[axis]:
            raise ValueError("cropping %r leaves nothing of shape %s" % (cropping, x.shape))
        index[axis] = slice(before, x.shape[axis] - after)
    return x[tuple(index)]


def _zero_padding(x, padding=1, data_format=None, rank=2):
    arrays.need_rank(x, rank + 2)
    widths = _ends(padding, rank, "padding")
    x = arrays.to_channels_last(x, data_format)
    return arrays.from_channels_last(arrays.pad_spatial(x, widths, 0), data_format)


for _rank in (1, 2, 3):
    reference("keras.layers.ZeroPadding%dD" % _rank, integers=True, rank=_rank)(_zero_padding)
    reference("keras.layers.Cropping%dD" % _rank, integers=True, rank=_rank)(_cropping)
