"""Attention: weighted means of values, with or without projections."""

import numpy as np

from assay_worker.reference import arrays
from assay_worker.reference.registry import Undocumented, Weight, reference


def _attend(scores, allowed):
    """Softmax over the last axis among what is allowed."""
    if allowed is not None:
        allowed = np.broadcast_to(allowed, scores.shape)
        if not np.all(np.any(allowed, axis=-1)):
            # No documentation says what the mean over no value is.
            raise Undocumented("what attention to nothing gives is not documented")
        scores = np.where(allowed, scores, -np.inf)
    shifted = np.exp(scores - np.max(scores, axis=-1, keepdims=True, initial=-np.inf))
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


def _band(queries, keys, causal, window):
    """Which keys a query may see by position, or None for all."""
    distance = np.arange(queries)[:, None] - np.arange(keys)[None, :]
    allowed = None
    if causal:
        allowed = distance >= 0
    if window is not None:
        if not isinstance(window, int) or window < 1:
            raise ValueError(
                "expected sliding_window to be a positive integer; received %r" % window
            )
        near = np.abs(distance) < window
        allowed = near if allowed is None else allowed & near
    return allowed


def _both(one, other):
    if one is None or other is None:
        return other if one is None else one
    return one & other


# ------------------------------------------------------------- lists of tensors


def _on_list(call, xs, mask, causal, with_scores, score):
    if not isinstance(xs, list) or len(xs) not in (2, 3):
        raise ValueError("expected a list of query, value and perhaps key")
    query, value, key = xs[0], xs[1], xs[-1]
    allowed = _band(query.shape[1], key.shape[1], causal, None)
    if mask is not None and len(mask) > 1 and mask[1] is not None:
        allowed = _both(allowed, mask[1][:, None, :] != 0)
    weights = _attend(score(query, key), allowed)
    result = weights @ value
    if mask is not None and mask[0] is not None:
        result = np.where(mask[0][:, :, None] != 0, result, 0.0)
    return (result, weights) if with_scores else result


def _scale_weights(xs, use_scale, score_mode="dot", **others):
    weights = [Weight("scale", ())] if use_scale else []
    return weights + ([Weight("concat_score_weight", ())] if score_mode == "concat" else [])


@reference("keras.layers.Attention", weights=_scale_weights)
def attention(
    call,
    xs,
    use_scale=False,
    score_mode="dot",
    dropout=0.0,
    mask=None,
    return_attention_scores=False,
    use_causal_mask=False,
):
    """Softmax of query · key, or of a tanh of their sum, over the values."""
    scale = call.weights.get("scale", 1.0)

    def score(query, key):
        if score_mode == "dot":
            return scale * (query @ np.swapaxes(key, 1, 2))
        joined = np.tanh(scale * (query[:, :, None, :] + key[:, None, :, :]))
        return call.weights["concat_score_weight"] * np.sum(joined, axis=-1)

    if score_mode not in ("dot", "concat"):
        raise ValueError("expected score_mode dot or concat; received %r" % (score_mode,))
    return _on_list(call, xs, mask, use_causal_mask, return_attention_scores, score)


def _additive_weights(xs, use_scale, **others):
    return [Weight("scale", (xs[0].shape[-1],))] if use_scale else []


@reference("keras.layers.AdditiveAttention", weights=_additive_weights)
def additive_attention(
    call,
    xs,
    use_scale=True,
    dropout=0.0,
    mask=None,
    return_attention_scores=False,
    use_causal_mask=False,
):
    """Softmax of sum(scale * tanh(query + key)) over the values."""
    scale = call.weights.get("scale", 1.0)

    def score(query, key):
        return np.sum(scale * np.tanh(query[:, :, None, :] + key[:, None, :, :]), axis=-1)

    return _on_list(call, xs, mask, use_causal_mask, return_attention_scores, score)


# ---------------------------------------------------------------------- projected


def _positive(**sizes):
    for name, size in sizes.items():
        if not isinstance(size, int) or size < 1:
            raise ValueError("expected %s to be a positive integer; received %r" % (name, size))


def _projection(name, depth, heads, size, use_bias):
    weights = [Weight(name + "/kernel", (depth, heads, size))]
    return weights + ([Weight(name + "/bias", (heads, size))] if use_bias else [])


def _project(call, name, x):
    """(..., features) to (..., heads, size)."""
    y = np.tensordot(x, call.weights[name + "/kernel"], axes=1)
    return y + call.weights.get(name + "/bias", 0.0)


def _output_weights(heads, size, shape, use_bias):
    weights = [Weight("attention_output/kernel", (heads, size) + shape)]
    return weights + ([Weight("attention_output/bias", shape)] if use_bias else [])


def _finish(call, mixed, query, use_gate):
    """Gate and project (..., heads, size)."""
    if use_gate:
        mixed = mixed / (1 + np.exp(-_project(call, "gate", query)))
    kernel = call.weights["attention_output/kernel"]
    return np.tensordot(mixed, kernel, axes=2) + call.weights.get("attention_output/bias", 0.0)


def _pair_mask(attention_mask, value_mask, key_mask):
    """(batch, queries, keys) from all masks, or None."""
    allowed = None if attention_mask is None else attention_mask != 0
    for mask in (value_mask, key_mask):
        if mask is not None:
            allowed = _both(allowed, mask[:, None, :] != 0)
    return allowed


def _output_shape(output_shape, query):
    if output_shape is None:
        return query.shape[-1:]
    return output_shape if isinstance(output_shape, tuple) else (output_shape,)


