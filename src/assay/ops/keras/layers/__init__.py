"""Specs of ``keras.layers``."""

from assay.ops.keras.layers import (
    activation,
    attention,
    convolution,
    core,
    image_colors,
    merging,
    normalization,
    padding,
    pooling,
    preprocessing,
    recurrent,
    regularization,
    reshaping,
    resizing,
    spectrograms,
    transposed_convolution,
    wrappers,
)

_MODULES = (
    activation,
    attention,
    convolution,
    core,
    image_colors,
    merging,
    normalization,
    padding,
    pooling,
    preprocessing,
    recurrent,
    regularization,
    reshaping,
    resizing,
    spectrograms,
    transposed_convolution,
    wrappers,
)

SPECS = tuple(spec for module in _MODULES for spec in module.SPECS)
