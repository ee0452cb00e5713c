"""Kernels, strides, padding, dilation: parameters and shape rules of all windowed ops."""

from collections.abc import Callable, Mapping
from typing import Any

from assay.ops._base import (
    REQUIRED,
    Choice,
    Context,
    Invalid,
    Parameter,
    Params,
    Shape,
    Shapes,
    parameter,
)

CHANNELS_FIRST = "channels_first"


def data_format() -> Parameter:
    """Where the channels are; channels first is the path less tested."""
    return parameter(
        "data_format",
        None,
        valid=("channels_last",),
        boundary=(CHANNELS_FIRST,),
        invalid=("channels_middle", 1),
    )


def padding(*more: str) -> Parameter:
    """Padding by name."""
    return parameter(
        "padding", "valid", valid=("valid", "same"), boundary=more, invalid=("full", -1, None)
    )


def spatial(params: Params, shape: Shape) -> Shape:
    """The spatial lengths of a shape with batch and channels."""
    return shape[2:] if params.get("data_format") == CHANNELS_FIRST else shape[1:-1]


def channels(params: Params, shape: Shape) -> int:
    """The number of channels of a shape with batch and channels."""
    return shape[1] if params.get("data_format") == CHANNELS_FIRST else shape[-1]


def with_spatial(params: Params, shape: Shape, lengths: Shape, depth: int) -> Shape:
    """A shape with that batch, those spatial lengths and that many channels."""
    if params.get("data_format") == CHANNELS_FIRST:
        return (shape[0], depth, *lengths)
    return (shape[0], *lengths, depth)


def spread(value: Any, count: int) -> tuple[int, ...]:
    """A parameter that may be one number for all axes, as one number per axis."""
    if isinstance(value, int):
        return (value,) * count
    items = tuple(value)
    if len(items) != count:
        raise Invalid(f"{value!r} has {len(items)} numbers; expected {count}")
    return items


def window_lengths(
    lengths: Shape, kernel: Shape, strides: Shape, mode: str, dilation: Shape
) -> Shape:
    """Output lengths of a window that slides; ``Invalid`` if it does not fit."""
    result = []
    for length, size, step, gap in zip(lengths, kernel, strides, dilation, strict=True):
        reach = gap * (size - 1) + 1
        if size < 1 or step < 1 or gap < 1 or length < 1:
            raise Invalid("kernel, strides, dilation and input must be positive")
        if mode == "valid" and reach > length:
            raise Invalid(f"a window of {reach} does not fit into {length}")
        covered = length - reach + 1 if mode == "valid" else length
        result.append(-(-covered // step))
    return tuple(result)


# ------------------------------------------------------------ value choices


def _lengths(context: Context) -> Shape:
    return spatial(context.params, context.shapes[0])


def _as_large_as_input(context: Context) -> Any:
    return _lengths(context)


def _larger_than_input(context: Context) -> Any:
    return tuple(length + 1 for length in _lengths(context))


def _larger_with_same(context: Context) -> Any:
    if context.params.get("padding", "valid") == "valid":
        raise Invalid("needs padding same")
    return _larger_than_input(context)


def _larger_with_valid(context: Context) -> Any:
    if context.params.get("padding", "valid") != "valid":
        raise Invalid("needs padding valid")
    return _larger_than_input(context)


def _asymmetric(context: Context) -> Any:
    count = len(_lengths(context))
    first = context.draw.between(1, 3)
    return (first, *(first % 3 + 1 for _ in range(count - 1)))


def _too_many(context: Context) -> Any:
    return (2,) * (len(_lengths(context)) + 1)


def asymmetric(axes: int) -> tuple[Choice, ...]:
    """Different numbers for different axes, where there is more than one."""
    return (Choice("asymmetric", make=_asymmetric),) if axes > 1 else ()


def kernel(name: str, axes: int, default: Any = REQUIRED) -> Parameter:
    """A window's size; draw it after padding and data_format."""
    return parameter(
        name,
        default,
        valid=(2, 3),
        boundary=(
            1,
            4,
            *asymmetric(axes),
            Choice("equal_input", make=_as_large_as_input),
            Choice("greater_input", make=_larger_with_same),
        ),
        invalid=(
            0,
            -1,
            "three",
            Choice("greater_input", make=_larger_with_valid),
            Choice("too_many", make=_too_many),
        ),
    )


def strides(axes: int, default: Any) -> Parameter:
    """The step of a window."""
    return parameter(
        "strides",
        default,
        valid=(1, 2),
        boundary=(3, *asymmetric(axes)),
        invalid=(0, -1, "two", Choice("too_many", make=_too_many)),
    )


# ------------------------------------------------------------------ relations


def relations(kernel_name: str) -> Mapping[str, Callable[[Params, Shapes], bool]]:
    """What can hold between kernel, strides and input; some axis is enough."""

    def per_axis(test: Callable[[int, int, int], bool]) -> Callable[[Params, Shapes], bool]:
        def holds(params: Params, shapes: Shapes) -> bool:
            lengths = spatial(params, shapes[0])
            sizes = spread(params[kernel_name], len(lengths))
            given = params["strides"]
            steps = spread(params[kernel_name] if given is None else given, len(lengths))
            return any(map(test, sizes, steps, lengths))

        return holds

    return {
        "kernel<stride": per_axis(lambda size, step, length: size < step),
        "kernel=input": per_axis(lambda size, step, length: size == length),
        "kernel>input": per_axis(lambda size, step, length: size > length),
        "even_kernel": per_axis(lambda size, step, length: size % 2 == 0),
        "stride_leaves_rest": per_axis(lambda size, step, length: (length - size) % step != 0),
    }
