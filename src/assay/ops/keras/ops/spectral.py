"""Fourier transforms of ``keras.ops``, and the sequences they work on."""

from assay.ops._base import (
    Choice,
    Context,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops.keras._common import flag
from assay.ops.shapes import same_shape


def _two_same(params: Params, shapes: Shapes) -> Shapes:
    if 0 in shapes[0][-2:]:
        raise Invalid("nothing to transform")
    return shapes[0], shapes[0]


def _transform(name: str, ranks: tuple[int, ...]) -> OpSpec:
    """Of a tuple of real and imaginary parts."""
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=_two_same,
        tensors=(Tensor(ranks=ranks),),
        companions=same_shape,
        grouped=True,
    )


def _half(params: Params, shapes: Shapes) -> Shapes:
    length = shapes[0][-1] if params["fft_length"] is None else params["fft_length"]
    if length < 1 or 0 in shapes[0][-1:]:
        raise Invalid("nothing to transform")
    found = (*shapes[0][:-1], length // 2 + 1)
    return found, found


def _whole(params: Params, shapes: Shapes) -> Shapes:
    given = params["fft_length"]
    length = 2 * (shapes[0][-1] - 1) if given is None else given
    if length < 1 or shapes[0][-1] < 1:
        raise Invalid("nothing to transform")
    return ((*shapes[0][:-1], length),)


def _last(context: Context) -> int:
    return context.shapes[0][-1]


def _fft_length() -> Parameter:
    return parameter(
        "fft_length",
        None,
        valid=(None, 4, 8),
        boundary=(1, 3, 5, Choice("longer", make=lambda context: _last(context) + 3)),
        invalid=(0, -1, "four", 2.5),
    )


def _frames(params: Params, shapes: Shapes) -> Shapes:
    length, stride, transformed = (
        params[name] for name in ("sequence_length", "sequence_stride", "fft_length")
    )
    if transformed < length or length < 1 or stride < 1:
        raise Invalid("fft_length is at least sequence_length")
    total = shapes[0][-1]
    if params["center"]:
        # Reflection needs more samples than it adds.
        if transformed // 2 >= total:
            raise Invalid("too short to be padded")
        total += 2 * (transformed // 2)
    if total < transformed:
        raise Invalid("no frame fits")
    found = (*shapes[0][:-1], 1 + (total - transformed) // stride, transformed // 2 + 1)
    return found, found


def _long(draw: Draw, shape: Shape) -> Shape:
    return (*shape[:-1], shape[-1] + draw.between(6, 11))


_WINDOW = parameter("window", "hann", ("hann", "hamming"), (None,), ("triangle",))
_STFT = OpSpec(
    name="keras.ops.stft",
    rule=_frames,
    tensors=(Tensor(ranks=(1, 2, 3), fit=_long),),
    impossible=("repeated",),
    parameters=(
        parameter("sequence_length", valid=(3, 4), boundary=(1, 5), invalid=(0, -1, "three", 2.5)),
        parameter("sequence_stride", valid=(1, 2), boundary=(3, 5), invalid=(0, -1, "two", 1.5)),
        parameter(
            "fft_length",
            valid=(4, Choice("sequence_length", make=lambda c: c.params["sequence_length"])),
            boundary=(5, 8),
            invalid=(-1, "four"),
        ),
        _WINDOW,
        flag("center", True),
    ),
)


def _signal(params: Params, shapes: Shapes) -> Shapes:
    *rest, frames, bins = shapes[0]
    length, stride, transformed = (
        params[name] for name in ("sequence_length", "sequence_stride", "fft_length")
    )
    if bins != transformed // 2 + 1 or transformed < length or frames < 1:
        raise Invalid("bins of another fft_length")
    # Samples that no window covers have no value.
    if stride > length or (stride == length and params["window"] == "hann" and length > 1):
        raise Invalid("the windows do not overlap")
    if not params["center"] and params["window"] == "hann":
        raise Invalid("the first sample has weight 0")
    total = (frames - 1) * stride + transformed
    if params["center"]:
        total -= 2 * (transformed // 2)
    if params["length"] is not None:
        if params["length"] > total:
            raise Invalid("clipped, not lengthened")
        total = params["length"]
    if total < 1:
        raise Invalid("nothing is left")
    return ((*rest, total),)


def _bins_length(context: Context) -> int:
    """An even length with that many bins."""
    bins = context.shapes[0][-1]
    if bins < 2:
        raise Invalid("one bin")
    return 2 * (bins - 1)


def _up_to_length(context: Context) -> int:
    return context.draw.between(1, context.params["fft_length"])


def _spectra(draw: Draw, shape: Shape) -> Shape:
    """Mostly more frames than a transform is long."""
    frames = shape[-2] + draw.pick((0, 4, 8)) if draw.chance(0.9) else 1
    return (*shape[:-2], frames, draw.pick((3, 3, 4, 5)))


_ISTFT = OpSpec(
    name="keras.ops.istft",
    rule=_signal,
    tensors=(Tensor(ranks=(2, 3), fit=_spectra),),
    companions=same_shape,
    grouped=True,
    parameters=(
        parameter(
            "fft_length",
            valid=(Choice("even", make=_bins_length),),
            boundary=(Choice("odd", make=lambda context: _bins_length(context) + 1),),
        ),
        parameter(
            "sequence_length",
            valid=(Choice("fft_length", make=lambda context: context.params["fft_length"]),),
            boundary=(Choice("shorter", make=_up_to_length),),
            invalid=(0, -1, "three"),
        ),
        parameter("sequence_stride", valid=(1, 2), boundary=(3,), invalid=(0, -1, "two")),
        _WINDOW,
        flag("center", True),
        parameter("length", None, (None,), (3,), (-1, "three")),
    ),
)


def _sequences(params: Params, shapes: Shapes) -> Shapes:
    length, stride = params["sequence_length"], params["sequence_stride"]
    if length > shapes[0][-1]:
        raise Invalid("no sequence fits")
    count = 1 + (shapes[0][-1] - length) // stride
    return ((*shapes[0][:-1], count, length),)


_EXTRACT = OpSpec(
    name="keras.ops.extract_sequences",
    rule=_sequences,
    tensors=(Tensor(ranks=(1, 2, 3), dtypes=("float32", "int32")),),
    parameters=(
        parameter(
            "sequence_length",
            valid=(2, 3),
            boundary=(1, Choice("all", make=_last)),
            invalid=(0, -1, "three", 1.5),
        ),
        parameter("sequence_stride", valid=(1, 2), boundary=(3, 5), invalid=(0, -1, "two", 1.5)),
    ),
)


SPECS = (
    _transform("fft", (1, 2, 3)),
    _transform("fft2", (2, 3)),
    _transform("ifft2", (2, 3)),
    OpSpec(
        name="keras.ops.rfft",
        rule=_half,
        tensors=(Tensor(ranks=(1, 2, 3)),),
        parameters=(_fft_length(),),
    ),
    OpSpec(
        name="keras.ops.irfft",
        rule=_whole,
        tensors=(Tensor(ranks=(1, 2, 3)),),
        companions=same_shape,
        grouped=True,
        parameters=(_fft_length(),),
    ),
    _STFT,
    _ISTFT,
    _EXTRACT,
)
