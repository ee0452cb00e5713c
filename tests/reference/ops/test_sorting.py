"""The largest elements in the reference."""

import pytest

from assay_worker.reference import Unsupported
from tests.reference.ops.calls import call


def test_order_statistics_as_documented() -> None:
    values, indices = call("top_k", [5, 2, 7, 1, 9, 3], k=3)
    assert (values.tolist(), indices.tolist()) == ([9, 7, 5], [4, 2, 0])
    with pytest.raises(Unsupported):
        call("top_k", [1, 1, 0], k=1)
    predictions = [[0.1, 0.4, 0.6, 0.9, 0.5], [0.1, 0.7, 0.9, 0.8, 0.3], [0.1, 0.6, 0.9, 0.9, 0.5]]
    assert call("in_top_k", [2, 5, 3], predictions, k=3).tolist() == [True, False, True]
    assert call("in_top_k", [[2], [1]], [[[1, 2, 3]], [[3, 2, 1]]], k=1).tolist() == [
        [True],
        [False],
    ]
