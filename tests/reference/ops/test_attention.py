"""Attention of ``keras.ops`` in the reference."""

import numpy as np
import pytest

from assay_worker.reference.registry import Undocumented
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


def test_a_nan_that_is_seen_spoils_its_row_and_an_unseen_one_is_nobodys() -> None:
    query, value = np.ones((1, 2, 1, 2)), np.ones((1, 2, 1, 2))
    key = query.copy()
    query[0, 0] = np.nan
    found = call("dot_product_attention", query, key, value, is_causal=True)
    assert np.isnan(found[0, 0]).all()
    assert np.isfinite(found[0, 1]).all()
    key[0, 1] = np.inf
    with pytest.raises(Undocumented):
        call("dot_product_attention", np.ones((1, 2, 1, 2)), key, value, is_causal=True)
