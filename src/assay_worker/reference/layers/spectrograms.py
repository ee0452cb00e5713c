"""Spectrograms."""

import numpy as np
from scipy import signal

from assay_worker.reference import arrays
from assay_worker.reference.registry import Undocumented, reference

#: Magnitudes and logarithms stop somewhere below this power; where is not documented.
_SMALLEST = 1e-6


def _window(window, length, periodic):
    if window is None:
        return np.ones(length)
    if window not in ("hann", "hamming"):
        raise ValueError("unknown window %r" % (window,))
    return signal.get_window(window, length, fftbins=periodic)


def _frames(x, size, step):
    """The last axis cut into overlapping frames."""
    if not np.all(np.isfinite(x)):
        raise Undocumented("a transform of numbers that are not finite hangs on its algorithm")
    count = (x.shape[-1] - size) // step + 1
    if count < 1:
        raise ValueError("a frame of %d does not fit into %d" % (size, x.shape[-1]))
    return np.stack([x[..., i * step : i * step + size] for i in range(count)], axis=-2)


_MODES = {
    "log": lambda z: np.log(np.abs(z)),
    "magnitude": np.abs,
    "psd": lambda z: np.abs(z) ** 2,
    "real": np.real,
    "imag": np.imag,
    "angle": np.angle,
    "stft": lambda z: np.concatenate([np.real(z), np.imag(z)], axis=-1),
}


@reference("keras.layers.STFTSpectrogram")
def stft_spectrogram(
    x,
    mode="log",
    frame_length=256,
    frame_step=None,
    fft_length=None,
    window="hann",
    periodic=False,
    scaling="density",
    padding="valid",
    expand_dims=False,
    data_format=None,
):
    """Fourier transforms of windowed frames of each channel."""
    arrays.need_rank(x, 3)
    if mode not in _MODES or scaling not in ("density", "spectrum", None):
        raise ValueError("unknown mode %r or scaling %r" % (mode, scaling))
    (frame_length,) = arrays.integers(frame_length, 1, "frame_length", 2)
    (step,) = arrays.integers(frame_length // 2 if frame_step is None else frame_step, 1, "step")
    size = 1 << (frame_length - 1).bit_length() if fft_length is None else fft_length
    if size < frame_length:
        raise ValueError("expected fft_length >= frame_length; received %r" % (fft_length,))
    if window is None:
        raise Undocumented("a spectrogram without a window is not documented")
    weights = _window(window, frame_length, periodic)
    if scaling is not None:
        total = np.sum(weights**2) if scaling == "density" else np.sum(weights) ** 2
        if not total:
            raise Undocumented("a window of zeros cannot be scaled")
        weights = weights / np.sqrt(total)
    signals = np.moveaxis(arrays.to_channels_last(x, data_format), -1, 1)
    if padding == "same":
        (widths,) = arrays.same_padding(signals.shape[-1:], (frame_length,), (step,))
        signals = np.pad(signals, [(0, 0), (0, 0), widths], mode="constant")
    elif padding != "valid":
        raise ValueError("expected padding valid or same; received %r" % (padding,))
    frames = _frames(signals, frame_length, step) * weights
    transform = np.fft.rfft(frames, size, axis=-1)
    if mode in ("log", "magnitude") and np.any(np.abs(transform) ** 2 < _SMALLEST):
        raise Undocumented("the smallest magnitude is not documented")
    spectrum = _MODES[mode](transform)
    if mode == "psd":
        # One-sided: what negative frequencies hold is added to the positive ones.
        spectrum[..., 1 : (size + 1) // 2] *= 2
    if mode == "angle" and np.any(np.abs(spectrum) > 3.14):
        raise Undocumented("the sign of an angle of half a turn hangs on rounding")
    # (batch, channels, frames, bins) so far.
    if data_format == "channels_first":
        if expand_dims:
            return spectrum
        shape = (x.shape[0], x.shape[1] * spectrum.shape[-1], spectrum.shape[2])
        return np.swapaxes(spectrum, 2, 3).reshape(shape)
    if expand_dims:
        return np.moveaxis(spectrum, 1, -1)
    shape = (x.shape[0], spectrum.shape[2], x.shape[2] * spectrum.shape[-1])
    return np.moveaxis(spectrum, 1, 2).reshape(shape)


def _to_mel(frequency):
    return 1127.0 * np.log1p(np.asarray(frequency) / 700.0)


def _mel_matrix(bins, mels, rate, low, high):
    """Triangles, evenly spaced on the mel scale, over the bins; the first bin has none."""
    if not 0 <= low < high:
        raise ValueError("expected 0 <= min_freq < max_freq; received %r and %r" % (low, high))
    frequencies = _to_mel(np.linspace(0.0, rate / 2.0, bins))[1:, None]
    edges = np.linspace(_to_mel(low), _to_mel(high), mels + 2)
    lower, centre, upper = edges[None, :-2], edges[None, 1:-1], edges[None, 2:]
    rising = (frequencies - lower) / (centre - lower)
    falling = (upper - frequencies) / (upper - centre)
    return np.pad(np.maximum(0.0, np.minimum(rising, falling)), [(1, 0), (0, 0)], mode="constant")


@reference("keras.layers.MelSpectrogram")
def mel_spectrogram(
    x,
    fft_length=2048,
    sequence_stride=512,
    sequence_length=None,
    window="hann",
    sampling_rate=16000,
    num_mel_bins=128,
    min_freq=20.0,
    max_freq=None,
    power_to_db=True,
    top_db=80.0,
    mag_exp=2.0,
    min_power=1e-10,
    ref_power=1.0,
):
    """Power in mel bands of centred, windowed frames; in decibels."""
    for size in (fft_length, sequence_stride, num_mel_bins, sampling_rate):
        arrays.integers(size, 1, "size")
    length = fft_length if sequence_length is None else sequence_length
    if not 0 < length <= fft_length:
        raise ValueError("expected sequence_length up to %d; received %r" % (fft_length, length))
    weights = _window(window, length, True)
    before = (fft_length - length) // 2
    weights = np.pad(weights, (before, fft_length - length - before), mode="constant")
    half = fft_length // 2
    padded = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(half, half)], mode="reflect")
    spectrum = np.fft.rfft(_frames(padded, fft_length, sequence_stride) * weights, axis=-1)
    power = np.abs(spectrum) ** mag_exp
    high = sampling_rate / 2.0 if max_freq is None else max_freq
    bands = power @ _mel_matrix(half + 1, num_mel_bins, sampling_rate, min_freq, high)
    bands = np.swapaxes(bands, -1, -2)
    if not power_to_db:
        return bands
    level = 10.0 * np.log10(np.maximum(min_power, bands))
    level = level - 10.0 * np.log10(max(min_power, ref_power))
    return np.maximum(level, np.max(level, initial=-np.inf) - top_db)
