"""Cells around a tensor."""

import numpy as np

from assay_worker.reference.registry import Undocumented, reference

_PAD_MODES = (
    "constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum",
    "reflect", "symmetric", "wrap", "empty", "circular",
)  # fmt: skip


@reference("keras.ops.pad", integers=True)
def pad(x, pad_width, mode="constant", constant_values=None):
    """As ``numpy.pad``; ``circular`` is ``wrap``."""
    if mode not in _PAD_MODES:
        raise ValueError(
            "expected mode to be one of %s; received %r" % (", ".join(_PAD_MODES), mode)
        )
    if mode == "empty":
        raise Undocumented("padding of mode empty has no defined values")
    if mode == "constant":
        value = 0 if constant_values is None else constant_values
        return np.pad(x, pad_width, mode="constant", constant_values=value)
    if constant_values is not None:
        raise ValueError(
            "expected no constant_values for mode %r; received %r" % (mode, constant_values)
        )
    return np.pad(x, pad_width, mode="wrap" if mode == "circular" else mode)
