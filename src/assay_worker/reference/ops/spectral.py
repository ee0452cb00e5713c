"""Fourier transforms, and the sequences they work on."""

import numpy as np

from assay_worker.reference.registry import Undocumented, reference


def _complex(parts):
    if not all(np.isfinite(part).all() for part in parts):
        raise Undocumented("a transform of values that are not finite is not documented")
    return parts[0] + 1j * parts[1]


def _parts(y):
    return np.ascontiguousarray(y.real), np.ascontiguousarray(y.imag)


def _finite(x):
    _complex((x, x))
    return x


def _length(fft_length):
    if fft_length is not None and (not isinstance(fft_length, int) or fft_length < 1):
        raise ValueError("expected fft_length of at least 1; received %r" % (fft_length,))
    return fft_length


@reference("keras.ops.fft")
def fft(x):
    """Along the last axis, of real and imaginary parts."""
    return _parts(np.fft.fft(_complex(x)))


@reference("keras.ops.fft2")
def fft2(x):
    """Along the last two axes."""
    return _parts(np.fft.fft2(_complex(x)))


@reference("keras.ops.ifft2")
def ifft2(x):
    """The inverse of ``fft2``."""
    return _parts(np.fft.ifft2(_complex(x)))


@reference("keras.ops.rfft")
def rfft(x, fft_length=None):
    """The first half of the transform of a real signal, cut or filled up to the length."""
    return _parts(np.fft.rfft(_finite(x), _length(fft_length)))


@reference("keras.ops.irfft")
def irfft(x, fft_length=None):
    """The inverse of ``rfft``; the imaginary parts of the ends do not matter."""
    return np.fft.irfft(_complex(x), _length(fft_length))


def _window(window, sequence_length, fft_length):
    """The window (of the periodic kind), in the middle of ``fft_length``."""
    if window not in ("hann", "hamming", None):
        raise ValueError("expected window hann, hamming or None; received %r" % (window,))
    if window is None or sequence_length == 1:
        values = np.ones(sequence_length)
    else:
        offset = 0.5 if window == "hann" else 0.54
        angle = 2.0 * np.pi * np.arange(sequence_length) / sequence_length
        values = offset - (1.0 - offset) * np.cos(angle)
    before = (fft_length - sequence_length) // 2
    return np.pad(values, (before, fft_length - sequence_length - before), mode="constant")


@reference("keras.ops.stft")
def stft(x, sequence_length, sequence_stride, fft_length, window="hann", center=True):
    """Transforms of windows that follow each other by a stride."""
    weights = _window(window, sequence_length, fft_length)
    if center:
        around = fft_length // 2
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(around, around)], mode="reflect")
    frames = extract_sequences(_finite(x), fft_length, sequence_stride)
    return _parts(np.fft.rfft(frames * weights))


@reference("keras.ops.istft")
def istft(x, sequence_length, sequence_stride, fft_length, length=None, window="hann", center=True):
    """Windows added up, divided by the sum of their squared weights."""
    weights = _window(window, sequence_length, fft_length)
    if x[0].shape[-1] != fft_length // 2 + 1:
        raise Undocumented("bins of another fft_length are no transform that could be inverted")
    frames = np.fft.irfft(_complex(x), fft_length) * weights
    count = frames.shape[-2]
    total = (count - 1) * sequence_stride + fft_length
    signal, norm = np.zeros(frames.shape[:-2] + (total,)), np.zeros(total)
    for frame in range(count):
        place = slice(frame * sequence_stride, frame * sequence_stride + fft_length)
        signal[..., place] += frames[..., frame, :]
        norm[place] += weights * weights
    if center:
        signal, norm = signal[..., fft_length // 2 :], norm[fft_length // 2 :]
    kept = length if length is not None else total - 2 * (fft_length // 2) if center else total
    if kept > signal.shape[-1]:
        raise Undocumented("how a signal is lengthened is not documented")
    signal, norm = signal[..., :kept], norm[:kept]
    if np.any(norm < 1e-6):
        raise Undocumented("samples that no window covers have no defined value")
    return signal / norm


@reference("keras.ops.extract_sequences", integers=True)
def extract_sequences(x, sequence_length, sequence_stride):
    """Windows over the last axis."""
    count = 1 + (x.shape[-1] - sequence_length) // sequence_stride
    places = np.arange(count)[:, None] * sequence_stride + np.arange(sequence_length)
    return x[..., places]
