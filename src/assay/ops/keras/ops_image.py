"""The image functions of ``keras.ops``: images with or without a batch."""

from collections.abc import Callable
from typing import Any

from assay.ops._base import (
    REAL,
    Choice,
    Context,
    Domain,
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
from assay.ops.keras.ops_common import FLOATS
from assay.ops.shapes import same_shape
from assay.ops.windows import CHANNELS_FIRST, spread, window_lengths

_UNIT = Domain(low=0.0, high=1.0, special=True, classes=("zero", "one", "tied"))
_FINITE = Domain(classes=("zero", "negative_zero", "one", "tied", "large_mean", "wide"))
_FORMAT = parameter(
    "data_format",
    None,
    valid=("channels_last",),
    boundary=(CHANNELS_FIRST,),
    invalid=("channels_middle", 1),
)

# -------------------------------------------------------------------- sizes


def _first(params: Params) -> bool:
    return params.get("data_format") == CHANNELS_FIRST


def _sides(params: Params, shape: Shape, count: int = 2) -> Shape:
    """The spatial lengths of images with or without a batch."""
    return shape[-count:] if _first(params) else shape[-count - 1 : -1]


def _depth(params: Params, shape: Shape, count: int = 2) -> int:
    return shape[-count - 1] if _first(params) else shape[-1]


def _with_sides(params: Params, shape: Shape, sides: Shape, depth: int) -> Shape:
    batch = shape[: len(shape) - len(sides) - 1]
    return (*batch, depth, *sides) if _first(params) else (*batch, *sides, depth)


def _resized(params: Params, shape: Shape, sides: Shape) -> Shapes:
    if min(sides) < 1 or min(_sides(params, shape)) < 1:
        raise Invalid("no pixels")
    return (_with_sides(params, shape, sides, _depth(params, shape)),)


def _pixels(draw: Draw, shape: Shape) -> Shape:
    """At least one pixel: without a batch, the first length is a height."""
    return tuple(max(1, length) for length in shape) if len(shape) == 3 else shape


# --------------------------------------------------- colours: three channels


def _colours(draw: Draw, shape: Shape) -> Shape:
    position = -1 if draw.chance(0.7) else -3
    shape = _pixels(draw, shape)
    result = list(shape)
    result[position] = 3
    return tuple(result)


def _coloured(params: Params, shapes: Shapes) -> Shapes:
    if _depth(params, shapes[0]) != 3:
        raise Invalid("colours have three channels")
    return (shapes[0],)


def _grey(params: Params, shapes: Shapes) -> Shapes:
    (shape,) = _coloured(params, shapes)
    return (_with_sides(params, shape, _sides(params, shape), 1),)


def _colour(name: str, rule: Callable[[Params, Shapes], Shapes], domain: Domain) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.image.{name}",
        rule=rule,
        tensors=(Tensor(ranks=(3, 4), dtypes=FLOATS, domain=domain, fit=_colours),),
        parameters=(_FORMAT,),
    )


# ---------------------------------------------------------- crop and padding


def _framed(sign: int) -> Callable[[Params, Shapes], Shapes]:
    """Each side's length from two of three: before, after and the target."""

    def rule(params: Params, shapes: Shapes) -> Shapes:
        suffix = "padding" if sign > 0 else "cropping"
        found = []
        sides = _sides(params, shapes[0])
        names = (("top", "bottom", "height"), ("left", "right", "width"))
        for length, (before, after, target) in zip(sides, names, strict=True):
            first, last = params[f"{before}_{suffix}"], params[f"{after}_{suffix}"]
            wanted = params[f"target_{target}"]
            given = [item for item in (first, last, wanted) if item is not None]
            if len(given) != 2:
                raise Invalid("exactly two of three are given")
            if wanted is None:
                wanted = length + sign * (first + last)
            rest = sign * (wanted - length) - (first or 0) - (last or 0)
            if wanted < 1 or rest < 0:
                raise Invalid("no such image")
            found.append(wanted)
        return _resized(params, shapes[0], tuple(found))

    return rule


def _target(position: int, before: str, after: str, sign: int) -> Callable[[Context], Any]:
    def make(context: Context) -> Any:
        first, last = context.params[before], context.params[after]
        if (first is None) == (last is None):
            raise Invalid("two are given already")
        length = _sides(context.params, context.shapes[0])[position]
        return length + sign * ((first or 0) + (last or 0) + context.draw.below(2))

    return make


