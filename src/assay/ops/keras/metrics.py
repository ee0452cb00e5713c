"""Metrics: the result after one update of fresh state."""

from collections.abc import Callable
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
    ShapeRule,
    Shapes,
    Tensor,
    alone,
    parameter,
)
from assay.ops.axes import axis
from assay.ops.keras import _labels as labels
from assay.ops.keras._common import flag
from assay.ops.keras.losses import without
from assay.ops.shapes import axes, same_shape

_FROM_LOGITS = flag("from_logits", False)
_SMOOTHING = parameter("label_smoothing", 0, (0.1, 0.3), (0, 1.0), ("smooth",))
_THRESHOLD = parameter("threshold", 0.5, (0.5, 0.25), (0.0, 1.0), ("half",))
_TIES = ("zero", "one", "tied")
#: Distinct scores as a rule: which of equal ones is the larger is nobody's business.
_SCORES = Domain(0.0, 1.0, classes=_TIES)


def _scalar(params: Params, shapes: Shapes) -> Shapes:
    """One number; samples along the axis of the metric, and weights that fit them."""
    if not prod(shapes[0]):
        raise Invalid("a mean of nothing")
    if "axis" in params and not axes(params["axis"], len(shapes[1])):
        raise Invalid("no axis")
    if len(shapes) > 2:
        samples = shapes[1]
        gone = axes(params.get("axis", -1), len(samples))
        if without(samples, gone) != shapes[2]:
            raise Invalid(f"weights {shapes[2]} for {samples}")
    return ((),)


def _metric(
    name: str,
    true: Tensor,
    predicted: Tensor | None = None,
    *parameters: Parameter,
    rule: ShapeRule = _scalar,
    companions: Companions = labels.with_weights,
    weighted: bool = True,
    impossible: tuple[str, ...] = ("batch_0",),
) -> OpSpec:
    tensors = (true,) if predicted is None else (true, predicted)
    if not weighted:
        companions = alone if predicted is None else labels.without_weights(companions)
    return OpSpec(
        name=f"keras.metrics.{name}",
        rule=rule,
        tensors=(*tensors, labels.SAMPLE_WEIGHT) if weighted else tensors,
        parameters=parameters,
        companions=companions,
        differentiable=False,
        impossible=impossible,
    )


# ------------------------------------------------------------ means of losses

_LOSSES = (
    *(
        _metric(name, labels.real((2, 3)), labels.predicted())
        for name in (
            "MeanSquaredError",
            "MeanAbsoluteError",
            "MeanAbsolutePercentageError",
            "MeanSquaredLogarithmicError",
            "LogCoshError",
        )
    ),
    _metric("RootMeanSquaredError", labels.real((2, 3)), labels.predicted(), weighted=False),
    _metric("CosineSimilarity", labels.real((2, 3)), labels.predicted(), axis(default=-1)),
    *(
        _metric(name, labels.signs((2, 3)), labels.predicted())
        for name in ("Hinge", "SquaredHinge")
    ),
    _metric("CategoricalHinge", labels.one_hot(), labels.predicted()),
    _metric("KLDivergence", labels.distribution(), labels.distribution()),
    _metric("Poisson", labels.positive((2, 3)), labels.positive()),
    _metric(
        "BinaryCrossentropy",
        labels.binary((2, 3)),
        labels.scores(each=True),
        _FROM_LOGITS,
        _SMOOTHING,
    ),
    _metric(
        "CategoricalCrossentropy",
        labels.one_hot(),
        labels.scores(each=False),
        _FROM_LOGITS,
        _SMOOTHING,
        axis(default=-1),
    ),
    _metric(
        "SparseCategoricalCrossentropy",
        labels.ids(),
        labels.scores(each=False),
        _FROM_LOGITS,
        parameter("ignore_class", None, (0, 1), (255,), ("void",)),
        companions=labels.with_classes,
    ),
)

# ----------------------------------------------------------------- accuracies


def _distinct(ranks: tuple[int, ...] = (2, 3)) -> Tensor:
    return Tensor(ranks=ranks, domain=_SCORES)


_K = parameter("k", 5, (1, 2, 3), (5, 10), ("few", 0))

