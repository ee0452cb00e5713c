"""Functions of ``keras.ops`` that move pixels between image, channels and patches."""

from math import prod
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
from assay.ops._draw import Draw
from assay.ops.keras.ops._parameters import multiple_of
from assay.ops.windows import CHANNELS_FIRST, spread


def _divided(params: Params, shape: Shape, deeper: bool) -> Shape:
    block = params["block_size"]
    first = params["data_format"] == CHANNELS_FIRST
    depth, height, width = shape[1:] if first else (shape[3], shape[1], shape[2])
    if deeper:
        if height % block or width % block:
            raise Invalid("blocks do not divide the image")
        found = (depth * block * block, height // block, width // block)
    else:
        if depth % (block * block):
            raise Invalid("blocks do not divide the channels")
        found = (depth // (block * block), height * block, width * block)
    return (shape[0], *found) if first else (shape[0], found[1], found[2], found[0])


def _deep(draw: Draw, shape: Shape) -> Shape:
    return multiple_of(draw.pick((4, 4, 8, 9)), draw.pick((1, 3, 3)), draw, shape)


def _large(draw: Draw, shape: Shape) -> Shape:
    block = draw.pick((2, 2, 3))
    start = draw.pick((1, 1, 2))
    shape = multiple_of(block, start, draw, shape)
    return multiple_of(block, start + 1, draw, shape)


def _space(name: str, deeper: bool) -> OpSpec:
    return OpSpec(
        name=f"keras.ops.{name}",
        rule=lambda params, shapes: (_divided(params, shapes[0], deeper),),
        tensors=(Tensor(ranks=(4,), dtypes=("float32", "int32"), fit=_large if deeper else _deep),),
        parameters=(
            parameter("block_size", valid=(2,), boundary=(3,), invalid=(0, 1, -1, "two", 1.5)),
            parameter(
                "data_format",
                "channels_last",
                valid=("channels_last",),
                boundary=(CHANNELS_FIRST,),
                invalid=("channels_middle",),
            ),
        ),
    )


def _patch(params: Params, lengths: Shape) -> Shape:
    sizes = spread(params["kernel_size"], 2)
    gaps, around = spread(params["dilation"], 2), spread(params["padding"], 2)
    steps = spread(params["stride"], 2)
    if min(sizes) < 1 or min(gaps) < 1 or min(steps) < 1 or min(around) < 0:
        raise Invalid("kernel, dilation and stride must be positive")
    found = tuple(
        (length + 2 * pad - gap * (size - 1) - 1) // step + 1
        for length, pad, gap, size, step in zip(lengths, around, gaps, sizes, steps, strict=True)
    )
    if min(found) < 1:
        raise Invalid("the window does not fit")
    return found


def _unfold(params: Params, shapes: Shapes) -> Shapes:
    batch, depth, *lengths = shapes[0]
    count = prod(_patch(params, tuple(lengths)))
    return ((batch, depth * prod(spread(params["kernel_size"], 2)), count),)


def _fold(params: Params, shapes: Shapes) -> Shapes:
    batch, rows, count = shapes[0]
    size = prod(spread(params["kernel_size"], 2))
    lengths = spread(params["output_size"], 2)
    if rows % size or min(lengths) < 1 or prod(_patch(params, lengths)) != count:
        raise Invalid("the patches are not those of such an image")
    return ((batch, rows // size, *lengths),)


def _unfolded(context: Context) -> Any:
    """The image whose patches these could be; their number is split into rows and columns."""
    count = context.shapes[0][2]
    rows = context.draw.pick([n for n in range(1, count + 1) if count % n == 0])
    params = {"dilation": 1, "padding": 0, "stride": 1, **context.params}
    sizes = spread(params["kernel_size"], 2)
    gaps, around = spread(params["dilation"], 2), spread(params["padding"], 2)
    steps = spread(params["stride"], 2)
    return tuple(
        (patches - 1) * step + gap * (size - 1) + 1 - 2 * pad
        for patches, step, gap, size, pad in zip(
            (rows, count // rows), steps, gaps, sizes, around, strict=True
        )
    )


def _pairs(name: str, default: Any, valid: tuple[Any, ...], *boundary: Any) -> Parameter:
    given = {} if default is None else {"default": default}
    return parameter(name, **given, valid=valid, boundary=boundary, invalid=(-1, "one", (1, 2, 3)))


_PATCHES = (
    _pairs("kernel_size", None, (2, (2, 3)), 1, (1, 2), 3, (3, 1)),
    _pairs("dilation", 1, (1,), 2, (2, 1), (1, 3)),
    _pairs("padding", 0, (0, 1), (1, 0), 2),
    _pairs("stride", 1, (1, 2), (1, 2), 3),
)
_OUTPUT_SIZE = parameter(
    "output_size",
    valid=(Choice("matching", make=_unfolded),),
    invalid=(0, -1, "two", (1, 2, 3), Choice("other", make=lambda c: (97, 89))),
)
_BLOCKS = (
    _space("depth_to_space", deeper=False),
    _space("space_to_depth", deeper=True),
    OpSpec(
        name="keras.ops.unfold",
        rule=_unfold,
        tensors=(Tensor(ranks=(4,)),),
        parameters=_PATCHES,
    ),
    OpSpec(
        name="keras.ops.fold",
        rule=_fold,
        tensors=(
            Tensor(
                ranks=(3,),
                fit=lambda draw, shape: multiple_of(draw.pick((2, 4, 6, 9, 12)), 1, draw, shape),
            ),
        ),
        parameters=(*_PATCHES, _OUTPUT_SIZE),
    ),
)


SPECS = _BLOCKS
