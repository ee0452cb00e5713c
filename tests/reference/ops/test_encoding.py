"""Encodings in the reference."""

import pytest

from assay_worker.reference import Unsupported
from tests.reference.ops.calls import call


def test_one_hot_and_multi_hot() -> None:
    assert call("one_hot", [1, 3, 2, 0], num_classes=4).tolist() == [
        [0, 1, 0, 0],
        [0, 0, 0, 1],
        [0, 0, 1, 0],
        [1, 0, 0, 0],
    ]
    assert call("one_hot", [1, 0], num_classes=3, axis=0).shape == (3, 2)
    assert call("multi_hot", [0, 4], num_classes=5).tolist() == [1, 0, 0, 0, 1]
    with pytest.raises(Unsupported):
        call("one_hot", [5], num_classes=4)
