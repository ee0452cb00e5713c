"""Numeric preprocessing: scale and shift, categories, hashes."""

import numpy as np

from assay_worker.reference import arrays, farmhash
from assay_worker.reference.registry import Undocumented, Unsupported, reference


@reference("keras.layers.Normalization")
def normalization(x, axis=-1, mean=None, variance=None, invert=False):
    """(x - mean) / sqrt(variance), or the inverse."""
    if mean is None or variance is None:
        raise Unsupported("the reference does not adapt")
    kept = () if axis is None else arrays.axes(axis, x.ndim)
    shape = tuple(x.shape[item] if item in kept else 1 for item in range(x.ndim))
    sizes = tuple(x.shape[item] for item in kept)
    mean, variance = [
        np.broadcast_to(np.asarray(value, dtype="float64"), sizes).reshape(shape)
        for value in (mean, variance)
    ]
    if np.any(variance <= 0):
        raise Undocumented("a variance of zero is not documented")
    deviation = np.sqrt(variance)
    return x * deviation + mean if invert else (x - mean) / deviation


@reference("keras.layers.Rescaling")
def rescaling(x, scale, offset=0.0):
    """x * scale + offset."""
    return x * scale + offset


# --------------------------------------------------------------------- categories


def encode(indices, depth, mode, weights=None, known=None):
    """Indices as they are, one-hot, or collected over the last axis.

    ``known`` is False for elements that are dropped from collections.
    """
    if mode == "int":
        return indices
    if mode == "one_hot":
        if indices.ndim > 1 and indices.shape[-1] == 1:
            indices = indices[..., 0]
            known = None if known is None else known[..., 0]
    elif mode not in ("multi_hot", "count"):
        raise ValueError("unknown output_mode %r" % (mode,))
    hot = (np.arange(depth) == indices[..., None]).astype("float64")
    if known is not None:
        hot = hot * known[..., None]
    if mode == "one_hot":
        return hot
    if mode == "multi_hot":
        return np.max(hot, axis=-2, initial=0.0)
    return np.sum(hot if weights is None else hot * weights[..., None], axis=-2)


@reference("keras.layers.Discretization", integers=True)
def discretization(x, bin_boundaries, output_mode="int"):
    """The number of boundaries that are not above x."""
    if not isinstance(bin_boundaries, tuple):
        raise ValueError("expected a list of boundaries; received %r" % (bin_boundaries,))
    if x.dtype.kind == "f" and np.any(np.isnan(x)):
        raise Undocumented("NaN has no bin")
    bounds = np.sort(np.asarray(bin_boundaries, dtype="float64"))
    indices = np.searchsorted(bounds, x.astype("float64"), side="right")
    return encode(indices, len(bounds) + 1, output_mode)


@reference("keras.layers.CategoryEncoding", integers=True)
def category_encoding(x, num_tokens, output_mode="multi_hot", count_weights=None):
    """Which of the tokens there are, or how often."""
    if not isinstance(num_tokens, int) or num_tokens < 1:
        raise ValueError(
            "expected num_tokens to be a positive integer; received %r" % (num_tokens,)
        )
    if output_mode == "int":
        raise ValueError("unknown output_mode 'int'")
    x = x.astype("int64")
    if np.any(x < 0) or np.any(x >= num_tokens):
        raise ValueError("expected tokens from 0 to %d" % (num_tokens - 1))
    return encode(x, num_tokens, output_mode, count_weights)


@reference("keras.layers.IntegerLookup", integers=True)
def integer_lookup(
    x,
    vocabulary,
    num_oov_indices=1,
    mask_token=None,
    oov_token=-1,
    output_mode="int",
    invert=False,
):
    """The place of each integer in the vocabulary, after places for those that are not in it."""
    if len(set(vocabulary)) != len(vocabulary):
        raise ValueError("expected different terms; received %r" % (vocabulary,))
    if not isinstance(num_oov_indices, int) or num_oov_indices < 0:
        raise ValueError("expected num_oov_indices >= 0; received %r" % (num_oov_indices,))
    if mask_token in vocabulary:
        raise Undocumented("a mask token inside of the vocabulary")
    masked = mask_token is not None and output_mode == "int"
    start = num_oov_indices + int(masked)
    x = x.astype("int64")
    if invert:
        if output_mode != "int":
            raise ValueError("expected output_mode int of an inverse lookup")
        terms = ([mask_token] if masked else []) + [oov_token] * num_oov_indices + list(vocabulary)
        inside = (x >= 0) & (x < len(terms))
        return np.where(inside, np.asarray(terms)[np.where(inside, x, 0)], oov_token)
    if num_oov_indices == 0:
        raise Unsupported("the reference does not know what is refused")
    places = int(masked) + np.mod(x, num_oov_indices)
    for place, term in enumerate(vocabulary):
        places = np.where(x == term, start + place, places)
    if masked:
        places = np.where(x == mask_token, 0, places)
    known = None if mask_token is None else x != mask_token
    return encode(places, num_oov_indices + len(vocabulary), output_mode, known=known)


# ------------------------------------------------------------------------- hashes


def _need_bins(num_bins):
    if not isinstance(num_bins, int) or num_bins < 1:
        raise ValueError("expected num_bins to be a positive integer; received %r" % (num_bins,))


@reference("keras.layers.Hashing", integers=True)
def hashing(x, num_bins, mask_value=None, output_mode="int"):
    """FarmHash64 of the decimal number, modulo the number of bins."""
    _need_bins(num_bins)
    bins = num_bins - (mask_value is not None)
    if bins < 1:
        raise Undocumented("no bin is left beside that of the mask")
    flat = [farmhash.fingerprint(b"%d" % int(value)) % bins for value in x.reshape(-1)]
    found = np.asarray(flat, dtype="int64").reshape(x.shape)
    if mask_value is not None:
        found = np.where(x == mask_value, 0, found + 1)
    return encode(found, num_bins, output_mode)
