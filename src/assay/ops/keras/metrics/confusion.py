"""Metrics from confusion matrices: counts at thresholds, areas under curves, overlaps."""

from collections.abc import Callable
from math import prod
from typing import Any

from assay.ops._base import (
    Choice,
    Context,
    Domain,
    Invalid,
    OpSpec,
    Parameter,
    Params,
    ShapeRule,
    Shapes,
    Tensor,
    parameter,
)
from assay.ops.keras import _labels as labels
from assay.ops.keras._common import flag
from assay.ops.keras.metrics._kinds import (
    FROM_LOGITS,
    SCORES,
    THRESHOLD,
    TIES,
    distinct,
    metric,
    scalar,
)
from assay.ops.shapes import axes, same_shape

# ------------------------------------------------- confusion at thresholds

#: Whether NaN is above a threshold is nobody's business either.
_NEVER_NAN = Domain(0.0, 1.0, classes=(*TIES, "tiny"))


def _cuttable(ranks: tuple[int, ...] = (1, 2, 3)) -> Tensor:
    return Tensor(ranks=ranks, domain=_NEVER_NAN)


_CUTS = parameter(
    "thresholds",
    None,
    (0.5, 0.25, (0.25, 0.75)),
    (0.0, 1.0, (0.0, 0.5, 1.0), (0.5,)),
    (1.5, -0.1, "half"),
)


def _per_threshold(params: Params, shapes: Shapes) -> Shapes:
    if not prod(shapes[0]):
        raise Invalid("no sample")
    cuts = params["thresholds"]
    count = len(cuts) if isinstance(cuts, (list, tuple)) else 1
    # One threshold gives a number, also one in a list.
    return ((count,) if count > 1 else (),)


def _class_id(context: Context) -> int:
    return context.draw.below(context.shapes[0][-1])


def _two(context: Context) -> int:
    return min(2, context.shapes[0][-1])


_CLASS_ID = parameter(
    "class_id",
    None,
    (Choice("a_class", make=_class_id), None),
    (Choice("last", make=lambda context: context.shapes[0][-1] - 1),),
    (Choice("too_large", make=lambda context: context.shapes[0][-1]), "first"),
)


def _target(name: str) -> Parameter:
    return parameter(name, valid=(0.5, 0.25, 0.75), boundary=(0.0, 1.0), invalid=(1.5, -0.5))


_CURVES: dict[str, str] = {
    "SensitivityAtSpecificity": "specificity",
    "SpecificityAtSensitivity": "sensitivity",
    "PrecisionAtRecall": "recall",
    "RecallAtPrecision": "precision",
}


def _label_weights(context: Context) -> tuple[float, ...]:
    if len(context.shapes[0]) != 2:
        raise Invalid("labels are columns")
    return tuple(0.5 + 0.5 * place for place in range(context.shapes[0][-1]))


def _area(params: Params, shapes: Shapes) -> Shapes:
    if params["label_weights"] is not None and not params["multi_label"]:
        raise Invalid("weights of labels without labels")
    return scalar({}, shapes)


_CONFUSIONS = (
    *(
        metric(
            name,
            labels.binary(),
            _cuttable(),
            _CUTS,
            rule=_per_threshold,
            companions=same_shape,
            weighted=False,
        )
        for name in ("TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives")
    ),
    *(
        metric(
            name,
            labels.binary((2,)),
            distinct((2,)),
            _CUTS,
            parameter("top_k", None, (None, Choice("2", make=_two)), (1,), ("two",)),
            _CLASS_ID,
            rule=_per_threshold,
            companions=same_shape,
            weighted=False,
        )
        for name in ("Precision", "Recall")
    ),
    *(
        metric(
            name,
            labels.binary((1, 2)),
            _cuttable((1, 2)),
            _target(parameter_name),
            parameter("num_thresholds", 200, (200, 11), (1, 2, 3), (0, -1, "many")),
            companions=same_shape,
            weighted=False,
        )
        for name, parameter_name in _CURVES.items()
    ),
    metric(
        "AUC",
        labels.binary((1, 2)),
        labels.scores(each=True, ranks=(1, 2)),
        parameter("num_thresholds", 200, (200, 11), (2, 3), (1, 0, "many")),
        parameter("curve", "ROC", ("ROC", "PR"), invalid=("DET", None)),
        parameter(
            "summation_method",
            "interpolation",
            ("interpolation", "minoring", "majoring"),
            invalid=("middle",),
        ),
        parameter("thresholds", None, (None, (0.25, 0.5, 0.75)), ((0.5,),), ((1.5,), (-0.5,))),
        parameter(
            "multi_label",
            False,
            (False, Choice("columns", make=lambda context: len(context.shapes[0]) == 2)),
        ),
        parameter("label_weights", None, (None,), (Choice("growing", make=_label_weights),)),
        FROM_LOGITS,
        rule=_area,
        companions=same_shape,
        weighted=False,
    ),
)

