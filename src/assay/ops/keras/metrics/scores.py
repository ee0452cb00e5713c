"""Metrics that are means of losses, accuracies, or scores."""

from math import prod

from assay.ops._base import Invalid, Params, Shapes, parameter
from assay.ops.axes import axis
from assay.ops.keras import _labels as labels
from assay.ops.keras.metrics._kinds import FROM_LOGITS, THRESHOLD, distinct, metric
from assay.ops.shapes import same_shape

_SMOOTHING = parameter("label_smoothing", 0, (0.1, 0.3), (0, 1.0), ("smooth",))

# ------------------------------------------------------------ means of losses

_LOSSES = (
    *(
        metric(name, labels.real((2, 3)), labels.predicted())
        for name in (
            "MeanSquaredError",
            "MeanAbsoluteError",
            "MeanAbsolutePercentageError",
            "MeanSquaredLogarithmicError",
            "LogCoshError",
        )
    ),
    metric("RootMeanSquaredError", labels.real((2, 3)), labels.predicted(), weighted=False),
    metric("CosineSimilarity", labels.real((2, 3)), labels.predicted(), axis(default=-1)),
    *(metric(name, labels.signs((2, 3)), labels.predicted()) for name in ("Hinge", "SquaredHinge")),
    metric("CategoricalHinge", labels.one_hot(), labels.predicted()),
    metric("KLDivergence", labels.distribution(), labels.distribution()),
    metric("Poisson", labels.positive((2, 3)), labels.positive()),
    metric(
        "BinaryCrossentropy",
        labels.binary((2, 3)),
        labels.scores(each=True),
        FROM_LOGITS,
        _SMOOTHING,
    ),
    metric(
        "CategoricalCrossentropy",
        labels.one_hot(),
        labels.scores(each=False),
        FROM_LOGITS,
        _SMOOTHING,
        axis(default=-1),
    ),
    metric(
        "SparseCategoricalCrossentropy",
        labels.ids(),
        labels.scores(each=False),
        FROM_LOGITS,
        parameter("ignore_class", None, (0, 1), (255,), ("void",)),
        companions=labels.with_classes,
    ),
)

# ----------------------------------------------------------------- accuracies

_K = parameter("k", 5, (1, 2, 3), (5, 10), ("few", 0))

_ACCURACIES = (
    metric(
        "Accuracy",
        labels.ids(lambda params, shapes: (0, 3), ranks=(2, 3)),
        labels.ids(lambda params, shapes: (0, 3), ranks=(2, 3)),
    ),
    metric("BinaryAccuracy", labels.binary((2, 3)), labels.probability(), THRESHOLD),
    metric("CategoricalAccuracy", labels.one_hot(), distinct()),
    metric("SparseCategoricalAccuracy", labels.ids(), distinct(), companions=labels.with_classes),
    metric("TopKCategoricalAccuracy", labels.one_hot(), distinct(), _K),
    metric(
        "SparseTopKCategoricalAccuracy",
        labels.ids(ranks=(1,)),
        distinct((2,)),
        _K,
        companions=labels.with_classes,
        impossible=("batch_0", "dim_1"),
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
    metric(
        "FBetaScore",
        labels.binary((2,)),
        distinct((2,)),
        _AVERAGE,
        parameter("beta", 1.0, (1.0, 2.0), (0.5, 1e-3), (0.0, -1.0, "two")),
        _CUT,
        rule=_per_class,
        companions=same_shape,
        weighted=False,
    ),
    metric(
        "F1Score",
        labels.binary((2,)),
        distinct((2,)),
        _AVERAGE,
        _CUT,
        rule=_per_class,
        companions=same_shape,
        weighted=False,
    ),
    metric(
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
        metric(
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

SPECS = (
    *_LOSSES,
    *_ACCURACIES,
    *_SCORES_OF_CLASSES,
    metric("Mean", labels.real((1, 2, 3)), weighted=False),
    metric("Sum", labels.real((1, 2, 3)), weighted=False),
)
