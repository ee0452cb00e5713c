"""Cross-entropies, and the signal-to-noise ratio of images."""

import numpy as np

from assay_worker.reference import losses
from assay_worker.reference.registry import reference


@reference("keras.ops.binary_crossentropy")
def binary_crossentropy(target, output, from_logits=False):
    """-t log(p) - (1 - t) log(1 - p), each element for itself."""
    return losses._binary_terms(target, output, from_logits)[0]


@reference("keras.ops.categorical_crossentropy")
def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """-sum(t log(p)) over the classes."""
    return losses.categorical_crossentropy(target, output, from_logits, axis=axis)


@reference("keras.ops.sparse_categorical_crossentropy", integers=True)
def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """-log(p) of the class that is the label."""
    return losses.sparse_categorical_crossentropy(target, output, from_logits, axis=axis)[0]


@reference("keras.ops.psnr")
def psnr(x1, x2, max_val):
    """20 log10(max_val) - 10 log10(mean squared error)."""
    return 20.0 * np.log10(max_val) - 10.0 * np.log10(np.mean((x1 - x2) ** 2))
