"""Connectionist temporal classification."""

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

SPECS = (
    _CTC_LOSS,
    _CTC_DECODE,
)
