"""Sums of products over axes that are named: tensordot and einsum."""

import numpy as np

from assay_worker.reference.registry import reference


@reference("keras.ops.tensordot", integers=True)
def tensordot(x1, x2, axes=2):
    """Sums over pairs of axes."""
    return np.tensordot(x1, x2, axes=axes)


@reference("keras.ops.einsum", integers=True)
def einsum(x1, x2=None, subscripts=None):
    """Einstein's summation; the operands come first here, as in a graph."""
    return np.einsum(subscripts, *([x1] if x2 is None else [x1, x2]))