# ------------------------------------------------- intersection over union

_CLASSES = 4


def _sparse_ids(params: Params, shapes: Shapes) -> Domain:
    dense = not params.get("sparse_y_true", True)
    return SCORES if dense else Domain(0.0, _CLASSES - 1, special=False, kind="ids")


def _as_true(context: Context) -> Any:
    return context.params.get("sparse_y_true", True)


def _overlap(columns: Callable[[Params], bool]) -> ShapeRule:
    """One number; where classes are columns, their number is that of the parameter."""

    def rule(params: Params, shapes: Shapes) -> Shapes:
        if not prod(shapes[0]):
            raise Invalid("no sample")
        if params.get("sparse_y_true", True) != params.get("sparse_y_pred", True) and (
            "sparse_y_true" in params
        ):
            raise Invalid("labels and predictions of different rank")
        if columns(params):
            (place,) = axes(params["axis"], len(shapes[0]))
            if shapes[0][place] > params["num_classes"]:
                raise Invalid("more columns than classes")
        return ((),)

    return rule


def _columns_or_more(context: Context) -> int:
    return max(_CLASSES, *context.shapes[0][1:], 0)


_COUNT = parameter(
    "num_classes", valid=(Choice("enough", make=_columns_or_more),), boundary=(7,), invalid=("all",)
)
_TARGETS = parameter(
    "target_class_ids", valid=((0,), (0, 1)), boundary=((1, 3), (2,)), invalid=((9,),)
)
_IGNORE = parameter("ignore_class", None, (None, 0), (1, 255))
#: 3.15.1 fails on every axis but -1 and 0: not the usual case then.
_LOGITS_AXIS = parameter(
    "axis",
    -1,
    (-1,),
    (Choice("last_axis", make=lambda context: len(context.shapes[0]) - 1), 0),
    (Choice("out_of_range", make=lambda context: len(context.shapes[0])), "last"),
)
_IDS = Tensor(ranks=(2, 3), dtypes=("float32", "int32"), domain_for=_sparse_ids)
_SPARSE = (
    flag("sparse_y_true", True),
    parameter("sparse_y_pred", True, (Choice("as_labels", make=_as_true),)),
)


def _intersection(name: str, true: Tensor, predicted: Tensor, *parameters: Parameter) -> OpSpec:
    sparse = "sparse_y_true" in {item.name for item in parameters}
    return metric(
        name,
        true,
        predicted,
        *parameters,
        rule=_overlap(lambda params: not (sparse and params["sparse_y_true"])),
        companions=same_shape,
        weighted=False,
    )


_INTERSECTIONS = (
    _intersection("MeanIoU", _IDS, _IDS, _COUNT, _IGNORE, *_SPARSE, _LOGITS_AXIS),
    _intersection("IoU", _IDS, _IDS, _COUNT, _TARGETS, _IGNORE, *_SPARSE, _LOGITS_AXIS),
    _intersection("OneHotMeanIoU", labels.one_hot(), distinct(), _COUNT, _IGNORE, _LOGITS_AXIS),
    _intersection(
        "OneHotIoU", labels.one_hot(), distinct(), _COUNT, _TARGETS, _IGNORE, _LOGITS_AXIS
    ),
    metric(
        "BinaryIoU",
        labels.binary(),
        _cuttable(),
        parameter("target_class_ids", (0, 1), ((0, 1), (0,), (1,)), invalid=((2,),)),
        THRESHOLD,
        companions=same_shape,
        weighted=False,
    ),
)

SPECS = (
    *_CONFUSIONS,
    *_INTERSECTIONS,
)
