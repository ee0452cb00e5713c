"""Cells around a tensor."""

from collections.abc import Callable
from typing import Any

from assay.ops._base import Choice, Context, Invalid, OpSpec, Params, Shapes, Tensor, parameter
from assay.ops.keras.layers.padding import before_and_after

#: How much more than a length a mode can pad: it repeats what is there.
_EXCESS = {"reflect": -1, "symmetric": 0}


def _pad(params: Params, shapes: Shapes) -> Shapes:
    pairs = before_and_after(params["pad_width"], len(shapes[0]))
    mode = params["mode"]
    if mode != "constant" and params["constant_values"] is not None:
        raise Invalid("constant_values need mode constant")
    for length, pair in zip(shapes[0], pairs, strict=True):
        if mode in _EXCESS and max(pair) > max(0, length + _EXCESS[mode]):
            raise Invalid(f"mode {mode} cannot pad {pair} around {length}")
    return (tuple(n + sum(pair) for n, pair in zip(shapes[0], pairs, strict=True)),)


def _each(context: Context, largest: int) -> Any:
    draw = context.draw
    return tuple((draw.between(0, largest), draw.between(0, largest)) for _ in context.shapes[0])


def _one_axis(context: Context) -> Any:
    chosen = context.draw.below(len(context.shapes[0]))
    return tuple((2, 1) if axis == chosen else (0, 0) for axis in range(len(context.shapes[0])))


def _too_many(context: Context) -> Any:
    return ((1, 1),) * (len(context.shapes[0]) + 1)


def _too_wide(context: Context) -> Any:
    if context.params.get("mode") != "reflect" or not min(context.shapes[0]):
        raise Invalid("only reflect has a limit that all document")
    return tuple((length, 0) for length in context.shapes[0])


_PAD_WIDTH = parameter(
    "pad_width",
    valid=(1, Choice("per_axis", make=lambda context: _each(context, 2))),
    boundary=(
        0,
        2,
        ((1, 2),),
        Choice("one_axis", make=_one_axis),
        Choice("wide", make=lambda context: _each(context, 4)),
    ),
    invalid=(
        -1,
        "one",
        Choice("too_many", make=_too_many),
        Choice("wider_than_input", make=_too_wide),
    ),
)
_MODE = parameter("mode", "constant", ("reflect", "symmetric"), ("constant",), ("mirror", 1))


def _mirrors_several(mode: str, rank: int) -> Callable[[Params, Shapes], bool]:
    """More than the edge itself comes back: how, libraries do in their own way for each rank."""

    def holds(params: Params, shapes: Shapes) -> bool:
        pairs = before_and_after(params["pad_width"], len(shapes[0]))
        return params["mode"] == mode and len(shapes[0]) == rank and max(map(max, pairs)) > 1

    return holds


_RANKS = (1, 2, 3, 4)

SPECS = (
    OpSpec(
        name="keras.ops.pad",
        rule=_pad,
        parameters=(
            _MODE,
            _PAD_WIDTH,
            parameter("constant_values", None, (0.0, 1.5), (float("inf"), -1)),
        ),
        tensors=(Tensor(ranks=_RANKS, dtypes=("float32", "int32")),),
        relations={
            f"{mode} by several of rank {rank}": _mirrors_several(mode, rank)
            for mode in _EXCESS
            for rank in _RANKS
        },
    ),
)
