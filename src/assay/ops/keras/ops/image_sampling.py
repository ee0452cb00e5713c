"""Image functions of ``keras.ops`` that look up values between pixels."""

from typing import Any

from assay.ops._base import (
    Choice,
    Context,
    Domain,
    Invalid,
    OpSpec,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops.keras._common import flag
from assay.ops.keras.ops.image import FINITE, FORMAT, resized, sides_of, with_pixels

# ------------------------------------------------------------------- resize


def _size(context: Context) -> Any:
    return context.draw.between(1, 8), context.draw.between(1, 8)


def _double(context: Context) -> Any:
    return tuple(2 * length for length in sides_of(context.params, context.shapes[0]))


def _same_size(context: Context) -> Any:
    return sides_of(context.params, context.shapes[0])


def _half(context: Context) -> Any:
    return tuple(max(1, length // 2) for length in sides_of(context.params, context.shapes[0]))


def _resize(params: Params, shapes: Shapes) -> Shapes:
    if params["crop_to_aspect_ratio"] and params["pad_to_aspect_ratio"]:
        raise Invalid("either crop or pad")
    return resized(params, shapes[0], params["size"])


_RESIZE = OpSpec(
    name="keras.ops.image.resize",
    rule=_resize,
    tensors=(Tensor(ranks=(3, 4), dtypes=("float32", "uint8", "float16"), fit=with_pixels),),
    parameters=(
        FORMAT,
        parameter(
            "size",
            valid=(Choice("any", make=_size), Choice("double", make=_double)),
            boundary=(
                (1, 1),
                Choice("same", make=_same_size),
                Choice("half", make=_half),
            ),
            invalid=((0, 2), (-1, 2), (2,), "large", (2, 2, 2)),
        ),
        parameter(
            "interpolation",
            "bilinear",
            ("bilinear", "nearest"),
            ("bicubic", "lanczos3", "lanczos5"),
            ("closest", 1),
        ),
        flag("antialias", False),
        parameter("crop_to_aspect_ratio", False, (False,), (True,)),
        parameter("pad_to_aspect_ratio", False, (False,), (True,)),
        parameter("fill_mode", "constant", ("constant",), invalid=("mirror",)),
        parameter("fill_value", 0.0, (0.0, 1.5), (-1.0,)),
    ),
)


def _placed(context: Context) -> Any:
    rank = len(context.shapes[0])
    count = context.shapes[1][0]
    return tuple(sorted(context.draw.order(range(rank))[:count]))


def _output_shape(context: Context) -> Any:
    moved = context.params["spatial_dims"]
    return tuple(
        context.draw.between(1, 7) if axis in moved else length
        for axis, length in enumerate(context.shapes[0])
    )


def _scales(draw: Draw, first: Shape) -> Shapes:
    count = draw.between(1, min(3, len(first)))
    return (count,), (count,)


def _scaled(params: Params, shapes: Shapes) -> Shapes:
    moved, shape = params["spatial_dims"], params["output_shape"]
    if len(shape) != len(shapes[0]) or len(moved) != shapes[1][0]:
        raise Invalid("of another rank")
    for axis, (wanted, given) in enumerate(zip(shape, shapes[0], strict=True)):
        if axis in moved and (wanted < 1 or given < 1):
            raise Invalid("no pixels")
        if axis not in moved and wanted != given:
            raise Invalid("only the spatial dimensions change")
    return (shape,)


_SCALE_AND_TRANSLATE = OpSpec(
    name="keras.ops.image.scale_and_translate",
    rule=_scaled,
    tensors=(
        Tensor(ranks=(1, 2, 3, 4), domain=FINITE),
        Tensor(ranks=(1,), domain=Domain(low=0.3, high=3.0, classes=("one",)), keyword="scale"),
        Tensor(ranks=(1,), domain=Domain(classes=("zero", "one", "wide")), keyword="translation"),
    ),
    companions=_scales,
    parameters=(
        parameter("spatial_dims", valid=(Choice("some", make=_placed),), invalid=("all", (9,))),
        parameter(
            "output_shape",
            valid=(Choice("other", make=_output_shape),),
            invalid=("large", Choice("too_few", make=lambda c: _output_shape(c)[:-1])),
        ),
        parameter(
            "method",
            valid=("linear", "cubic"),
            boundary=("lanczos3", "lanczos5", "bilinear", "trilinear", "bicubic", "tricubic"),
            invalid=("closest", 1),
        ),
        flag("antialias", True),
    ),
)

# --------------------------------------------------------------- transforms


def _rows(draw: Draw, first: Shape) -> Shapes:
    """A row of eight numbers for each image of a batch, or one for an image alone."""
    return ((first[0], 8) if len(first) == 4 else (8,),)


def _batched_transform(params: Params, shapes: Shapes) -> Shapes:
    if len(shapes[0]) == 4 and not shapes[0][0]:
        raise Invalid("no transform")
    if min(sides_of(params, shapes[0])) < 1:
        raise Invalid("no pixels")
    return (shapes[0],)


_INTERPOLATION = parameter(
    "interpolation", "bilinear", ("bilinear", "nearest"), invalid=("closest", 1)
)
_FILL_VALUE = parameter("fill_value", 0, (0, 1.5), (-1.0,))
_AFFINE = OpSpec(
    name="keras.ops.image.affine_transform",
    rule=_batched_transform,
    tensors=(
        Tensor(ranks=(3, 4), domain=FINITE, fit=with_pixels),
        Tensor(ranks=(1, 2), domain=Domain(kind="affine")),
    ),
    companions=_rows,
    # "Gradients are not backpropagated into transformation parameters."
    differentiable=False,
    parameters=(
        FORMAT,
        _INTERPOLATION,
        parameter(
            "fill_mode",
            "constant",
            ("constant", "nearest"),
            ("wrap", "reflect"),
            ("mirrored", 1),
        ),
        _FILL_VALUE,
    ),
    impossible=("batch_0",),
)


def _points(draw: Draw, first: Shape) -> Shapes:
    """Start and end points of each image of a batch, or of an image alone."""
    shape = (first[0], 4, 2) if len(first) == 4 else (4, 2)
    return shape, shape


_PERSPECTIVE = OpSpec(
    name="keras.ops.image.perspective_transform",
    rule=_batched_transform,
    tensors=(
        Tensor(ranks=(3, 4), domain=FINITE, fit=with_pixels),
        Tensor(ranks=(2, 3), domain=Domain(kind="corners")),
    ),
    companions=_points,
    # With respect to the points, as for affine transforms.
    differentiable=False,
    parameters=(FORMAT, _INTERPOLATION, _FILL_VALUE),
    impossible=("batch_0",),
)


def _coordinates(draw: Draw, first: Shape) -> Shapes:
    wanted = tuple(draw.between(1, 4) for _ in range(draw.between(1, 2)))
    return ((len(first), *wanted),)


_MAP = OpSpec(
    name="keras.ops.image.map_coordinates",
    rule=lambda params, shapes: (shapes[1][1:],),
    tensors=(
        Tensor(
            ranks=(1, 2, 3),
            dtypes=("float32", "int32"),
            domain=FINITE,
            fit=lambda draw, shape: tuple(max(1, length) for length in shape),
        ),
        Tensor(
            ranks=(2, 3),
            domain=Domain(classes=("zero", "one")),
            limits=lambda params, shapes: (-2.5, max(shapes[0]) + 1.5),
        ),
    ),
    companions=_coordinates,
    parameters=(
        parameter("order", valid=(0, 1), invalid=(2, -1, "one")),
        parameter(
            "fill_mode",
            "constant",
            ("constant", "nearest"),
            ("wrap", "mirror", "reflect"),
            ("edge", 1),
        ),
        _FILL_VALUE,
    ),
    impossible=("batch_0",),
)


SPECS = (_RESIZE, _SCALE_AND_TRANSLATE, _AFFINE, _PERSPECTIVE, _MAP)
