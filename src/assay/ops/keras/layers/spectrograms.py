"""Layers that make spectrograms of signals."""

from assay.ops._base import Choice, Context, Invalid, OpSpec, Params, Shapes, Tensor, parameter
from assay.ops.keras._common import flag
from assay.ops.windows import data_format


def _power_of_two(least: int) -> int:
    size = 1
    while size < least:
        size *= 2
    return size


def _whole_signal(context: Context) -> int:
    place = 2 if context.params.get("data_format") == "channels_first" else 1
    return context.shapes[0][place]


def _spectrogram(params: Params, shapes: Shapes) -> Shapes:
    first = params["data_format"] == "channels_first"
    batch, one, other = shapes[0]
    time, depth = (other, one) if first else (one, other)
    length = params["frame_length"]
    step = params["frame_step"] or length // 2
    size = params["fft_length"] or _power_of_two(length)
    if not 1 <= step <= length <= size or length < 2:
        raise Invalid("frame lengths")
    if params["padding"] == "same":
        frames = -(-time // step)
    elif time < length:
        raise Invalid("a frame does not fit")
    else:
        frames = (time - length) // step + 1
    bins = size // 2 + 1
    if params["mode"] == "stft":
        bins *= 2
    if params["expand_dims"]:
        return ((batch, depth, frames, bins) if first else (batch, frames, bins, depth),)
    return ((batch, depth * bins, frames) if first else (batch, frames, depth * bins),)


_STFT = OpSpec(
    name="keras.layers.STFTSpectrogram",
    rule=_spectrogram,
    tensors=(Tensor(ranks=(3,)),),
    parameters=(
        parameter(
            "mode",
            "log",
            valid=("log", "magnitude", "psd"),
            boundary=("real", "imag", "stft", "angle"),
            invalid=("power",),
        ),
        data_format(),
        parameter(
            "frame_length",
            valid=(3, 4),
            boundary=(2, 5, Choice("whole", make=_whole_signal)),
            invalid=(0, -1, "two"),
        ),
        parameter("frame_step", None, valid=(None, 1, 2), boundary=(3,), invalid=(0, -1)),
        parameter("fft_length", None, valid=(None, 4), boundary=(5, 8), invalid=(1, -1)),
        parameter("window", "hann", valid=("hann", "hamming"), invalid=("square",)),
        flag("periodic", False),
        parameter(
            "scaling", "density", valid=("density", "spectrum"), boundary=(None,), invalid=("db",)
        ),
        parameter("padding", "valid", valid=("valid", "same"), invalid=("full",)),
        flag("expand_dims", False),
    ),
)


def _mel(params: Params, shapes: Shapes) -> Shapes:
    time = shapes[0][-1]
    length = params["sequence_length"] or params["fft_length"]
    if length > params["fft_length"] or time <= params["fft_length"] // 2:
        raise Invalid("the signal is reflected at its ends by half a frame")
    frames = time // params["sequence_stride"] + 1
    return ((*shapes[0][:-1], params["num_mel_bins"], frames),)


_MEL = OpSpec(
    name="keras.layers.MelSpectrogram",
    rule=_mel,
    tensors=(Tensor(ranks=(1, 2), fit=lambda draw, shape: (*shape[:-1], shape[-1] * 3)),),
    parameters=(
        parameter("fft_length", valid=(4, 8), boundary=(16,), invalid=(0, -1, "four")),
        parameter("sequence_stride", valid=(2, 3), boundary=(1, 5), invalid=(0, -1)),
        parameter("sequence_length", None, valid=(None,), boundary=(3, 4), invalid=(0, 99)),
        parameter("sampling_rate", valid=(16000, 100), boundary=(8,), invalid=(0, -8)),
        parameter("num_mel_bins", valid=(3, 5), boundary=(1,), invalid=(0, -1)),
        parameter("min_freq", valid=(1.0,), boundary=(0.0, 3.5), invalid=(-1.0,)),
        parameter("window", "hann", valid=("hann", "hamming"), boundary=(None,), invalid=("x",)),
        flag("power_to_db", True),
        parameter("top_db", 80.0, valid=(80.0, 10.0), boundary=(0.0,)),
        parameter("mag_exp", 2.0, valid=(2.0, 1.0), boundary=(0.5,)),
    ),
    impossible=("dim_1",),
)

SPECS = (
    _STFT,
    _MEL,
)
