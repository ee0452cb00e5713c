"""Attention and connectionist temporal classification of ``keras.ops``."""

from assay.ops._base import (
    Choice,
    Domain,
    Invalid,
    OpSpec,
    Params,
    Shape,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops.keras._common import flag
from assay.ops.keras.ops_common import FLOATS

# ---------------------------------------------------------------- attention


def _key_and_value(draw: Draw, first: Shape) -> Shapes:
    batch, queries, heads, size = first
    groups = [count for count in range(1, heads + 1) if heads % count == 0]
    kept = heads if draw.chance(0.7) else draw.pick(groups)
    key = (batch, draw.between(1, 6), kept, size)
    weights = (batch, heads, queries, key[1])
    wide = tuple(1 if draw.chance(0.2) else length for length in weights)
    return key, key, wide, wide


def _attention(params: Params, shapes: Shapes) -> Shapes:
    query, key, value = shapes[:3]
    if key != value or query[2] % max(key[2], 1):
        raise Invalid(f"key {key} and value {value} for query {query}")
    return (query,)


_ATTENTION = OpSpec(
    name="keras.ops.dot_product_attention",
    rule=_attention,
    tensors=(
        Tensor(ranks=(4,), dtypes=FLOATS),
        Tensor(ranks=(4,), dtypes=FLOATS),
        Tensor(ranks=(4,), dtypes=FLOATS),
        Tensor(ranks=(4,), dtypes=FLOATS, keyword="bias", optional=True),
        Tensor(ranks=(4,), dtypes=("bool",), keyword="mask", optional=True),
    ),
    companions=_key_and_value,
    parameters=(
        parameter("scale", None, (0.5, None), (1.0, 0.0), ("large",)),
        flag("is_causal", False),
        parameter("flash_attention", None, (None, False)),
    ),
    relations={"grouped": lambda params, shapes: shapes[0][2] != shapes[1][2]},
)

# ---------------------------------------------------------------------- CTC


def _speech(draw: Draw, first: Shape) -> Shapes:
    """Logits over enough steps for any label, and the two lengths."""
    batch, labels = first
    steps = 2 * labels + draw.between(1, 3)
    return ((batch, steps, draw.between(3, 5)), (batch,), (batch,))


def _label_ids(params: Params, shapes: Shapes) -> tuple[float, float]:
    classes = shapes[1][-1]
    return (1, classes - 1) if params["mask_index"] == 0 else (0, classes - 2)


_CTC_LOSS = OpSpec(
    name="keras.ops.ctc_loss",
    rule=lambda params, shapes: ((shapes[0][0],),),
    tensors=(
        Tensor(
            ranks=(2,),
            dtypes=("int32",),
            domain=Domain(kind="ids", special=False),
            limits=_label_ids,
        ),
        Tensor(ranks=(3,), domain=Domain(classes=("zero", "one", "tied", "wide", "large_mean"))),
        Tensor(
            ranks=(1,),
            dtypes=("int32",),
            domain=Domain(kind="ids", special=False),
            limits=lambda params, shapes: (1, shapes[0][1]),
        ),
        Tensor(
            ranks=(1,),
            dtypes=("int32",),
            domain=Domain(kind="ids", special=False),
            limits=lambda params, shapes: (2 * shapes[0][1], shapes[1][1]),
        ),
    ),
    companions=_speech,
    parameters=(
        parameter(
            "mask_index",
            0,
            valid=(0,),
            boundary=(Choice("last", make=lambda context: context.shapes[1][-1] - 1),),
            invalid=("blank",),
        ),
    ),
)


def _decoded(params: Params, shapes: Shapes) -> Shapes:
    batch, steps, _ = shapes[0]
    if params["strategy"] == "greedy":
        if params["top_paths"] != 1:
            raise Invalid("greedy has one path")
        return (1, batch, steps), (batch, 1)
    if params["top_paths"] > params["beam_width"]:
        raise Invalid("more paths than beams")
    return (params["top_paths"], batch, steps), (batch, params["top_paths"])


_CTC_DECODE = OpSpec(
    name="keras.ops.ctc_decode",
    rule=_decoded,
    tensors=(
        Tensor(ranks=(3,), domain=Domain(classes=("zero", "one", "wide", "large_mean"))),
        Tensor(
            ranks=(1,),
            dtypes=("int32",),
            domain=Domain(kind="ids", special=False),
            limits=lambda params, shapes: (1, shapes[0][1]),
        ),
    ),
    companions=lambda draw, first: ((first[0],),),
    parameters=(
        parameter("strategy", "greedy", valid=("greedy",), invalid=("fast", 1)),
        flag("merge_repeated", True),
        parameter("top_paths", 1, (1,)),
        parameter(
            "mask_index",
            0,
            valid=(0,),
            boundary=(Choice("last", make=lambda context: context.shapes[0][-1] - 1),),
        ),
    ),
    differentiable=False,
    solitary=True,
)


SPECS = (_ATTENTION, _CTC_LOSS, _CTC_DECODE)
