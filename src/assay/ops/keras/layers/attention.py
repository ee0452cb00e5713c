"""Attention layers."""

from typing import Any

import msgspec

from assay.ops._base import (
    Choice,
    Context,
    Invalid,
    OpSpec,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops.keras._common import MASK, flag
from assay.ops.shapes import axes

_SCORES = msgspec.structs.replace(flag("return_attention_scores", False), argument=True)
#: Tensors that may be a mask of keys: the slots after query, value and key.
_MASKS = (3, 4)


def _causal(context: Context) -> bool:
    """Causal; seldom together with a mask, which may leave a query nothing to attend to."""
    masked = any(context.shape_of(slot) is not None for slot in _MASKS)
    if masked and not context.draw.chance(0.15):
        raise Invalid("masked otherwise")
    return True


_CAUSAL = parameter(
    "use_causal_mask", False, valid=(False, Choice("True", make=_causal)), argument=True
)
_BIAS = flag("use_bias", True)
_GATE = parameter("use_gate", False, valid=(False,), boundary=(True,))


def _steps(draw: Draw, first: Shape) -> int:
    """How many keys there are: as many as queries, or not."""
    return first[1] if draw.chance(0.4) else draw.between(1, 5)


# --------------------------------------------------- attention on a list of tensors


def _list_companions(draw: Draw, first: Shape) -> Shapes:
    value = (first[0], _steps(draw, first), first[2])
    return (value, value, first[:2], value[:2])


def _list_rule(params: Params, shapes: Shapes) -> Shapes:
    query, value = shapes[:2]
    scores = (query[0], query[1], value[1])
    return (query, scores) if params["return_attention_scores"] else (query,)


def _on_list(name: str, *parameters: Any) -> OpSpec:
    tensor = Tensor(ranks=(3,), dtypes=("float32", "float16"))
    return OpSpec(
        name=f"keras.layers.{name}",
        rule=_list_rule,
        tensors=(tensor, tensor, Tensor(ranks=(3,), optional=True), MASK, MASK),
        companions=_list_companions,
        parameters=(*parameters, _SCORES, _CAUSAL),
        grouped=True,
        weights=("scale", "concat_score_weight"),
    )


# ------------------------------------------------------------ projected attention


def _window(context: Context) -> int:
    """A band narrower than the keys."""
    _causal(context)
    if len(context.shapes[0]) != 3 or context.shapes[1][1] < 2:
        raise Invalid("needs two keys on one axis")
    return context.shapes[1][1] - 1


_WINDOW = parameter(
    "sliding_window",
    None,
    valid=(None,),
    boundary=(1, Choice("narrow", make=_window), 9),
    invalid=(0, -1, "one"),
)


def _companions(draw: Draw, first: Shape) -> Shapes:
    if len(first) == 4:
        # Attention along one axis needs the other to agree; so all have the same lengths.
        return (first, first)
    depth = first[2] if draw.chance(0.5) else draw.between(2, 5)
    value = (first[0], _steps(draw, first), depth)
    key = value if draw.chance(0.6) else (*value[:2], draw.between(2, 5))
    pairs = (first[0], first[1], value[1])
    if draw.chance(0.2):
        pairs = (1, *pairs[1:])
    return (value, key, pairs, value[:2])


def _mask(keyword: str, rank: int) -> Tensor:
    return msgspec.structs.replace(MASK, keyword=keyword, ranks=(rank,))


def _tensors(*ranks: int) -> tuple[Tensor, ...]:
    return (
        Tensor(ranks=ranks, dtypes=("float32", "float16")),
        Tensor(ranks=ranks),
        Tensor(ranks=ranks, optional=True),
        _mask("attention_mask", 3),
        _mask("value_mask", 2),
    )


def _only_sequences(params: Params, shapes: Shapes) -> None:
    """What causal and banded masks mean on several axes is not documented."""
    banded = params["use_causal_mask"] or params["sliding_window"] is not None
    if len(shapes[0]) > 3 and banded:
        raise Invalid("masks of several axes")


def _multi_head(params: Params, shapes: Shapes) -> Shapes:
    query, value = shapes[:2]
    _only_sequences(params, shapes)
    given = params["output_shape"]
    if given is None:
        last: Shape = query[-1:]
    else:
        last = (given,) if isinstance(given, int) else tuple(given)
    output = (*query[:-1], *last)
    if not params["return_attention_scores"]:
        return (output,)
    rank = len(query)
    chosen = params["attention_axes"]
    along = axes(chosen, rank) if chosen is not None else tuple(range(1, rank - 1))
    if not all(0 < axis < rank - 1 for axis in along):
        raise Invalid(f"attention_axes {chosen}")
    others = tuple(query[axis] for axis in range(1, rank - 1) if axis not in along)
    ends = (*(query[axis] for axis in along), *(value[axis] for axis in along))
    return (output, (query[0], *others, params["num_heads"], *ends))


def _of_images(value: Any) -> Choice:
    def make(context: Context) -> Any:
        if len(context.shapes[0]) != 4:
            raise Invalid("needs two axes to choose from")
        return value

    return Choice(repr(value).replace(" ", ""), make=make)


def _grouped(params: Params, shapes: Shapes) -> Shapes:
    query, value = shapes[:2]
    heads = params["num_query_heads"]
    if heads % params["num_key_value_heads"]:
        raise Invalid("key heads must divide query heads")
    scores = (query[0], heads, query[1], value[1])
    return (query, scores) if params["return_attention_scores"] else (query,)


def _not_dividing(context: Context) -> int:
    return int(context.params["num_query_heads"]) + 1


def _heads(name: str) -> Any:
    return parameter(name, valid=(2, 3), boundary=(1,), invalid=(0, -1, "two"))


_PROJECTIONS = ("query", "key", "gate", "value", "attention_output")

SPECS = (
    _on_list(
        "Attention",
        flag("use_scale", False),
        parameter("score_mode", "dot", ("dot",), ("concat",), ("general", 1)),
    ),
    _on_list("AdditiveAttention", flag("use_scale", True)),
    OpSpec(
        name="keras.layers.MultiHeadAttention",
        rule=_multi_head,
        tensors=_tensors(3, 3, 4),
        companions=_companions,
        parameters=(
            _heads("num_heads"),
            _heads("key_dim"),
            parameter("value_dim", None, (None,), (1, 4), (0, -1)),
            _BIAS,
            parameter("output_shape", None, (None, 3), ((2,), (2, 3)), (0, "three")),
            parameter(
                "attention_axes",
                None,
                valid=(None,),
                boundary=(_of_images((1,)), _of_images((2,)), _of_images((1, 2)), _of_images(2)),
                invalid=(Choice("out_of_range", (7,)),),
            ),
            _WINDOW,
            _GATE,
            _SCORES,
            _CAUSAL,
        ),
        weights=_PROJECTIONS,
    ),
    OpSpec(
        name="keras.layers.GroupQueryAttention",
        rule=_grouped,
        tensors=_tensors(3),
        companions=_companions,
        parameters=(
            _heads("head_dim"),
            parameter("num_query_heads", valid=(2, 4), boundary=(1, 6), invalid=(0, -1)),
            parameter(
                "num_key_value_heads",
                valid=(1, 2),
                boundary=(Choice("equal", make=lambda c: c.params["num_query_heads"]),),
                invalid=(0, Choice("not_dividing", make=_not_dividing)),
            ),
            _BIAS,
            _WINDOW,
            _GATE,
            _SCORES,
            _CAUSAL,
        ),
        weights=_PROJECTIONS,
    ),
)
