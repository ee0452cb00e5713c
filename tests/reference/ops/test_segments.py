"""Segments in the reference."""

import pytest

from assay_worker.reference import Unsupported
from tests.reference.ops.calls import call


def test_segments_as_documented() -> None:
    data, ids = [1, 2, 10, 20, 100, 200], [0, 0, 1, 1, 2, 2]
    expected = {
        "segment_sum": [3, 30, 300],
        "segment_min": [1, 10, 100],
        "segment_max": [2, 20, 200],
        "segment_prod": [2, 200, 20000],
    }
    for name, values in expected.items():
        assert call(name, data, ids, num_segments=3).tolist() == values
    assert call("segment_sum", [1.0], [0], num_segments=2).tolist() == [1, 0]
    with pytest.raises(Unsupported, match="empty"):
        call("segment_max", [1.0], [0], num_segments=2)
