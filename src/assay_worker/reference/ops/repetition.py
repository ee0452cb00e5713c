"""Elements, or whole tensors, several times."""

import numpy as np

from assay_worker.reference.registry import reference


@reference("keras.ops.repeat", integers=True)
def repeat(x, repeats, axis=None):
    """Each element so many times."""
    return np.repeat(x, np.asarray(repeats), axis=axis)


@reference("keras.ops.tile", integers=True)
def tile(x, repeats):
    """The whole so many times along each axis."""
    return np.tile(x, repeats)
