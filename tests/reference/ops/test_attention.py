"""Attention of ``keras.ops`` in the reference."""

import numpy as np

from tests.reference.ops.calls import call


def test_attention_of_grouped_heads_and_masks() -> None:
    draw = np.random.default_rng(3)
    query, key = draw.normal(size=(2, 3, 4, 5)), draw.normal(size=(2, 6, 2, 5))
    repeated = np.repeat(key, 2, axis=2)
    expected = call("dot_product_attention", query, repeated, repeated)
    assert np.allclose(call("dot_product_attention", query, key, key), expected)
    first = np.zeros((2, 4, 3, 6), dtype=bool)
    first[..., 0] = True
    found = call("dot_product_attention", query, repeated, repeated, mask=first)
    assert np.allclose(found, repeated[:, :1])
