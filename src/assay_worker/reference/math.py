"""The math functions of ``keras.ops``."""

import numpy as np
from scipy import special

from assay_worker.reference.registry import Undocumented, reference


def _ops(*names, **options):
    return reference(*["keras.ops." + name for name in names], **options)


# ------------------------------------------------------------- element-wise


@_ops("erfc")
def erfc(x):
    """1 - erf(x)."""
    return special.erfc(x)


# ----------------------------------------------------------------- segments


def _segments(data, segment_ids, num_segments, reduce, empty):
    """``reduce`` over the rows of each segment."""
    if np.any((segment_ids < 0) | (segment_ids >= num_segments)):
        raise Undocumented("the documentation does not say what ids without segment do")
    rows = data.reshape((segment_ids.size,) + data.shape[segment_ids.ndim :])
    ids = segment_ids.reshape(-1)
    y = np.zeros((num_segments,) + rows.shape[1:], dtype=data.dtype)
    for segment in range(num_segments):
        chosen = rows[ids == segment]
        if not len(chosen) and empty is None:
            raise Undocumented("the documentation does not say what an empty segment gives")
        y[segment] = reduce(chosen, axis=0) if len(chosen) else empty
    return y


@_ops("segment_sum", integers=True)
def segment_sum(data, segment_ids, num_segments=None, sorted=False):
    """Sums; of nothing, 0."""
    return _segments(data, segment_ids, num_segments, np.sum, 0)


@_ops("segment_prod", integers=True)
def segment_prod(data, segment_ids, num_segments=None, sorted=False):
    """Products; of nothing, 1."""
    return _segments(data, segment_ids, num_segments, np.prod, 1)


@_ops("segment_max", integers=True)
def segment_max(data, segment_ids, num_segments=None, sorted=False):
    """Maxima."""
    return _segments(data, segment_ids, num_segments, np.max, None)


@_ops("segment_min", integers=True)
def segment_min(data, segment_ids, num_segments=None, sorted=False):
    """Minima."""
    return _segments(data, segment_ids, num_segments, np.min, None)


# --------------------------------------------------------- order statistics


@_ops("top_k", integers=True)
def top_k(x, k, sorted=True):
    """The k largest along the last axis, and where they are."""
    if not isinstance(k, int) or not 0 <= k <= x.shape[-1]:
        raise ValueError("expected k of %d elements; received %r" % (x.shape[-1], k))
    if x.dtype.kind == "f" and np.isnan(x).any():
        raise Undocumented("where NaN belongs in an order is not documented")
    order = np.argsort(-x.astype("float64"), axis=-1, kind="mergesort")
    largest = np.take_along_axis(x, order, axis=-1)
    # The first element that is left out counts: it could be in.
    shown = largest[..., : k + 1]
    if np.any(shown[..., 1:] == shown[..., :-1]):
        raise Undocumented("the order of equal elements is not documented")
    return largest[..., :k], order[..., :k].astype("int32")


@_ops("in_top_k", integers=True)
def in_top_k(targets, predictions, k):
    """Is the prediction of the target among the k largest? A target without one is not."""
    if not np.isfinite(predictions).all():
        raise Undocumented("predictions that are not finite have no documented place")
    count = predictions.shape[-1]
    known = (targets >= 0) & (targets < count)
    places = np.where(known, targets, 0).astype("int64")[..., None]
    own = np.take_along_axis(predictions, places, axis=-1)
    above = np.sum(predictions > own, axis=-1)
    tied = np.sum(predictions == own, axis=-1)
    if np.any(known & (above < k) & (above + tied > k)):
        raise Undocumented("the order of equal predictions is not documented")
    return known & (above < k)


# --------------------------------------------------------------- transforms


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


@_ops("fft")
def fft(x):
    """Along the last axis, of real and imaginary parts."""
    return _parts(np.fft.fft(_complex(x)))


@_ops("fft2")
def fft2(x):
    """Along the last two axes."""
    return _parts(np.fft.fft2(_complex(x)))


@_ops("ifft2")
def ifft2(x):
    """The inverse of ``fft2``."""
    return _parts(np.fft.ifft2(_complex(x)))


@_ops("rfft")
def rfft(x, fft_length=None):
    """The first half of the transform of a real signal, cut or filled up to the length."""
    return _parts(np.fft.rfft(_finite(x), _length(fft_length)))


@_ops("irfft")
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


@_ops("stft")
def stft(x, sequence_length, sequence_stride, fft_length, window="hann", center=True):
    """Transforms of windows that follow each other by a stride."""
    weights = _window(window, sequence_length, fft_length)
    if center:
        around = fft_length // 2
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(around, around)], mode="reflect")
    frames = extract_sequences(_finite(x), fft_length, sequence_stride)
    return _parts(np.fft.rfft(frames * weights))


@_ops("istft")
def istft(x, sequence_length, sequence_stride, fft_length, length=None, window="hann", center=True):
    """Windows added up, divided by the sum of their squared weights."""
    weights = _window(window, sequence_length, fft_length)
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


@_ops("extract_sequences", integers=True)
def extract_sequences(x, sequence_length, sequence_stride):
    """Windows over the last axis."""
    count = 1 + (x.shape[-1] - sequence_length) // sequence_stride
    places = np.arange(count)[:, None] * sequence_stride + np.arange(sequence_length)
    return x[..., places]


# ------------------------------------------------------------------- others


@_ops("cdist")
def cdist(x, y):
    """Euclidean distances of all pairs of rows."""
    difference = x[..., :, None, :] - y[..., None, :, :]
    largest = np.max(np.abs(difference), axis=-1, initial=0.0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    return scale * np.sqrt(np.sum((difference / scale[..., None]) ** 2, axis=-1))


@_ops("logdet")
def logdet(x):
    """Log of the determinant of a positive definite matrix."""
    return np.linalg.slogdet(x)[1]


@_ops("view_as_complex")
def view_as_complex(x):
    """Pairs along the last axis as complex numbers."""
    y = np.empty(x.shape[:-1], dtype="complex128")
    y.real, y.imag = x[..., 0], x[..., 1]
    return y


@_ops("view_as_real")
def view_as_real(x):
    """The inverse of ``view_as_complex``."""
    return np.stack([x.real, x.imag], axis=-1).astype("float64")
