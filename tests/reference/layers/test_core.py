"""Dense layers and embeddings, worked out by hand."""

import numpy as np
import pytest

from assay_worker.reference import Unsupported
from tests.reference.layers.calls import call


def test_a_bias_lines_up_with_its_letters() -> None:
    weights = {"kernel": np.zeros((1, 2, 3)), "bias": [[10.0], [20.0]]}
    result = call(
        "EinsumDense", np.zeros((1, 1)), equation="ab,bcd->acd", output_shape=[2, 3],
        bias_axes="c", weights=weights,
    )  # fmt: skip
    assert result.tolist() == [[[10.0] * 3, [20.0] * 3]]


def test_ids_without_a_row_are_not_claimed() -> None:
    table = {"embeddings": [[1.0], [2.0]]}
    assert call("Embedding", [1, 0], input_dim=2, output_dim=1, weights=table).tolist() == [
        [2],
        [1],
    ]
    with pytest.raises(Unsupported):
        call("Embedding", [2], input_dim=2, output_dim=1, weights=table)
