"""Convolutions and poolings: the same windows over images in other layouts.

The shared ones are ``keras.ops.conv``, ``max_pool`` and ``average_pool`` with the channels
last, after an explicit ``keras.ops.pad``.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from assay.ir import Node
from assay.libraries.word import Untold, Word, Writer
from assay.ops import (
    REQUIRED,
    Choice,
    Context,
    Draw,
    Invalid,
    OpSpec,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops.windows import spread

_CHANNELS_LAST = "NHWC"
_SHARED_KERNEL = "HWIO"
CONV = "keras.ops.conv"
#: Padding before and after the rows, and before and after the columns.
Pads = tuple[tuple[int, int], tuple[int, int]]
_NO_PADS: Pads = ((0, 0), (0, 0))


def _even(value: Any) -> Pads:
    """Padding that is told as one number, or as one for rows and one for columns."""
    rows, columns = spread(value, 2)
    return (rows, rows), (columns, columns)


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """How a library's function is told about its windows; names are those of its parameters.

    ``padded`` makes the value of its padding, ``pads`` reads it; without ``padding`` it has
    none. ``groups`` is empty where the kernel says it. ``pair``: strides and dilations are
    always two numbers; ``uneven``: paddings before and after may differ; ``said``: strides and
    padding have no default. ``given`` are further parameters of a pooling.
    """

    images: str = "NCHW"
    kernels: str = "OIHW"
    strides: str = "stride"
    padding: str = "padding"
    dilations: str = "dilation"
    groups: str = "groups"
    size: str = "kernel_size"
    pair: bool = False
    padded: Callable[[Pads], Any] = lambda pads: (pads[0][0], pads[1][0])
    pads: Callable[[Any], Pads] = _even
    uneven: bool = False
    said: bool = False
    given: dict[str, Any] = {}


def _permutation(source: str, wanted: str) -> tuple[int, ...]:
    return tuple(source.index(letter) for letter in wanted)


def _turned(writer: Writer, tensor: Any, source: str, wanted: str) -> Any:
    if source == wanted:
        return tensor
    return writer.shared("keras.ops.transpose", tensor, axes=_permutation(source, wanted))


def _lengths(shape: Shape, layout: str) -> tuple[int, int]:
    return shape[layout.index("H")], shape[layout.index("W")]


def _same_pads(lengths: Sequence[int], sizes: Sequence[int], steps: Sequence[int]) -> Pads:
    found = []
    for length, size, step in zip(lengths, sizes, steps, strict=True):
        total = max(0, (-(-length // step) - 1) * step + size - length)
        found.append((total // 2, total - total // 2))
    return found[0], found[1]


def grouped(shared: OpSpec) -> OpSpec:
    """The shared convolution, in groups too: it computes them, though none are drawn for it."""

    def rule(params: Params, shapes: Shapes) -> Shapes:
        images, kernel = shapes
        place = 1 if params.get("data_format") == "channels_first" else len(images) - 1
        inner = kernel[-2]
        if inner < 1 or images[place] % inner or kernel[-1] % (images[place] // inner or 1):
            raise Invalid("channels and groups do not go together")
        group = (*images[:place], inner, *images[place + 1 :])
        return shared.rule(params, (group, kernel))

    return msgspec.structs.replace(shared, rule=rule)


def convolution(name: str, layout: Layout) -> Word:
    """A two-dimensional convolution with a kernel as a tensor."""
    defaults: Params = {
        layout.strides: 1,
        layout.dilations: 1,
        **({layout.padding: layout.padded(_NO_PADS)} if layout.padding else {}),
    }

    def read(params: Params) -> tuple[Shape, Pads, Shape]:
        complete = {**defaults, **params}
        pads = layout.pads(complete[layout.padding])
        return spread(complete[layout.strides], 2), pads, spread(complete[layout.dilations], 2)

    def rule(params: Params, shapes: Shapes) -> Shapes:
        images, kernel = shapes
        steps, pads, dilations = read(params)
        depth, inner = images[layout.images.index("C")], kernel[layout.kernels.index("I")]
        count = kernel[layout.kernels.index("O")]
        if inner < 1 or depth % inner or count % (depth // inner):
            raise Invalid("channels and groups do not go together")
        if layout.groups and params.get(layout.groups) != depth // inner:
            raise Invalid("the kernel says how many groups there are")
        sizes = _lengths(kernel, layout.kernels)
        found = {"N": images[layout.images.index("N")], "C": count}
        for letter, length, size, step, (before, after), dilation in zip(
            "HW", _lengths(images, layout.images), sizes, steps, pads, dilations, strict=True
        ):
            reach = length + before + after - (size - 1) * dilation - 1
            if reach < 0 or length < 1 or size < 1:
                raise Invalid("the kernel is larger than the image")
            found[letter] = reach // step + 1
        return (tuple(found[letter] for letter in layout.images),)

    def kernels(draw: Draw, first: Shape) -> Shapes:
        depth = first[layout.images.index("C")]
        groups = draw.pick(tuple(n for n in (1, 1, 1, 2, 3) if depth % n == 0)) if depth else 1
        sizes = {
            "H": draw.between(1, 4),
            "W": draw.between(1, 4),
            "I": depth // groups,
            "O": groups * draw.between(1, 3),
        }
        return (tuple(sizes[letter] for letter in layout.kernels),)

    def groups(context: Context) -> int:
        images, kernel = context.shapes
        inner = kernel[layout.kernels.index("I")]
        return images[layout.images.index("C")] // max(1, inner)

    sizes = ((1, 1), (2, 2), (1, 2), (2, 1)) if layout.pair else (1, 2, (1, 2), (2, 1))
    pads: list[Pads] = [((1, 1), (1, 1)), ((1, 1), (0, 0)), ((2, 2), (1, 1))]
    if layout.uneven:
        pads.append(((0, 1), (1, 0)))
    parameters = [
        parameter(layout.strides, REQUIRED if layout.said else sizes[0], sizes, ((3, 3),)),
        parameter(
            layout.padding,
            REQUIRED if layout.said else layout.padded(_NO_PADS),
            tuple(layout.padded(item) for item in (_NO_PADS, *pads)),
        ),
        parameter(layout.dilations, sizes[0], sizes[:1], sizes[1:3]),
    ]
    if layout.groups:
        parameters.append(parameter(layout.groups, valid=(Choice("fitting", make=groups),)))
    spec = OpSpec(
        name=name,
        rule=rule,
        tensors=(Tensor(ranks=(4,)), Tensor(ranks=(4,))),
        companions=kernels,
        parameters=tuple(parameters),
        solitary=True,
    )

    def to_shared(node: Node, writer: Writer) -> None:
        images, kernel = node.inputs
        steps, pads, dilations = read(node.params)
        x = _turned(writer, images, layout.images, _CHANNELS_LAST)
        if pads != _NO_PADS:
            x = writer.shared("keras.ops.pad", x, pad_width=((0, 0), *pads, (0, 0)))
        k = _turned(writer, kernel, layout.kernels, _SHARED_KERNEL)
        y = writer.shared(
            CONV,
            x,
            k,
            strides=steps,
            padding="valid",
            data_format="channels_last",
            dilation_rate=dilations,
        )
        _turned(writer, y, _CHANNELS_LAST, layout.images)

    def from_shared(node: Node, writer: Writer) -> None:
        images, kernel = node.inputs
        first = node.params.get("data_format") == "channels_first"
        theirs = "NCHW" if first else _CHANNELS_LAST
        shape, window = writer.shape(images), writer.shape(kernel)
        if len(shape) != 4:
            raise Untold(f"{name} is for images")
        steps = spread(node.params.get("strides", 1), 2)
        dilations = spread(node.params.get("dilation_rate", 1), 2)
        pads = _NO_PADS
        if node.params.get("padding", "valid") == "same":
            reach = [
                (size - 1) * dilation + 1
                for size, dilation in zip(_lengths(window, "HWIO"), dilations, strict=True)
            ]
            pads = _same_pads(_lengths(shape, theirs), reach, steps)
        x = _turned(writer, images, theirs, layout.images)
        if any(before != after for before, after in pads) and not layout.uneven:
            placed = {"H": pads[0], "W": pads[1]}
            width = tuple(placed.get(letter, (0, 0)) for letter in layout.images)
            x, pads = writer.shared("keras.ops.pad", x, pad_width=width), _NO_PADS
        k = _turned(writer, kernel, _SHARED_KERNEL, layout.kernels)
        params = {
            layout.strides: steps,
            layout.padding: layout.padded(pads),
            layout.dilations: dilations,
        }
        if layout.groups:
            params[layout.groups] = shape[theirs.index("C")] // max(1, window[2])
        y = writer.write(name, x, k, **params, **layout.given)
        _turned(writer, y, layout.images, theirs)

    return Word(name=name, means=CONV, spec=spec, to_shared=to_shared, from_shared=from_shared)


def pooling(name: str, means: str, layout: Layout) -> Word:
    """A two-dimensional pooling without padding."""
    shared = f"keras.ops.{means}"

    def rule(params: Params, shapes: Shapes) -> Shapes:
        (images,) = shapes
        sizes = spread(params[layout.size], 2)
        steps = spread(params[layout.strides], 2)
        found = dict(zip(layout.images, images, strict=True))
        for letter, size, step in zip("HW", sizes, steps, strict=True):
            if found[letter] < size:
                raise Invalid("the window is larger than the image")
            found[letter] = (found[letter] - size) // step + 1
        return (tuple(found[letter] for letter in layout.images),)

    sizes = ((1, 1), (2, 2), (3, 3), (2, 1)) if layout.pair else (1, 2, 3, (2, 1), (1, 3))
    spec = OpSpec(
        name=name,
        rule=rule,
        tensors=(Tensor(ranks=(4,)),),
        parameters=(
            parameter(layout.size, valid=sizes),
            parameter(layout.strides, valid=sizes),
            *(parameter(key, valid=(value,)) for key, value in layout.given.items()),
        ),
    )

    def to_shared(node: Node, writer: Writer) -> None:
        x = _turned(writer, node.inputs[0], layout.images, _CHANNELS_LAST)
        y = writer.shared(
            shared,
            x,
            pool_size=spread(node.params[layout.size], 2),
            strides=spread(node.params[layout.strides], 2),
            padding="valid",
            data_format="channels_last",
        )
        _turned(writer, y, _CHANNELS_LAST, layout.images)

    def from_shared(node: Node, writer: Writer) -> None:
        (images,) = node.inputs
        theirs = "NCHW" if node.params.get("data_format") == "channels_first" else _CHANNELS_LAST
        if len(writer.shape(images)) != 4 or node.params.get("padding", "valid") != "valid":
            raise Untold(f"{name} is for images, without padding")
        size = spread(node.params["pool_size"], 2)
        step = node.params.get("strides")
        steps = size if step is None else spread(step, 2)
        x = _turned(writer, images, theirs, layout.images)
        params = {layout.size: size, layout.strides: steps}
        y = writer.write(name, x, **params, **layout.given)
        _turned(writer, y, layout.images, theirs)

    return Word(name=name, means=shared, spec=spec, to_shared=to_shared, from_shared=from_shared)
