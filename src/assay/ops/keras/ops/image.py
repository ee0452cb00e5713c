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
from assay.ops.keras.ops._kinds import FLOAT
from assay.ops.shapes import same_shape
from assay.ops.windows import CHANNELS_FIRST, spread, window_lengths

_UNIT = Domain(low=0.0, high=1.0, special=True, classes=("zero", "one", "tied"))
FINITE = Domain(classes=("zero", "negative_zero", "one", "tied", "large_mean", "wide"))
FORMAT = parameter(
    "data_format",
    None,
    valid=("channels_last",),
    boundary=(CHANNELS_FIRST,),
    invalid=("channels_middle", 1),
)

# -------------------------------------------------------------------- sizes


def is_channels_first(params: Params) -> bool:
    """Are the channels before the spatial axes?"""
    return params.get("data_format") == CHANNELS_FIRST


def sides_of(params: Params, shape: Shape, count: int = 2) -> Shape:
    """The spatial lengths of images with or without a batch."""
    return shape[-count:] if is_channels_first(params) else shape[-count - 1 : -1]


def depth_of(params: Params, shape: Shape, count: int = 2) -> int:
    """The number of channels."""
    return shape[-count - 1] if is_channels_first(params) else shape[-1]


def with_sides(params: Params, shape: Shape, sides: Shape, depth: int) -> Shape:
    """The shape of such images with other sides and channels."""
    batch = shape[: len(shape) - len(sides) - 1]
    return (*batch, depth, *sides) if is_channels_first(params) else (*batch, *sides, depth)


def resized(params: Params, shape: Shape, sides: Shape) -> Shapes:
    """The shape of such images with other sides; ``Invalid`` without pixels."""
    if min(sides) < 1 or min(sides_of(params, shape)) < 1:
        raise Invalid("no pixels")
    return (with_sides(params, shape, sides, depth_of(params, shape)),)


def with_pixels(draw: Draw, shape: Shape) -> Shape:
    """At least one pixel: without a batch, the first length is a height."""
    return tuple(max(1, length) for length in shape) if len(shape) == 3 else shape


# --------------------------------------------------- colours: three channels


def _colours(draw: Draw, shape: Shape) -> Shape:
    position = -1 if draw.chance(0.7) else -3
    shape = with_pixels(draw, shape)
    result = list(shape)
    result[position] = 3
    return tuple(result)


def _coloured(params: Params, shapes: Shapes) -> Shapes:
    if depth_of(params, shapes[0]) != 3:
        raise Invalid("colours have three channels")
    return (shapes[0],)


def _grey(params: Params, shapes: Shapes) -> Shapes:
    (shape,) = _coloured(params, shapes)
    return (with_sides(params, shape, sides_of(params, shape), 1),)


def _colour(name: str, rule: Callable[[Params, Shapes], Shapes], domain: Domain) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.image.{name}",
        rule=rule,
        tensors=(Tensor(ranks=(3, 4), dtypes=FLOAT, domain=domain, fit=_colours),),
        parameters=(FORMAT,),
    )


# ---------------------------------------------------------- crop and padding


def _framed(sign: int) -> Callable[[Params, Shapes], Shapes]:
    """Each side's length from two of three: before, after and the target."""

    def rule(params: Params, shapes: Shapes) -> Shapes:
        suffix = "padding" if sign > 0 else "cropping"
        found = []
        sides = sides_of(params, shapes[0])
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
        return resized(params, shapes[0], tuple(found))

    return rule


def _target(position: int, before: str, after: str, sign: int) -> Callable[[Context], Any]:
    def make(context: Context) -> Any:
        first, last = context.params[before], context.params[after]
        if (first is None) == (last is None):
            raise Invalid("two are given already")
        length = sides_of(context.params, context.shapes[0])[position]
        return length + sign * ((first or 0) + (last or 0) + context.draw.below(2))

    return make


def _frame(name: str, suffix: str, sign: int) -> OpSpec:
    def border(side: str) -> Parameter:
        return parameter(f"{side}_{suffix}", valid=(0, 1, None), boundary=(2,), invalid=(-1, "one"))

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
        tensors=(Tensor(ranks=(3, 4), dtypes=("float32", "int32", "uint8"), fit=with_pixels),),
        parameters=(
            FORMAT,
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
        sides, sizes = sides_of(params, shapes[0], count), spread(size, count)
        steps = sizes if params["strides"] is None else spread(params["strides"], count)
        gaps = spread(params["dilation_rate"], count)
        if max(gaps) > 1 and max(steps) > 1:
            raise Invalid("documented: strides > 1 exclude dilation > 1")
        found = window_lengths(sides, sizes, steps, params["padding"], gaps)
        depth = depth_of(params, shapes[0], count)
        for length in sizes:
            depth *= length
        return (with_sides(params, shapes[0], found, depth),)

    return rule


def _patch_parameters(sizes: tuple[Any, ...], more: tuple[Any, ...]) -> tuple[Parameter, ...]:
    return (
        FORMAT,
        parameter("padding", "valid", ("valid", "same"), invalid=("full", 1)),
        parameter("size", valid=sizes, boundary=more, invalid=(0, -1, "two", (2,))),
        parameter("strides", None, (None, 1), (2, 3), (0, -1, "two")),
        parameter("dilation_rate", 1, (1,), (2,), (0, -1, "two")),
    )


# ------------------------------------------------------------------ filters


def _blurred(params: Params, shapes: Shapes) -> Shapes:
    if min(sides_of(params, shapes[0])) < 1:
        raise Invalid("no pixels")
    return (shapes[0],)


_BLUR = OpSpec(
    name="keras.ops.image.gaussian_blur",
    rule=_blurred,
    tensors=(Tensor(ranks=(3, 4), dtypes=FLOAT, domain=FINITE, fit=with_pixels),),
    parameters=(
        FORMAT,
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
    if min(sides_of(params, shapes[0])) < params["filter_size"]:
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
        FORMAT,
        parameter("max_val", 1.0, (1.0, 255.0), (0.5,), ("one",)),
        parameter("filter_size", valid=(3, 5), boundary=(1,), invalid=(0, -1, "three")),
        parameter("filter_sigma", 1.5, (1.5, 0.5), (5.0,), ("one",)),
        parameter("k1", 0.01, (0.01,), (0.1,)),
        parameter("k2", 0.03, (0.03,), (0.3,)),
    ),
)


def _edges(params: Params, shapes: Shapes) -> Shapes:
    if min(sides_of(params, shapes[0])) < 1:
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
        tensors=(Tensor(ranks=(3, 4), fit=with_pixels),),
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
    _BLUR,
    _SSIM,
    OpSpec(
        name="keras.ops.image.sobel_edges",
        rule=_edges,
        tensors=(Tensor(ranks=(4,), dtypes=FLOAT),),
        parameters=(FORMAT,),
    ),
)
