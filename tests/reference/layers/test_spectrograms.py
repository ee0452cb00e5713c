"""Spectrograms, worked out by hand."""

import numpy as np
import pytest

from tests.reference.layers.calls import call


def test_the_spectrum_of_a_constant_is_at_zero_frequency() -> None:
    x = np.ones((1, 8, 1))
    result = call(
        "STFTSpectrogram", x, mode="psd", frame_length=4, scaling="spectrum", periodic=True
    )
    np.testing.assert_allclose(result[0, :, 0], 1.0)
    assert np.argmax(result[0, 0]) == 0


def test_decibels_never_fall_below_the_cut() -> None:
    x = np.random.RandomState(3).uniform(-1, 1, 60)
    options = {"fft_length": 8, "sequence_stride": 4, "num_mel_bins": 3, "sampling_rate": 100}
    level = call("MelSpectrogram", x, min_freq=1.0, top_db=5.0, **options)
    assert level.shape == (3, 16)
    assert level.min() == pytest.approx(level.max() - 5.0)
