"""The reference: what ops mean, in float64, from documentation and mathematics.

Nothing but NumPy and SciPy. One short function per op, registered by its public
path with ``@reference``; see ``registry`` for what a function may ask for.
"""

from assay_worker.reference.registry import Operation, Unsupported, Weight, names, reference

# Imported for their registrations.
from assay_worker.reference import (  # isort: skip
    activations,
    convolution,
    core,
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
    numpy_statistics,
    pooling,
    reductions,
    resizing,
    shapes,
    transposed,
)

__all__ = [
    "Operation",
    "Unsupported",
    "Weight",
    "activations",
    "convolution",
    "core",
    "elementwise",
    "losses",
    "merging",
    "names",
    "normalization",
    "numpy_contraction",
    "numpy_counting",
    "numpy_creation",
    "numpy_elementwise_m_z",
    "numpy_folding",
    "numpy_indexing",
    "numpy_manipulation",
    "numpy_moving",
    "numpy_products",
    "numpy_statistics",
    "pooling",
    "reductions",
    "reference",
    "resizing",
    "shapes",
    "transposed",
]
