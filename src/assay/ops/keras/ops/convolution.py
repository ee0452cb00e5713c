"""Convolutions of ``keras.ops``: kernels are tensors, not weights."""

from collections.abc import Callable
from typing import Any

from assay.ops._base import (
    Choice,
    Companions,
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
from assay.ops.keras.ops._parameters import per_axis, too_many_axes
from assay.ops.windows import (
    CHANNELS_FIRST,
    channels,
    padding,
    spatial,
    spread,
    window_lengths,
    with_spatial,
)

_FLOATS = ("float32", "float16")
_CHANNELS_FIRST_CHANCE = 0.3

# ------------------------------------------------------------------ kernels


def _window(draw: Draw, lengths: Shape) -> Shape:
    """A kernel's lengths: mostly small, sometimes as long as the input or longer."""
    kind = draw.below(8)
    if kind == 0:
        return lengths
    if kind == 1:
        return tuple(length + 1 for length in lengths)
    if kind == 2:
        return (1,) * len(lengths)
    return tuple(draw.between(1, 4) for _ in lengths)


def _parts(draw: Draw, first: Shape) -> tuple[Shape, int]:
    """Spatial lengths and channels of images whose format is decided later to match."""
    if draw.chance(_CHANNELS_FIRST_CHANCE):
        return first[2:], first[1]
    return first[1:-1], first[-1]


def _plain_kernel(draw: Draw, first: Shape) -> Shapes:
    lengths, depth = _parts(draw, first)
    return ((*_window(draw, lengths), depth, draw.between(1, 4)),)


def _transposed_kernel(draw: Draw, first: Shape) -> Shapes:
    lengths, depth = _parts(draw, first)
    return ((*_window(draw, lengths), draw.between(1, 4), depth),)


def _depthwise_kernel(draw: Draw, first: Shape) -> Shapes:
    lengths, depth = _parts(draw, first)
    return ((*_window(draw, lengths), depth, draw.between(1, 3)),)


def _separable_kernels(draw: Draw, first: Shape) -> Shapes:
    (depthwise,) = _depthwise_kernel(draw, first)
    ones = (1,) * (len(first) - 2)
    return depthwise, (*ones, depthwise[-2] * depthwise[-1], draw.between(1, 4))


def _data_format(position: int) -> Parameter:
    """The format in which the kernel's channels are those of the images."""

    def fitting(name: str) -> Callable[[Context], str]:
        def make(context: Context) -> str:
            images, window = context.shapes[:2]
            if channels({"data_format": name}, images) != window[position]:
                raise Invalid("the kernel has other channels")
            return name

        return make

    return parameter(
        "data_format",
        valid=(Choice("channels_last", make=fitting("channels_last")), None),
        boundary=(Choice(CHANNELS_FIRST, make=fitting(CHANNELS_FIRST)),),
        invalid=("channels_middle", 1),
    )


# -------------------------------------------------------------- shape rules


def _lengths(params: Params, shapes: Shapes, position: int) -> Shape:
    lengths = spatial(params, shapes[0])
    if channels(params, shapes[0]) != shapes[1][position]:
        raise Invalid("the kernel has other channels")
    steps = spread(params["strides"], len(lengths))
    gaps = spread(params["dilation_rate"], len(lengths))
    return window_lengths(lengths, shapes[1][: len(lengths)], steps, params["padding"], gaps)


def _plain(params: Params, shapes: Shapes) -> Shapes:
    return (with_spatial(params, shapes[0], _lengths(params, shapes, -2), shapes[1][-1]),)


def _depthwise(params: Params, shapes: Shapes) -> Shapes:
    depth = shapes[1][-2] * shapes[1][-1]
    return (with_spatial(params, shapes[0], _lengths(params, shapes, -2), depth),)


def _separable(params: Params, shapes: Shapes) -> Shapes:
    return (with_spatial(params, shapes[0], _lengths(params, shapes, -2), shapes[2][-1]),)


def _transposed(params: Params, shapes: Shapes) -> Shapes:
    lengths = spatial(params, shapes[0])
    axes = len(lengths)
    if channels(params, shapes[0]) != shapes[1][-1]:
        raise Invalid("the kernel has other channels")
    steps, gaps = spread(params["strides"], axes), spread(params["dilation_rate"], axes)
    if max(steps) > 1 and max(gaps) > 1:
        raise Invalid("strides > 1 exclude dilation > 1")
    given = params["output_padding"]
    extras = (None,) * axes if given is None else spread(given, axes)
    same = params["padding"] == "same"
    found = []
    for size, window, step, gap, extra in zip(
        lengths, shapes[1][:axes], steps, gaps, extras, strict=True
    ):
        reach = gap * (window - 1) + 1
        if extra is None:
            length = size * step + (0 if same else max(reach - step, 0))
        elif 0 <= extra < step:
            length = (size - 1) * step + reach - (2 * (reach // 2) if same else 0) + extra
        else:
            raise Invalid("output_padding must be less than strides")
        if size < 1 or length < 1:
            raise Invalid(f"{size} cells give {length}")
        found.append(length)
    return (with_spatial(params, shapes[0], tuple(found), shapes[1][-2]),)


# --------------------------------------------------------------- parameters


def _steps(name: str) -> Parameter:
    return parameter(
        name,
        1,
        valid=(1, 2),
        boundary=(3, Choice("asymmetric", make=per_axis)),
        invalid=(0, -1, "two", Choice("too_many", make=too_many_axes)),
    )


def _strides_of(context: Context) -> tuple[int, ...]:
    return spread(context.params.get("strides", 1), len(context.shapes[0]) - 2)


def _below_strides(context: Context) -> Any:
    return tuple(context.draw.below(step) for step in _strides_of(context))


_OUTPUT_PADDING = parameter(
    "output_padding",
    None,
    valid=(None,),
    boundary=(0, Choice("below_strides", make=_below_strides)),
    invalid=(-1, "one", Choice("equal_strides", make=_strides_of)),
)


def _kernel_relations() -> dict[str, Callable[[Params, Shapes], bool]]:
    def per_axis(test: Callable[[int, int, int, int], bool]) -> Callable[[Params, Shapes], bool]:
        def holds(params: Params, shapes: Shapes) -> bool:
            lengths = spatial(params, shapes[0])
            steps = spread(params["strides"], len(lengths))
            gaps = spread(params["dilation_rate"], len(lengths))
            return any(map(test, shapes[1], steps, gaps, lengths))

        return holds

    return {
        "kernel<stride": per_axis(lambda size, step, gap, length: size < step),
        "kernel=input": per_axis(lambda size, step, gap, length: size == length),
        "kernel>input": per_axis(lambda size, step, gap, length: size > length),
        "even_kernel": per_axis(lambda size, step, gap, length: size % 2 == 0),
    }


def _convolution(
    name: str,
    ranks: tuple[int, ...],
    rule: Callable[[Params, Shapes], Shapes],
    companions: Companions,
    position: int = -2,
    more: tuple[Parameter, ...] = (),
) -> OpSpec:
    found = _kernel_relations()
    if not more:
        found["strided_and_dilated"] = lambda params, shapes: (
            max(spread(params["strides"], len(shapes[0]) - 2)) > 1
            and max(spread(params["dilation_rate"], len(shapes[0]) - 2)) > 1
        )
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=rule,
        tensors=(Tensor(ranks=ranks, dtypes=_FLOATS), Tensor(ranks=ranks, dtypes=_FLOATS)),
        companions=companions,
        parameters=(
            _data_format(position),
            padding(),
            _steps("strides"),
            _steps("dilation_rate"),
            *more,
        ),
        relations=found,
    )


SPECS = (
    _convolution("conv", (3, 4, 5), _plain, _plain_kernel),
    _convolution(
        "conv_transpose", (3, 4, 5), _transposed, _transposed_kernel, -1, (_OUTPUT_PADDING,)
    ),
    _convolution("depthwise_conv", (3, 4), _depthwise, _depthwise_kernel),
    _convolution("separable_conv", (3, 4), _separable, _separable_kernels),
)
