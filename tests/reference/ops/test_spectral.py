"""Fourier transforms in the reference."""

import numpy as np

from tests.reference.ops.calls import call


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


def test_sequences_as_documented() -> None:
    found = call("extract_sequences", [1, 2, 3, 4, 5, 6], sequence_length=3, sequence_stride=2)
    assert found.tolist() == [[1, 2, 3], [3, 4, 5]]
