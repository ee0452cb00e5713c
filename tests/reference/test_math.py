"""Hand-computed examples and properties of the math functions."""

import numpy as np
import pytest

from assay_worker.reference import Unsupported
from tests.reference.calls import call


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


def test_transforms_as_documented() -> None:
    real, imaginary = call("fft", [np.array([1.0, 2.0]), np.array([0.0, 1.0])])
    assert np.allclose((real, imaginary), ([3, -1], [1, -1]))
    real, imaginary = call("rfft", [0.0, 1.0, 2.0, 3.0, 4.0], fft_length=3)
    assert np.allclose((real, imaginary), ([3.0, -1.5], [0.0, 0.8660254]))
    ramp = np.arange(5.0)
    assert np.allclose(call("irfft", list(call("rfft", ramp, fft_length=5)), fft_length=5), ramp)


def test_stft_as_documented_and_istft_inverts_it() -> None:
    args = {"sequence_length": 3, "sequence_stride": 2, "fft_length": 3}
    real, imaginary = call("stft", np.arange(5.0), **args)
    assert np.allclose(real, [[0.75, -0.375], [3.75, -1.875], [5.25, -2.625]])
    assert np.allclose(imaginary[:, 1], [0.64951905, 0.64951905, -0.64951905])
    signal = np.random.default_rng(4).normal(size=(2, 21))
    args = {"sequence_length": 6, "sequence_stride": 2, "fft_length": 8, "window": "hamming"}
    assert np.allclose(call("istft", list(call("stft", signal, **args)), **args)[:, :20],
                       signal[:, :20])  # fmt: skip


def test_sequences_and_distances() -> None:
    found = call("extract_sequences", [1, 2, 3, 4, 5, 6], sequence_length=3, sequence_stride=2)
    assert found.tolist() == [[1, 2, 3], [3, 4, 5]]
    found = call("cdist", [[0.0, 0.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    assert np.allclose(found, 1.0)
    assert np.isclose(call("cdist", [[3e200, 0.0]], [[0.0, 4e200]])[0, 0], 5e200)


def test_complex_views_are_inverses() -> None:
    pairs = np.array([[1.0, 2.0], [np.inf, -0.0]])
    numbers = call("view_as_complex", pairs)
    assert numbers[0] == 1 + 2j
    assert np.array_equal(call("view_as_real", numbers), pairs)
    assert np.allclose(call("polar", [2.0], [np.pi / 2]), [2j])
