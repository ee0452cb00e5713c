"""Numeric helpers of ``keras.utils``."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.registry import Undocumented, reference


@reference("keras.utils.normalize")
def normalize(x, axis=-1, order=2):
    """x / norm of that order along the axis; zero vectors stay zero."""
    if not isinstance(order, int) or order < 1:
        raise ValueError("expected a positive order of a norm; received %r" % (order,))
    over = arrays.axes(axis, x.ndim)
    norms = np.sum(np.abs(x) ** order, axis=over, keepdims=True) ** (1.0 / order)
    return x / np.where(norms == 0.0, 1.0, norms)


@reference("keras.utils.to_categorical", integers=True)
def to_categorical(x, num_classes=None):
    """One-hot, the classes last; a column of ids is a vector of ids."""
    if x.ndim > 1 and x.shape[-1] == 1:
        x = x[..., 0]
    count = int(x.max()) + 1 if num_classes is None else num_classes
    if not isinstance(count, int):
        raise ValueError("expected a whole number of classes; received %r" % (num_classes,))
    if np.any((x < 0) | (x >= count)):
        raise Undocumented("the documentation does not say what an id out of range means")
    return (x[..., None] == np.arange(count)).astype("float64")


@reference("keras.utils.pad_sequences", integers=True)
def pad_sequences(
    sequences, maxlen=None, dtype="int32", padding="pre", truncating="pre", value=0.0
):
    """Sequences of one length: cut, or padded with the value."""
    for choice in (padding, truncating):
        if choice not in ("pre", "post"):
            raise ValueError("expected pre or post; received %r" % (choice,))
    length = sequences.shape[1]
    wanted = length if maxlen is None else maxlen
    if wanted < length:
        kept = sequences[:, length - wanted :] if truncating == "pre" else sequences[:, :wanted]
    else:
        missing = [(0, 0)] * sequences.ndim
        missing[1] = (wanted - length, 0) if padding == "pre" else (0, wanted - length)
        kept = np.pad(sequences.astype("float64"), missing, mode="constant", constant_values=value)
    if np.dtype(dtype).kind in "iu" and not (np.abs(kept) < 2.0**31).all():
        raise Undocumented("what a cast of such numbers gives differs between machines")
    return kept.astype(dtype) if np.dtype(dtype).kind in "iu" else kept.astype("float64")
