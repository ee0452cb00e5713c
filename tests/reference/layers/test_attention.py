"""Attention layers, worked out by hand."""

from typing import Any

import numpy as np
import pytest

from assay_worker.reference import Unsupported
from tests.reference.layers.calls import call


def test_attention_to_equal_keys_is_a_mean_of_what_is_not_masked() -> None:
    query = np.ones((1, 2, 1))
    value = np.array([[[1.0], [2.0], [6.0]]])
    key = np.zeros((1, 3, 1))
    masks = [np.array([[True, False]]), np.array([[True, True, False]])]
    result, scores = call(
        "Attention", [query, value, key],
        keywords={"mask": masks, "return_attention_scores": True},
    )  # fmt: skip
    assert result.ravel().tolist() == [1.5, 0.0]
    assert scores.tolist() == [[[0.5, 0.5, 0.0]] * 2]
    causal = call("Attention", [query, value, key], keywords={"use_causal_mask": True})
    assert causal.ravel().tolist() == [1.0, 1.5]


def test_attention_to_nothing_is_not_claimed() -> None:
    x = np.ones((1, 1, 1))
    masks = [np.array([[True]]), np.array([[False]])]
    with pytest.raises(Unsupported):
        call("Attention", [x, x], keywords={"mask": masks})


def _projections(heads: int, key_heads: int) -> dict[str, Any]:
    """Projections that copy one feature to every head and add all heads up."""
    weights = {"query/kernel": np.ones((1, heads, 1)), "key/kernel": np.zeros((1, key_heads, 1))}
    spread = np.arange(1.0, key_heads + 1).reshape(1, key_heads, 1)
    return {**weights, "value/kernel": spread, "attention_output/kernel": np.ones((heads, 1, 1))}


def test_multi_head_attention_within_a_window() -> None:
    x = np.arange(4.0).reshape(1, 4, 1)
    result = call(
        "MultiHeadAttention", x, x, num_heads=2, key_dim=1, use_bias=False, sliding_window=2,
        weights=_projections(2, 2),
    )  # fmt: skip
    means = np.array([0.5, 1.0, 2.0, 2.5])
    np.testing.assert_allclose(result.ravel(), means * (1 + 2))


def test_neighbouring_query_heads_share_a_key_head() -> None:
    x = np.ones((1, 2, 1))
    result = call(
        "GroupQueryAttention", x, x, head_dim=1, num_query_heads=4, num_key_value_heads=2,
        use_bias=False, weights=_projections(4, 2),
    )  # fmt: skip
    np.testing.assert_allclose(result.ravel(), [2 * (1 + 2)] * 2)


def test_attention_along_one_axis_of_an_image_leaves_the_other_alone() -> None:
    x = np.arange(6.0).reshape(1, 2, 3, 1)
    result = call(
        "MultiHeadAttention", x, x, num_heads=1, key_dim=1, use_bias=False, attention_axes=[2],
        weights=_projections(1, 1),
    )  # fmt: skip
    np.testing.assert_allclose(result[..., 0], [[[1.0] * 3, [4.0] * 3]])