def _frame(name: str, suffix: str, sign: int) -> OpSpec:
    def border(side: str) -> Parameter:
        return parameter(
            f"{side}_{suffix}", valid=(0, 1, None), boundary=(2,), invalid=(-1, "one")
        )

    def target(side: str, position: int, before: str, after: str) -> Parameter:
        return parameter(
            f"target_{side}",
            None,
            valid=(
                Choice(
                    "fitting",
                    make=_target(position, f"{before}_{suffix}", f"{after}_{suffix}", sign),
                ),
            ),
            invalid=(-1,),
        )

    return OpSpec(
        name=f"keras.ops.image.{name}",
        rule=_framed(sign),
        tensors=(Tensor(ranks=(3, 4), dtypes=("float32", "int32", "uint8"), fit=_pixels),),
        parameters=(
            _FORMAT,
            border("top"),
            border("bottom"),
            target("height", 0, "top", "bottom"),
            border("left"),
            border("right"),
            target("width", 1, "left", "right"),
        ),
    )


# ------------------------------------------------------------------ patches


def _patches(axes: int) -> Callable[[Params, Shapes], Shapes]:
    def rule(params: Params, shapes: Shapes) -> Shapes:
        size = params["size"]
        count = axes or (3 if isinstance(size, tuple) and len(size) == 3 else 2)
        if not count + 1 <= len(shapes[0]) <= count + 2:
            raise Invalid("patches of other images")
        sides, sizes = _sides(params, shapes[0], count), spread(size, count)
        steps = sizes if params["strides"] is None else spread(params["strides"], count)
        gaps = spread(params["dilation_rate"], count)
        if max(gaps) > 1 and max(steps) > 1:
            raise Invalid("documented: strides > 1 exclude dilation > 1")
        found = window_lengths(sides, sizes, steps, params["padding"], gaps)
        depth = _depth(params, shapes[0], count)
        for length in sizes:
            depth *= length
        return (_with_sides(params, shapes[0], found, depth),)

    return rule


def _patch_parameters(sizes: tuple[Any, ...], more: tuple[Any, ...]) -> tuple[Parameter, ...]:
    return (
        _FORMAT,
        parameter("padding", "valid", ("valid", "same"), invalid=("full", 1)),
        parameter("size", valid=sizes, boundary=more, invalid=(0, -1, "two", (2,))),
        parameter("strides", None, (None, 1), (2, 3), (0, -1, "two")),
        parameter("dilation_rate", 1, (1,), (2,), (0, -1, "two")),
    )


# ------------------------------------------------------------------- resize


def _size(context: Context) -> Any:
    return context.draw.between(1, 8), context.draw.between(1, 8)


def _double(context: Context) -> Any:
    return tuple(2 * length for length in _sides(context.params, context.shapes[0]))


def _same_size(context: Context) -> Any:
    return _sides(context.params, context.shapes[0])


