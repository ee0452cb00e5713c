"""What functions of several families take: parameters, and shapes that fit."""

from collections.abc import Callable
from typing import Any

import msgspec

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
from assay.ops._draw import Draw
from assay.ops.keras._common import flag

KEEPDIMS = flag("keepdims", False)


def dtype_parameter(*values: str) -> Parameter:
    """A ``dtype`` argument: None (the library's rule) or the name of one.

    By default float32 only: what NaN becomes as an integer is nobody's promise,
    and half precision would be mistaken for a wrong answer.
    """
    names = values or ("float32",)
    return parameter(
        "dtype", None, valid=(None, names[0]), boundary=names[1:], invalid=("no_such",)
    )


def whole(
    name: str,
    default: Any,
    valid: tuple[Any, ...],
    boundary: tuple[Any, ...] = (),
    invalid: tuple[Any, ...] = ("three", 1.5),
) -> Parameter:
    """A parameter that is a whole number."""
    return parameter(name, default, valid, boundary, invalid)


#: A shape argument of a creation function.
SHAPE = parameter(
    "shape",
    valid=((3, 4), (2, 3, 5), (5,)),
    boundary=((), (0, 3), (1, 1)),
    invalid=((-1, 2), "3x4", (2.5,)),
)


def given_shape(params: Params, shapes: Shapes) -> Shapes:
    """The shape that the ``shape`` parameter asks for; one number is one axis."""
    value = params["shape"]
    lengths = (value,) if isinstance(value, int) else tuple(value)
    if any(not isinstance(item, int) or item < 0 for item in lengths):
        raise Invalid(f"shape {value!r}")
    return (lengths,)


def rank_of(context: Context) -> int:
    """The rank of the first tensor."""
    return len(context.shapes[0])


def any_axis(context: Context) -> int:
    """One of the axes of the first tensor."""
    if not rank_of(context):
        raise Invalid("a scalar has no axis")
    return context.draw.below(rank_of(context))


def negative_axis(context: Context) -> int:
    """One of the axes of the first tensor, counted from the end."""
    return any_axis(context) - rank_of(context)


def axis_of(name: str, default: Any = REQUIRED) -> Parameter:
    """One of two axis parameters of a function that pairs axes."""
    return parameter(
        name,
        default,
        valid=(Choice("any", make=any_axis),),
        boundary=(Choice("negative", make=negative_axis),),
        invalid=(
            Choice("out_of_range", make=rank_of),
            Choice("negative_out_of_range", make=lambda context: -rank_of(context) - 1),
        ),
    )


def per_axis(context: Context) -> Any:
    """Another number for each neighbouring axis of an image."""
    count = len(context.shapes[0]) - 2
    if count < 2:
        raise Invalid("one axis")
    first = context.draw.between(1, 3)
    return (first, *(first % 3 + 1 for _ in range(count - 1)))


def too_many_axes(context: Context) -> Any:
    """A number for one axis more than an image has."""
    return (2,) * (len(context.shapes[0]) - 1)


def fitting(item: Parameter, fits: Callable[[Context, Any], bool]) -> Parameter:
    """The parameter without the legal values that do not fit the tensors at hand."""

    def narrowed(choice: Choice) -> Choice:
        def make(context: Context) -> Any:
            value = choice.draw(context)
            if not fits(context, value):
                raise Invalid(f"{item.name}={value!r} does not fit")
            return value

        return Choice(choice.label, make=make)

    return msgspec.structs.replace(
        item,
        valid=tuple(map(narrowed, item.valid)),
        boundary=tuple(map(narrowed, item.boundary)),
    )


def square(draw: Draw, shape: Shape) -> Shape:
    """The shape as square matrices, of at least one row."""
    size = max(1, shape[-1])
    return (*shape[:-2], size, size)


def multiple_of(count: int, axis: int, draw: Draw, shape: Shape) -> Shape:
    """The shape with a length that is a multiple."""
    length = max(1, shape[axis] // count) * count
    result = list(shape)
    result[axis] = length
    return tuple(result)
