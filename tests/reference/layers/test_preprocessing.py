"""Preprocessing layers, on documented examples."""

from typing import Any

import numpy as np
import pytest

from assay_worker.reference import farmhash
from tests.reference.layers.calls import call


@pytest.mark.parametrize(("op", "x", "params", "expected"), [
    # Printed in Keras' documentation.
    ("Discretization", [[-1.5, 1.0, 3.4, 0.5], [0.0, 3.0, 1.3, 0.0]],
     {"bin_boundaries": [0.0, 1.0, 2.0]}, [[0, 2, 3, 1], [1, 3, 2, 1]]),
    ("CategoryEncoding", [3, 2, 0, 1], {"num_tokens": 4, "output_mode": "one_hot"},
     [[0, 0, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0]]),
    ("CategoryEncoding", [[0, 1], [0, 0], [1, 2], [3, 1]],
     {"num_tokens": 4, "output_mode": "multi_hot"},
     [[1, 1, 0, 0], [1, 0, 0, 0], [0, 1, 1, 0], [0, 1, 0, 1]]),
    ("IntegerLookup", [[12, 1138, 42], [42, 1000, 36]], {"vocabulary": [12, 36, 1138, 42]},
     [[1, 3, 4], [4, 0, 2]]),
    ("IntegerLookup", [[12, 1138, 42], [37, 1000, 36]],
     {"vocabulary": [12, 36, 1138, 42], "num_oov_indices": 2}, [[2, 4, 5], [1, 0, 3]]),
    ("IntegerLookup", [[1, 3, 4], [4, 0, 2]], {"vocabulary": [12, 36, 1138, 42], "invert": True},
     [[12, 1138, 42], [42, -1, 36]]),
    ("IntegerLookup", [[12, 1138, 42, 42], [42, 7, 36, 7]],
     {"vocabulary": [12, 36, 1138, 42], "output_mode": "count"},
     [[0, 1, 0, 1, 2], [2, 0, 1, 0, 1]]),
    ("Normalization", [[1.0], [2.0], [3.0]], {"mean": 3.0, "variance": 2.0},
     [[-1.4142135], [-0.70710677], [0.0]]),
    ("Solarization", [[[59.0], [62.0], [63.0]]], {}, [[[196.0], [193.0], [192.0]]]),
    ("AutoContrast", [[[0.0], [1.0]]], {}, [[[0.0], [255.0]]]),
    ("Rescaling", [0.0, 255.0], {"scale": 1 / 127.5, "offset": -1}, [-1.0, 1.0]),
    ("Masking", [[[0.0], [2.0]]], {}, [[[0.0], [2.0]]]),
    ("Dropout", [1.0, 2.0], {"rate": 0.5}, [1.0, 2.0]),
])  # fmt: skip
def test_documented_examples(op: str, x: Any, params: dict[str, Any], expected: Any) -> None:
    np.testing.assert_allclose(call(op, x, **params), expected, rtol=1e-6)


def test_counts_are_weighted() -> None:
    result = call(
        "CategoryEncoding", [[0, 1], [0, 0], [1, 2], [3, 1]], num_tokens=4, output_mode="count",
        keywords={"count_weights": [[0.1, 0.2], [0.1, 0.1], [0.2, 0.3], [0.4, 0.2]]},
    )  # fmt: skip
    expected = [[0.1, 0.2, 0, 0], [0.2, 0, 0, 0], [0, 0.2, 0.3, 0], [0, 0.2, 0, 0.4]]
    np.testing.assert_allclose(result, expected)


def test_farmhash_of_short_strings() -> None:
    # Printed in the documentation of Hashing: A to E into three bins.
    assert [farmhash.fingerprint(c.encode()) % 3 for c in "ABCDE"] == [1, 0, 1, 1, 2]
