"""Losses: of labels and predictions, per sample or reduced."""

from math import prod
from typing import Any

from assay.ops._base import (
    Choice,
    Companions,
    Context,
    Domain,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    Shape,
    ShapeRule,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops._draw import Draw
from assay.ops.axes import axis
from assay.ops.keras import _labels as labels
from assay.ops.keras._common import flag
from assay.ops.shapes import axes

_REDUCTION = parameter(
    "reduction",
    "sum_over_batch_size",
    valid=("sum_over_batch_size", "sum", None, "mean"),
    boundary=("none", "mean_with_sample_weight"),
    invalid=("average", 3),
)
_FROM_LOGITS = flag("from_logits", False)
_SMOOTHING = parameter("label_smoothing", 0.0, (0.1, 0.3), (0.0, 1.0), ("smooth",))
_AXIS = axis(default=-1)
_GAMMA = parameter("gamma", 2.0, (2.0, 1.0), (0.0, 0.5, 5.0), ("steep",))


def reduced(values: Shape, params: Params, shapes: Shapes) -> Shapes:
    """The shape of per-sample values after the reduction, with weights that fit them."""
    if len(shapes) > 2 and (
        not values
        or len(shapes[2]) != len(values)
        or any(a not in (1, b) for a, b in zip(shapes[2], values, strict=True))
    ):
        raise Invalid(f"weights {shapes[2]} for losses {values}")
    if params["reduction"] in (None, "none"):
        return (values,)
    if not prod(values):
        raise Invalid("the mean of no losses")
    return ((),)


def without(shape: Shape, gone: tuple[int, ...]) -> Shape:
    """The shape without some of its axes."""
    return tuple(length for place, length in enumerate(shape) if place not in gone)


def _along(params: Params, shapes: Shapes) -> Shapes:
    """One value per vector along the axis, the last if there is no such parameter."""
    shape = shapes[1]
    gone = axes(params.get("axis", -1), len(shape))
    if not all(shape[place] for place in gone):
        raise Invalid("a mean of nothing")
    return reduced(without(shape, gone), params, shapes)


def _largest(params: Params, shapes: Shapes) -> Shapes:
    if not prod(shapes[0]):
        raise Invalid("nothing has no largest")
    return _along(params, shapes)


def _over_axes(params: Params, shapes: Shapes) -> Shapes:
    if not prod(shapes[0]):
        raise Invalid("a ratio of nothing")
    rank = len(shapes[0])
    gone = tuple(range(rank)) if params["axis"] is None else axes(params["axis"], rank)
    return reduced(without(shapes[0], gone), params, shapes)


def _per_class_axis(params: Params, shapes: Shapes) -> Shapes:
    true, predicted = shapes[:2]
    if without(predicted, axes(params["axis"], len(predicted))) != true:
        raise Invalid(f"labels {true} for predictions {predicted} along {params['axis']}")
    return reduced(true, params, shapes)


def _per_sample(params: Params, shapes: Shapes) -> Shapes:
    if not shapes[0][0]:
        raise Invalid("an empty batch has no pairs")
    return reduced(shapes[0][:1], params, shapes)


def _loss(
    name: str,
    true: Tensor,
    predicted: Tensor,
    *parameters: Parameter,
    rule: ShapeRule = _along,
    companions: Companions = labels.with_weights,
    weighted: bool = True,
    impossible: tuple[str, ...] = (),
) -> OpSpec:
    if not weighted:
        companions = labels.without_weights(companions)
    return OpSpec(
        name=f"keras.losses.{name}",
        rule=rule,
        tensors=(true, predicted, labels.SAMPLE_WEIGHT) if weighted else (true, predicted),
        parameters=(*parameters, _REDUCTION),
        companions=companions,
        impossible=impossible or (("batch_0",) if rule in _NEVER_EMPTY else ()),
    )


#: Their rules refuse an empty batch.
_NEVER_EMPTY = (_largest, _over_axes, _per_sample)


def _classes_inside(draw: Draw, first: Shape) -> Shapes:
    """Predictions with an axis of classes more, mostly the last, and a weight for each label."""
    place = len(first) if draw.chance(0.7) else draw.between(1, len(first))
    return (*first[:place], draw.between(2, 5), *first[place:]), first


def _class_axis(context: Context) -> int:
    true, predicted = context.shapes[:2]
    fitting = [place for place in range(len(predicted)) if without(predicted, (place,)) == true]
    if not fitting:
        raise Invalid("no axis of classes")
    return context.draw.pick(fitting)


def _negative_class_axis(context: Context) -> int:
    return _class_axis(context) - len(context.shapes[1])


def _class_ids(params: Params, shapes: Shapes) -> tuple[float, float]:
    """Classes, and with ``ignore_class=-1`` those labels too."""
    last = shapes[1][axes(params["axis"], len(shapes[1]))[0]] - 1
    return min(0, params["ignore_class"] or 0), last


def _weights_of_classes(context: Context) -> tuple[float, ...]:
    return tuple(0.25 + 0.25 * place for place in range(context.shapes[1][-1]))


def _time_steps(draw: Draw, first: Shape) -> Shapes:
    """Logits of enough steps: labels that repeat need a blank between them."""
    steps = 2 * first[1] - 1 + draw.below(3)
    return (first[0], steps, draw.between(3, 5)), first[:1]


def _embeddings(draw: Draw, first: Shape) -> Shapes:
    return (first[0], draw.between(1, 4)), first


_ALPHA: dict[str, Any] = {"boundary": (0.0, 1.0), "invalid": ("half",)}
_OVER = axis(default=None, several=True, nothing=True)
_UNIT = Tensor(
    ranks=(2,), domain=Domain(-0.7, 0.7, classes=("zero", "negative_zero", "one", "tied"))
)

SPECS = (
    *(
        _loss(name, labels.real(), labels.predicted())
        for name in (
            "MeanSquaredError",
            "MeanAbsoluteError",
            "MeanAbsolutePercentageError",
            "MeanSquaredLogarithmicError",
            "LogCosh",
        )
    ),
    _loss("CosineSimilarity", labels.real((2, 3)), labels.predicted(), _AXIS),
    _loss(
        "Huber",
        labels.real(),
        labels.predicted(),
        parameter("delta", 1.0, (0.5, 1.0, 3.0), (0.0, 1e-3, 100.0), ("wide",)),
    ),
    *(_loss(name, labels.signs(), labels.predicted()) for name in ("Hinge", "SquaredHinge")),
    _loss("CategoricalHinge", labels.one_hot(), labels.predicted(), rule=_largest),
    _loss("KLDivergence", labels.distribution(), labels.distribution()),
    _loss("Poisson", labels.positive(), labels.positive()),
    _loss(
        "BinaryCrossentropy",
        labels.binary(),
        labels.scores(each=True),
        _FROM_LOGITS,
        _SMOOTHING,
        _AXIS,
    ),
    _loss(
        "BinaryFocalCrossentropy",
        labels.binary(),
        labels.scores(each=True),
        flag("apply_class_balancing", False),
        parameter("alpha", 0.25, (0.25, 0.6), **_ALPHA),
        _GAMMA,
        _FROM_LOGITS,
        _SMOOTHING,
        _AXIS,
    ),
    _loss(
        "CategoricalCrossentropy",
        labels.one_hot(),
        labels.scores(each=False),
        _FROM_LOGITS,
        _SMOOTHING,
        _AXIS,
    ),
    _loss(
        "CategoricalFocalCrossentropy",
        labels.one_hot(),
        labels.scores(each=False),
        parameter(
            "alpha",
            0.25,
            (0.25, 0.6, Choice("per_class", make=_weights_of_classes)),
            **_ALPHA,
        ),
        _GAMMA,
        _FROM_LOGITS,
        _SMOOTHING,
        _AXIS,
    ),
    _loss(
        "SparseCategoricalCrossentropy",
        labels.ids(_class_ids),
        labels.scores(each=False),
        _FROM_LOGITS,
        parameter("ignore_class", None, (0, 1), (-1, 255), ("void",)),
        parameter(
            "axis",
            -1,
            (Choice("class_axis", make=_class_axis), -1),
            (Choice("negative_class_axis", make=_negative_class_axis),),
            (Choice("out_of_range", make=lambda context: len(context.shapes[1])), "last"),
        ),
        rule=_per_class_axis,
        companions=_classes_inside,
    ),
    _loss(
        "CategoricalGeneralizedCrossEntropy",
        labels.ids(ranks=(1,)),
        labels.distribution((2,)),
        parameter("q", 0.5, (0.5, 0.7), (0.01, 0.99), (0.0, 1.0, -0.5, "noisy")),
        rule=_per_sample,
        companions=labels.with_classes,
        impossible=("batch_0", "dim_1"),
    ),
    _loss(
        "CTC",
        labels.ids(lambda params, shapes: (1, shapes[1][-1] - 1), ranks=(2,)),
        Tensor(ranks=(3,), domain=labels.LOGITS),
        rule=_per_sample,
        companions=_time_steps,
    ),
    _loss(
        "Dice",
        labels.binary((2, 3, 4)),
        labels.probability(),
        _OVER,
        rule=_over_axes,
        weighted=False,
    ),
    _loss(
        "Tversky",
        labels.binary((2, 3, 4)),
        labels.probability(),
        parameter("alpha", 0.5, (0.5, 0.3, 0.9), **_ALPHA),
        parameter("beta", 0.5, (0.5, 0.7, 0.1), **_ALPHA),
        _OVER,
        rule=_over_axes,
        weighted=False,
    ),
    _loss(
        "Circle",
        labels.ids(lambda params, shapes: (0, 2), ranks=(1,)),
        _UNIT,
        parameter("gamma", 80.0, (80.0, 10.0), (0.0, 1.0, 256.0), ("large",)),
        parameter("margin", 0.4, (0.4, 0.25), (0.0, 1.0), ("small",)),
        flag("remove_diagonal", True),
        rule=_per_sample,
        companions=_embeddings,
    ),
)