def _multi_head_weights(
    query, value, key, num_heads, key_dim, value_dim, use_bias, output_shape, use_gate, **others
):
    key = value if key is None else key
    value_dim = key_dim if value_dim is None else value_dim
    _positive(num_heads=num_heads, key_dim=key_dim, value_dim=value_dim)
    found = _projection("query", query.shape[-1], num_heads, key_dim, use_bias)
    found += _projection("key", key.shape[-1], num_heads, key_dim, use_bias)
    if use_gate:
        found += _projection("gate", query.shape[-1], num_heads, value_dim, use_bias)
    found += _projection("value", value.shape[-1], num_heads, value_dim, use_bias)
    return found + _output_weights(
        num_heads, value_dim, _output_shape(output_shape, query), use_bias
    )


@reference("keras.layers.MultiHeadAttention", weights=_multi_head_weights)
def multi_head_attention(
    call,
    query,
    value,
    key=None,
    num_heads=1,
    key_dim=1,
    value_dim=None,
    dropout=0.0,
    use_bias=True,
    output_shape=None,
    attention_axes=None,
    sliding_window=None,
    flash_attention=None,
    use_gate=False,
    value_mask=None,
    key_mask=None,
    attention_mask=None,
    return_attention_scores=False,
    use_causal_mask=False,
):
    """Attention of several projections at once, over the attention axes."""
    key = value if key is None else key
    rank = query.ndim
    inner = tuple(range(1, rank - 1))
    along = inner if attention_axes is None else arrays.axes(attention_axes, rank)
    if not set(along) <= set(inner):
        raise ValueError("expected axes between batch and features; received %r" % (along,))
    banded = use_causal_mask or sliding_window is not None
    masks = attention_mask is not None or value_mask is not None or key_mask is not None
    if rank > 3 and (banded or masks):
        raise Undocumented("what masks of several axes mean is not documented")
    others = tuple(axis for axis in inner if axis not in along)

    def flat(x, name):
        """(batch, *others, heads, positions, size), and the lengths of the positions."""
        y = _project(call, name, x)
        y = np.transpose(y, (0,) + others + (rank - 1,) + along + (rank,))
        keep = 2 + len(others)
        lengths = y.shape[keep:-1]
        return y.reshape(y.shape[:keep] + (int(np.prod(lengths)), y.shape[-1])), lengths

    q, of_queries = flat(query, "query")
    k, of_keys = flat(key, "key")
    v, _ = flat(value, "value")
    allowed = _pair_mask(attention_mask, value_mask, key_mask)
    allowed = None if allowed is None else allowed[:, None]
    allowed = _both(allowed, _band(q.shape[-2], k.shape[-2], use_causal_mask, sliding_window))
    scores = _attend(q @ np.swapaxes(k, -1, -2) / np.sqrt(float(key_dim)), allowed)
    mixed = scores @ v
    head = mixed.shape[: 2 + len(others)]
    mixed = mixed.reshape(head + of_queries + mixed.shape[-1:])
    # Back to (batch, *inner, heads, size).
    source = (0,) + others + (rank - 1,) + along + (rank,)
    mixed = np.transpose(mixed, np.argsort(source))
    result = _finish(call, mixed, query, use_gate)
    if not return_attention_scores:
        return result
    return result, scores.reshape(head + of_queries + of_keys)


def _grouped_weights(
    query, value, key, head_dim, num_query_heads, num_key_value_heads, use_bias, use_gate, **others
):
    key = value if key is None else key
    _positive(head_dim=head_dim, num_query_heads=num_query_heads)
    _positive(num_key_value_heads=num_key_value_heads)
    found = _projection("query", query.shape[-1], num_query_heads, head_dim, use_bias)
    found += _projection("key", key.shape[-1], num_key_value_heads, head_dim, use_bias)
    if use_gate:
        found += _projection("gate", query.shape[-1], num_query_heads, head_dim, use_bias)
    found += _projection("value", value.shape[-1], num_key_value_heads, head_dim, use_bias)
    return found + _output_weights(num_query_heads, head_dim, query.shape[-1:], use_bias)


@reference("keras.layers.GroupQueryAttention", weights=_grouped_weights)
def group_query_attention(
    call,
    query,
    value,
    key=None,
    head_dim=1,
    num_query_heads=1,
    num_key_value_heads=1,
    dropout=0.0,
    use_bias=True,
    sliding_window=None,
    flash_attention=None,
    use_gate=False,
    value_mask=None,
    key_mask=None,
    attention_mask=None,
    return_attention_scores=False,
    use_causal_mask=False,
):
    """Several query heads share a key head: neighbours in order."""
    if num_query_heads % num_key_value_heads:
        raise ValueError("expected num_key_value_heads to divide num_query_heads")
    key = value if key is None else key
    share = num_query_heads // num_key_value_heads
    q = np.swapaxes(_project(call, "query", query), 1, 2)
    k = np.repeat(np.swapaxes(_project(call, "key", key), 1, 2), share, axis=1)
    v = np.repeat(np.swapaxes(_project(call, "value", value), 1, 2), share, axis=1)
    allowed = _pair_mask(attention_mask, value_mask, key_mask)
    allowed = None if allowed is None else allowed[:, None]
    allowed = _both(allowed, _band(q.shape[2], k.shape[2], use_causal_mask, sliding_window))
    scores = _attend(q @ np.swapaxes(k, 2, 3) / np.sqrt(float(head_dim)), allowed)
    result = _finish(call, np.swapaxes(scores @ v, 1, 2), query, use_gate)
    return (result, scores) if return_attention_scores else result