def _half(context: Context) -> Any:
    return tuple(max(1, length // 2) for length in _sides(context.params, context.shapes[0]))


def _resize(params: Params, shapes: Shapes) -> Shapes:
    if params["crop_to_aspect_ratio"] and params["pad_to_aspect_ratio"]:
        raise Invalid("either crop or pad")
    return _resized(params, shapes[0], params["size"])


_RESIZE = OpSpec(
    name="keras.ops.image.resize",
    rule=_resize,
    tensors=(Tensor(ranks=(3, 4), dtypes=("float32", "uint8", "float16"), fit=_pixels),),
    parameters=(
        _FORMAT,
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
        Tensor(ranks=(1, 2, 3, 4), domain=_FINITE),
        Tensor(ranks=(1,), domain=Domain(low=0.3, high=3.0, classes=("one",)), keyword="scale"),
        Tensor(
            ranks=(1,), domain=Domain(classes=("zero", "one", "wide")), keyword="translation"
        ),
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
    if min(_sides(params, shapes[0])) < 1:
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
        Tensor(ranks=(3, 4), domain=_FINITE, fit=_pixels),
        Tensor(ranks=(1, 2), domain=Domain(kind="affine")),
    ),
    companions=_rows,
    # "Gradients are not backpropagated into transformation parameters."
    differentiable=False,
    parameters=(
        _FORMAT,
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
        Tensor(ranks=(3, 4), domain=_FINITE, fit=_pixels),
        Tensor(ranks=(2, 3), domain=Domain(kind="corners")),
    ),
    companions=_points,
    # With respect to the points, as for affine transforms.
    differentiable=False,
    parameters=(_FORMAT, _INTERPOLATION, _FILL_VALUE),
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
            domain=_FINITE,
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

# ------------------------------------------------------------------ filters


def _blurred(params: Params, shapes: Shapes) -> Shapes:
    if min(_sides(params, shapes[0])) < 1:
        raise Invalid("no pixels")
    return (shapes[0],)


_BLUR = OpSpec(
    name="keras.ops.image.gaussian_blur",
    rule=_blurred,
    tensors=(Tensor(ranks=(3, 4), dtypes=FLOATS, domain=_FINITE, fit=_pixels),),
    parameters=(
        _FORMAT,
        parameter(
            "kernel_size",
            (3, 3),
            valid=((3, 3), (3, 5), (1, 3)),
            boundary=((1, 1), (2, 2), (4, 4), (4, 3), (7, 7)),
            invalid=((0, 3), (-1, 3), (3,), "three"),
        ),
        parameter(
            "sigma",
            (1.0, 1.0),
            valid=((1.0, 1.0), (0.5, 2.0)),
            boundary=((0.1, 0.1), (10.0, 1.0)),
            invalid=((1.0,), "one"),
        ),
    ),
)


def _similarity(params: Params, shapes: Shapes) -> Shapes:
    if min(_sides(params, shapes[0])) < params["filter_size"]:
        raise Invalid("the filter does not fit")
    return (shapes[0][:-3],)


_SSIM = OpSpec(
    name="keras.ops.image.ssim",
    rule=_similarity,
    tensors=(
        Tensor(
            ranks=(3, 4),
            domain=_UNIT,
            fit=lambda draw, shape: (*shape[:-3], *(n + 3 for n in shape[-3:-1]), shape[-1]),
        ),
    ),
    companions=same_shape,
    parameters=(
        _FORMAT,
        parameter("max_val", 1.0, (1.0, 255.0), (0.5,), ("one",)),
        parameter("filter_size", valid=(3, 5), boundary=(1,), invalid=(0, -1, "three")),
        parameter("filter_sigma", 1.5, (1.5, 0.5), (5.0,), ("one",)),
        parameter("k1", 0.01, (0.01,), (0.1,)),
        parameter("k2", 0.03, (0.03,), (0.3,)),
    ),
)


def _edges(params: Params, shapes: Shapes) -> Shapes:
    if min(_sides(params, shapes[0])) < 1:
        raise Invalid("no pixels")
    return ((*shapes[0], 2),)


SPECS = (
    _colour("rgb_to_grayscale", _grey, REAL),
    _colour("rgb_to_hsv", _coloured, _UNIT),
    _colour("hsv_to_rgb", _coloured, _UNIT),
    _frame("crop_images", "cropping", -1),
    _frame("pad_images", "padding", 1),
    OpSpec(
        name="keras.ops.image.extract_patches",
        rule=_patches(0),
        tensors=(Tensor(ranks=(3, 4), fit=_pixels),),
        parameters=_patch_parameters((2, (2, 3)), (1, (3, 1), 3)),
    ),
    OpSpec(
        name="keras.ops.image.extract_patches_3d",
        rule=_patches(3),
        tensors=(
            Tensor(
                ranks=(4, 5),
                fit=lambda draw, shape: (
                    tuple(max(1, n) for n in shape) if len(shape) == 4 else shape
                ),
            ),
        ),
        parameters=_patch_parameters((2, (2, 1, 2)), (1, (1, 2, 3))),
    ),
    _RESIZE,
    _SCALE_AND_TRANSLATE,
    _AFFINE,
    _PERSPECTIVE,
    _MAP,
    _BLUR,
    _SSIM,
    OpSpec(
        name="keras.ops.image.sobel_edges",
        rule=_edges,
        tensors=(Tensor(ranks=(4,), dtypes=FLOATS),),
        parameters=(_FORMAT,),
    ),
)
