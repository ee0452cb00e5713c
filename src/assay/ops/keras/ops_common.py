"""What several families of ``keras.ops`` share."""

from collections.abc import Callable
from typing import Any

import msgspec

from assay.ops._base import Choice, Context, Invalid, Parameter, Shape
from assay.ops._draw import Draw

FLOATS = ("float32", "float16")
NUMBERS = ("float32", "int32", "float16")
INTEGERS = ("int32", "uint8")


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
