"""The vocabulary of Keras 3: one module per family, mostly tables."""

from collections.abc import Iterator

from assay.ops._base import OpSpec
from assay.ops.keras import (
    activation,
    attention,
    convolution,
    dense,
    elementwise,
    losses,
    merging,
    normalization,
    numpy_contraction,
    numpy_counting,
    numpy_creation,
    numpy_elementwise_m_z,
    numpy_folding,
    numpy_indexing,
    numpy_manipulation,
    numpy_moving,
    numpy_products,
    numpy_repetition,
    numpy_statistics,
    ops_core,
    ops_image,
    ops_linalg,
    ops_math,
    ops_nn,
    ops_windowed,
    padding,
    pooling,
    preprocessing,
    recurrent,
    regularization,
    reshaping,
    resizing,
    transposed,
)

FAMILIES = (
    activation,
    attention,
    convolution,
    dense,
    elementwise,
    losses,
    merging,
    normalization,
    numpy_contraction,
    numpy_counting,
    numpy_creation,
    numpy_elementwise_m_z,
    numpy_folding,
    numpy_indexing,
    numpy_manipulation,
    numpy_moving,
    numpy_products,
    numpy_repetition,
    numpy_statistics,
    ops_core,
    ops_image,
    ops_linalg,
    ops_math,
    ops_nn,
    ops_windowed,
    padding,
    pooling,
    preprocessing,
    recurrent,
    regularization,
    reshaping,
    resizing,
    transposed,
)


def specs() -> Iterator[OpSpec]:
    """Every op spec of Keras."""
    for family in FAMILIES:
        yield from family.SPECS
