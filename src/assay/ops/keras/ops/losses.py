"""Cross-entropies, and the signal-to-noise ratio of images."""

from typing import Any

from assay.ops._base import (
    REAL,
    Choice,
    Context,
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
from assay.ops.axes import axis
from assay.ops.keras._common import flag
from assay.ops.keras._labels import one_hot
from assay.ops.keras.ops._parameters import fitting
from assay.ops.shapes import axes, same_shape, unchanged

_UNSIGNED_UNIT = Domain(low=0.02, high=0.98, classes=("zero", "one", "tiny"))


def _logits_or(otherwise: Domain) -> Any:
    def choose(params: Params, shapes: Shapes) -> Domain:
        return REAL if params["from_logits"] else otherwise

    return choose


def _without_axis(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[1]))
    shape = shapes[1]
    if 0 in shape[along : along + 1]:
        raise Invalid("no classes")
    return ((*shape[:along], *shape[along + 1 :]),)


def _sparse(params: Params, shapes: Shapes) -> Shapes:
    (found,) = _without_axis(params, shapes)
    if found != shapes[0]:
        raise Invalid("labels have the shape of the predictions without their classes")
    return (found,)


def _with_classes(draw: Draw, first: Shape) -> Shapes:
    """Predictions for labels: classes mostly along the last axis."""
    place = len(first) if draw.chance(0.75) else draw.below(len(first) + 1)
    return ((*first[:place], draw.between(2, 5), *first[place:]),)


def _class_ids(params: Params, shapes: Shapes) -> tuple[float, float]:
    return 0, shapes[1][params["axis"]] - 1


def _class_axis(context: Context, value: Any) -> bool:
    rank = len(context.shapes[1])
    if not -rank <= value < rank:
        return False
    along = value % rank
    shape = context.shapes[1]
    return context.shapes[0] == (*shape[:along], *shape[along + 1 :])


def _rank_1(context: Context) -> int:
    return len(context.shapes[1])


_CLASS_AXIS = fitting(
    parameter(
        "axis",
        -1,
        valid=(-1, Choice("last", make=lambda context: _rank_1(context) - 1)),
        boundary=(
            Choice("not_last", make=lambda context: context.draw.below(_rank_1(context))),
            Choice("negative", make=lambda c: c.draw.below(_rank_1(c)) - _rank_1(c)),
        ),
        invalid=(Choice("out_of_range", make=_rank_1), "last"),
    ),
    _class_axis,
)
_PROBABILITIES = Domain(low=0.05, high=0.95, special=False)
_LOSSES = (
    OpSpec(
        name="keras.ops.binary_crossentropy",
        rule=unchanged,
        tensors=(
            Tensor(ranks=(1, 2, 3), domain=Domain(low=0.0, high=1.0, classes=("zero", "one"))),
            Tensor(
                ranks=(1, 2, 3),
                domain_for=_logits_or(_UNSIGNED_UNIT),
                alternatives=(_UNSIGNED_UNIT,),
            ),
        ),
        companions=same_shape,
        parameters=(flag("from_logits", False),),
    ),
    OpSpec(
        name="keras.ops.categorical_crossentropy",
        rule=_without_axis,
        tensors=(
            one_hot((1, 2, 3)),
            Tensor(
                ranks=(1, 2, 3),
                domain_for=_logits_or(_PROBABILITIES),
                alternatives=(_PROBABILITIES,),
            ),
        ),
        companions=same_shape,
        parameters=(flag("from_logits", False), axis(default=-1)),
    ),
    OpSpec(
        name="keras.ops.sparse_categorical_crossentropy",
        rule=_sparse,
        tensors=(
            Tensor(ranks=(1, 2), dtypes=("int32",), limits=_class_ids, domain=Domain(kind="ids")),
            Tensor(
                ranks=(2, 3), domain_for=_logits_or(_PROBABILITIES), alternatives=(_PROBABILITIES,)
            ),
        ),
        companions=_with_classes,
        parameters=(flag("from_logits", False), _CLASS_AXIS),
    ),
    OpSpec(
        name="keras.ops.psnr",
        rule=lambda params, shapes: ((),),
        tensors=(Tensor(ranks=(1, 2, 3, 4), dtypes=("float32",), domain=Domain(0.0, 1.0)),),
        companions=same_shape,
        parameters=(parameter("max_val", valid=(1.0, 255), boundary=(0.5,), invalid=("one",)),),
    ),
)

SPECS = (*_LOSSES,)
