"""Layers that resize, crop and up-sample images."""

from typing import Any

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
from assay.ops.keras._common import MOVABLE, flag
from assay.ops.windows import (
    CHANNELS_FIRST,
    asymmetric,
    channels,
    data_format,
    spatial,
    spread,
    with_spatial,
)

# ---------------------------------------------------------------- up-sampling


def _upsample(params: Params, shapes: Shapes) -> Shapes:
    lengths = spatial(params, shapes[0])
    factors = spread(params["size"], len(lengths))
    found = tuple(length * factor for length, factor in zip(lengths, factors, strict=True))
    if params.get("interpolation", "nearest") != "nearest" and min(lengths) < 1:
        raise Invalid("nothing to interpolate")
    return (with_spatial(params, shapes[0], found, channels(params, shapes[0])),)


def _size(axes: int) -> Parameter:
    wrong = (0, -1, "twice", (2,) * (axes + 1))
    return parameter(
        "size", 2, valid=(2, 3), boundary=(1, 5, *asymmetric(axes)), invalid=(*wrong, 1.5)
    )


def _up_sampling_spec(axes: int) -> OpSpec:
    parameters: tuple[Parameter, ...] = (_size(axes),)
    if axes > 1:
        parameters = (data_format(), *parameters)
    if axes == 2:
        interpolation = parameter(
            "interpolation",
            "nearest",
            valid=("nearest", "bilinear"),
            boundary=("bicubic", "lanczos3", "lanczos5"),
            invalid=("closest", 1),
        )
        parameters = (*parameters, interpolation)
    return OpSpec(
        name=f"keras.layers.UpSampling{axes}D",
        rule=_upsample,
        parameters=parameters,
        tensors=(Tensor(ranks=(axes + 2,), dtypes=MOVABLE if axes != 2 else ("float32",)),),
    )


# ----------------------------------------------------- resizing and cropping


def _lengths(params: Params, shape: Shape) -> tuple[int, int]:
    """Height and width of an image or a batch of images."""
    found = shape[-2:] if params.get("data_format") == CHANNELS_FIRST else shape[-3:-1]
    return found[0], found[1]


def _with_size(params: Params, shapes: Shapes) -> Shapes:
    shape = shapes[0]
    if min(_lengths(params, shape)) < 1 or min(params["height"], params["width"]) < 1:
        raise Invalid("no pixels")
    size = (params["height"], params["width"])
    if params.get("data_format") == CHANNELS_FIRST:
        return ((*shape[:-2], *size),)
    return ((*shape[:-3], *size, shape[-1]),)


def _resize(params: Params, shapes: Shapes) -> Shapes:
    if params["crop_to_aspect_ratio"] and params["pad_to_aspect_ratio"]:
        raise Invalid("crop or pad, not both")
    return _with_size(params, shapes)


def _side(name: str, position: int) -> Parameter:
    def scaled(context: Context, times: int, divided: int) -> Any:
        length = _lengths(context.params, context.shapes[0])[position]
        return max(1, length * times // divided)

    def choice(label: str, times: int, divided: int) -> Choice:
        return Choice(label, make=lambda context: scaled(context, times, divided))

    return parameter(
        name,
        valid=(2, 3, 5, choice("two_thirds", 2, 3)),
        boundary=(
            1,
            8,
            choice("equal_input", 1, 1),
            choice("half", 1, 2),
            choice("double", 2, 1),
            choice("five_thirds", 5, 3),
        ),
        invalid=(0, -1, "three", 2.5, (2, 3)),
    )


def _cropped_already(context: Context) -> Any:
    if not context.params.get("crop_to_aspect_ratio"):
        raise Invalid("needs crop_to_aspect_ratio")
    return True


def _padded(context: Context) -> Any:
    if context.params.get("crop_to_aspect_ratio"):
        raise Invalid("crop or pad, not both")
    return True


def _when_padding(value: Any) -> Choice:
    def make(context: Context) -> Any:
        if not context.params.get("pad_to_aspect_ratio"):
            raise Invalid("matters only where there is padding")
        return value

    return Choice(repr(value), make=make)


_IMAGES = Tensor(ranks=(3, 4, 4), dtypes=("float32", "uint8", "int32", "float16"))


def _upscales(params: Params, shapes: Shapes) -> bool:
    found = _lengths(params, shapes[0])
    return bool(params["height"] > found[0] or params["width"] > found[1])


def _downscales(params: Params, shapes: Shapes) -> bool:
    found = _lengths(params, shapes[0])
    return bool(params["height"] < found[0] or params["width"] < found[1])


def _other_ratio(params: Params, shapes: Shapes) -> bool:
    height, width = _lengths(params, shapes[0])
    return bool(params["height"] * width != params["width"] * height)


_RELATIONS = {"upscale": _upscales, "downscale": _downscales, "other_aspect_ratio": _other_ratio}

SPECS = (
    *map(_up_sampling_spec, (1, 2, 3)),
    OpSpec(
        name="keras.layers.Resizing",
        rule=_resize,
        parameters=(
            data_format(),
            _side("height", 0),
            _side("width", 1),
            parameter(
                "interpolation",
                "bilinear",
                valid=("bilinear", "nearest"),
                boundary=("bicubic", "lanczos3", "lanczos5"),
                invalid=("closest", 1, None),
            ),
            flag("antialias", False),
            flag("crop_to_aspect_ratio", False),
            parameter(
                "pad_to_aspect_ratio",
                False,
                valid=(False, Choice("True", make=_padded)),
                invalid=(Choice("with_crop", make=_cropped_already),),
            ),
            parameter(
                "fill_mode", "constant", ("constant",), invalid=tuple(map(_when_padding, ("edge",)))
            ),
            parameter("fill_value", 0.0, (0.0, 1.5), (-3.0, 255.0), (_when_padding("white"),)),
        ),
        tensors=(_IMAGES,),
        relations=_RELATIONS,
    ),
    OpSpec(
        name="keras.layers.CenterCrop",
        rule=_with_size,
        parameters=(data_format(), _side("height", 0), _side("width", 1)),
        tensors=(_IMAGES,),
        relations=_RELATIONS,
    ),
)
