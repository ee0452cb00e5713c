"""Attention of ``keras.ops``."""

import numpy as np

from assay_worker.reference import activations
from assay_worker.reference.registry import Undocumented, Unsupported, reference


@reference("keras.ops.dot_product_attention")
def dot_product_attention(
    query,
    key,
    value,
    bias=None,
    mask=None,
    scale=None,
    is_causal=False,
    flash_attention=None,
    attn_logits_soft_cap=None,
):
    """softmax(scale * query key + bias) value, over the keys that may be seen."""
    if flash_attention or attn_logits_soft_cap is not None:
        raise Unsupported("not supported on the CPU")
    groups = query.shape[2] // key.shape[2]
    key, value = np.repeat(key, groups, axis=2), np.repeat(value, groups, axis=2)
    scale = 1.0 / np.sqrt(query.shape[-1]) if scale is None else scale
    logits = scale * np.einsum("btnh,bsnh->bnts", query, key)
    if bias is not None:
        logits = logits + bias
    seen = np.ones(logits.shape, dtype=bool)
    if mask is not None:
        seen = seen & (mask != 0)
    if is_causal:
        seen = seen & np.tri(*logits.shape[-2:], dtype=bool)
    if not seen.any(axis=-1).all():
        raise Undocumented("attention to nothing has no defined value")
    # A NaN that is seen spoils its row, whatever else is in it.
    spoilt = (np.isnan(logits) & seen).any(axis=-1, keepdims=True)
    if not np.isfinite(logits[~seen & ~spoilt]).all():
        raise Undocumented("whether unseen infinities count is not documented")
    weights = activations.softmax(np.where(seen, logits, -np.inf))
    return np.einsum("bnts,bsnh->btnh", weights, value)