_ACCURACIES = (
    _metric(
        "Accuracy",
        labels.ids(lambda params, shapes: (0, 3), ranks=(2, 3)),
        labels.ids(lambda params, shapes: (0, 3), ranks=(2, 3)),
    ),
    _metric("BinaryAccuracy", labels.binary((2, 3)), labels.probability(), _THRESHOLD),
    _metric("CategoricalAccuracy", labels.one_hot(), _distinct()),
    _metric("SparseCategoricalAccuracy", labels.ids(), _distinct(), companions=labels.with_classes),
    _metric("TopKCategoricalAccuracy", labels.one_hot(), _distinct(), _K),
    _metric(
        "SparseTopKCategoricalAccuracy",
        labels.ids(ranks=(1,)),
        _distinct((2,)),
        _K,
        companions=labels.with_classes,
        impossible=("batch_0", "dim_1"),
    ),
)

# ------------------------------------------------- confusion at thresholds

#: Whether NaN is above a threshold is nobody's business either.
_NEVER_NAN = Domain(0.0, 1.0, classes=(*_TIES, "tiny"))


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
    return _scalar({}, shapes)


_CONFUSIONS = (
    *(
        _metric(
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
        _metric(
            name,
            labels.binary((2,)),
            _distinct((2,)),
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
        _metric(
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
    _metric(
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
        _FROM_LOGITS,
        rule=_area,
        companions=same_shape,
        weighted=False,
    ),
)

# ------------------------------------------------------- scores of classes


def _per_class(params: Params, shapes: Shapes) -> Shapes:
    if not prod(shapes[0]):
        raise Invalid("no sample")
    return ((shapes[0][-1],) if params["average"] is None else (),)


_AVERAGE = parameter("average", None, (None, "micro", "macro", "weighted"), invalid=("median", 3))
_CUT = parameter("threshold", None, (None, 0.5), (0.25, 0.9), ("half", 0.0))


def _regression(params: Params, shapes: Shapes) -> Shapes:
    if shapes[0][0] < 2 or not shapes[0][1]:
        raise Invalid("one sample has no variance")
    if params["num_regressors"] > shapes[0][0] - 2:
        raise Invalid("more regressors than samples leave")
    return ((shapes[0][1],) if params["class_aggregation"] is None else (),)


_SCORES_OF_CLASSES = (
    _metric(
        "FBetaScore",
        labels.binary((2,)),
        _distinct((2,)),
        _AVERAGE,
        parameter("beta", 1.0, (1.0, 2.0), (0.5, 1e-3), (0.0, -1.0, "two")),
        _CUT,
        rule=_per_class,
        companions=same_shape,
        weighted=False,
    ),
    _metric(
        "F1Score",
        labels.binary((2,)),
        _distinct((2,)),
        _AVERAGE,
        _CUT,
        rule=_per_class,
        companions=same_shape,
        weighted=False,
    ),
    _metric(
        "R2Score",
        labels.real((2,), ("float32",)),
        labels.predicted((2,)),
        parameter(
            "class_aggregation",
            "uniform_average",
            ("uniform_average", "variance_weighted_average", None),
            invalid=("median",),
        ),
        parameter("num_regressors", 0, (0, 1), invalid=(-1, "one")),
        rule=_regression,
        companions=same_shape,
        weighted=False,
        impossible=("batch_0", "batch_1"),
    ),
    *(
        _metric(
            name,
            labels.real((2, 3), ("float32",)),
            labels.predicted(),
            axis(default=-1, several=True),
            companions=same_shape,
            weighted=False,
        )
        for name in ("PearsonCorrelation", "ConcordanceCorrelation")
    ),
)

# ------------------------------------------------- intersection over union

_CLASSES = 4


def _sparse_ids(params: Params, shapes: Shapes) -> Domain:
    dense = not params.get("sparse_y_true", True)
    return _SCORES if dense else Domain(0.0, _CLASSES - 1, special=False, kind="ids")


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
    return _metric(
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
    _intersection("OneHotMeanIoU", labels.one_hot(), _distinct(), _COUNT, _IGNORE, _LOGITS_AXIS),
    _intersection(
        "OneHotIoU", labels.one_hot(), _distinct(), _COUNT, _TARGETS, _IGNORE, _LOGITS_AXIS
    ),
    _metric(
        "BinaryIoU",
        labels.binary(),
        _cuttable(),
        parameter("target_class_ids", (0, 1), ((0, 1), (0,), (1,)), invalid=((2,),)),
        _THRESHOLD,
        companions=same_shape,
        weighted=False,
    ),
)

SPECS = (
    *_LOSSES,
    *_ACCURACIES,
    *_CONFUSIONS,
    *_SCORES_OF_CLASSES,
    *_INTERSECTIONS,
    _metric("Mean", labels.real((1, 2, 3)), weighted=False),
    _metric("Sum", labels.real((1, 2, 3)), weighted=False),
)
