"""Words that move elements, and say so in ways of their own."""

from collections.abc import Callable
from typing import Any

from assay.ir import Node
from assay.libraries.word import Untold, Word, Writer
from assay.ops import Choice, Context, Invalid, OpSpec, Params, Shapes, Tensor, parameter
from assay.ops.keras.layers.padding import before_and_after

_TRANSPOSE, _PAD = "keras.ops.transpose", "keras.ops.pad"
#: Pairs (before, after), one for each axis.
Pairs = tuple[tuple[int, int], ...]


def transposing(name: str, axes: str) -> Word:
    """A permutation of all axes, each of which must be named."""

    def order(context: Context) -> tuple[int, ...]:
        return tuple(context.draw.order(range(len(context.shapes[0]))))

    def rule(params: Params, shapes: Shapes) -> Shapes:
        if sorted(params[axes]) != list(range(len(shapes[0]))):
            raise Invalid("no permutation")
        return (tuple(shapes[0][axis] for axis in params[axes]),)

    def to_shared(node: Node, writer: Writer) -> None:
        writer.shared(_TRANSPOSE, *node.inputs, axes=node.params[axes])

    def from_shared(node: Node, writer: Writer) -> None:
        chosen = node.params.get("axes")
        if chosen is None:
            chosen = tuple(reversed(range(len(writer.shape(node.inputs[0])))))
        rank = len(chosen)
        params = {axes: tuple(axis % rank if rank else axis for axis in chosen)}
        writer.write(name, *node.inputs, **params)

    spec = OpSpec(
        name=name,
        rule=rule,
        tensors=(Tensor(ranks=(1, 2, 3, 4)),),
        parameters=(parameter(axes, valid=(Choice("permutation", make=order),)),),
    )
    return Word(
        name=name, means=_TRANSPOSE, spec=spec, to_shared=to_shared, from_shared=from_shared
    )


def padding(
    name: str,
    width: str,
    write: Callable[[Pairs], Any],
    read: Callable[[Any, int], Pairs],
    **given: Any,
) -> Word:
    """Zeros around a tensor; ``write`` and ``read`` are how the widths are told."""

    def widths(context: Context) -> Any:
        draw = context.draw
        return write(tuple((draw.between(0, 2), draw.between(0, 2)) for _ in context.shapes[0]))

    def rule(params: Params, shapes: Shapes) -> Shapes:
        pairs = read(params[width], len(shapes[0]))
        return (tuple(n + sum(pair) for n, pair in zip(shapes[0], pairs, strict=True)),)

    def to_shared(node: Node, writer: Writer) -> None:
        rank = len(writer.shape(node.inputs[0]))
        writer.shared(_PAD, *node.inputs, pad_width=read(node.params[width], rank))

    def from_shared(node: Node, writer: Writer) -> None:
        if node.params.get("mode", "constant") != "constant" or node.params.get("constant_values"):
            raise Untold(f"{name} pads with zeros")
        asked = node.params["pad_width"]
        if isinstance(asked, int) or len(asked) == 1:
            asked = before_and_after(asked, len(writer.shape(node.inputs[0])))
        pairs = tuple((int(before), int(after)) for before, after in asked)
        writer.write(name, *node.inputs, **{width: write(pairs)}, **given)

    spec = OpSpec(
        name=name,
        rule=rule,
        tensors=(Tensor(ranks=(1, 2, 3, 4)),),
        parameters=(parameter(width, valid=(Choice("each_axis", make=widths),)),),
    )
    return Word(name=name, means=_PAD, spec=spec, to_shared=to_shared, from_shared=from_shared)


def pairs_as_given(value: Any, rank: int) -> Pairs:
    """Widths that are told as pairs."""
    return tuple((before, after) for before, after in value)
