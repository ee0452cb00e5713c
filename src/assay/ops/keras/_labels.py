"""Labels, predictions and sample weights: what losses and metrics read."""

from collections.abc import Callable

from assay.ops._base import Companions, Domain, Params, Shape, Shapes, Tensor
from assay.ops._draw import Draw
from assay.ops.shapes import axes

Ranks = tuple[int, ...]

#: Single precision, half, and whole numbers: labels are often integers.
_NUMBERS = ("float32", "float16", "int32")
_PREDICTED = ("float32", "float16")

#: Both labels of a binary task, as numbers.
_BINARY = Domain(0.0, 1.0, special=False, kind="ids")
#: A probability of its own: 0 and 1 are legal, and ties.
PROBABILITY = Domain(0.0, 1.0, classes=("zero", "one", "tied", "tiny", "nan"))
_DISTRIBUTION = Domain(0.0, 1.0, kind="probabilities")
_ONE_HOT = Domain(0.0, 1.0, kind="one_hot")
LOGITS = Domain(-4.0, 4.0)
#: Counts and rates; NaN and infinities as everywhere.
_POSITIVE = Domain(
    0.0, 4.0, classes=("zero", "one", "tied", "tiny", "huge", "nan", "positive_infinity")
)
#: Large and small weights, and zeros: those samples do not count.
_WEIGHT = Domain(0.0, 2.0, classes=("zero", "one", "tied"))


def real(ranks: Ranks = (1, 2, 3), dtypes: tuple[str, ...] = _NUMBERS) -> Tensor:
    """Any numbers: labels of a regression."""
    return Tensor(ranks=ranks, dtypes=dtypes)


def positive(ranks: Ranks = (1, 2, 3), dtypes: tuple[str, ...] = _PREDICTED) -> Tensor:
    """Numbers that are not negative."""
    return Tensor(ranks=ranks, dtypes=dtypes, domain=_POSITIVE)


def binary(ranks: Ranks = (1, 2, 3)) -> Tensor:
    """Labels 0 and 1."""
    return Tensor(ranks=ranks, dtypes=("float32", "int32"), domain=_BINARY)


def signs(ranks: Ranks = (1, 2, 3)) -> Tensor:
    """Labels -1 and 1, or 0 and 1."""
    return Tensor(ranks=ranks, dtypes=("float32", "int32"), domain=Domain(kind="signs"))


def one_hot(ranks: Ranks = (2, 3)) -> Tensor:
    """One-hot along the last axis, or any distribution; along another ``axis``, see below."""
    return Tensor(ranks=ranks, domain=_ONE_HOT, domain_for=_along)


def _along(params: Params, shapes: Shapes) -> Domain:
    """One-hot along the last axis; along another ``axis`` of the call, all classes alike."""
    rank = len(shapes[0])
    (along,) = axes(params.get("axis", -1), rank)
    if along == rank - 1:
        return _ONE_HOT
    share = 1.0 / max(1, shapes[0][along])
    return Domain(low=share, high=share, special=False)


def distribution(ranks: Ranks = (2, 3)) -> Tensor:
    """Probabilities that sum to one along the last axis, some of them certain."""
    return Tensor(ranks=ranks, domain=_DISTRIBUTION)


def predicted(ranks: Ranks = (1, 2, 3, 4)) -> Tensor:
    """Any numbers, as predictions."""
    return Tensor(ranks=ranks, dtypes=_PREDICTED, mixed=True)


def probability(ranks: Ranks = (1, 2, 3, 4)) -> Tensor:
    """Numbers from 0 to 1."""
    return Tensor(ranks=ranks, dtypes=_PREDICTED, domain=PROBABILITY, mixed=True)


def _by_from_logits(otherwise: Domain) -> Callable[[Params, Shapes], Domain]:
    return lambda params, shapes: LOGITS if params["from_logits"] else otherwise


def scores(each: bool, ranks: Ranks = (1, 2, 3, 4)) -> Tensor:
    """Logits, or with ``from_logits=False`` probabilities: of ``each`` label, or one distribution.

    Their classes are those of logits and of probabilities.
    """
    otherwise = PROBABILITY if each else _DISTRIBUTION
    return Tensor(
        ranks=ranks, domain=LOGITS, domain_for=_by_from_logits(otherwise), alternatives=(otherwise,)
    )


def class_ids(params: Params, shapes: Shapes) -> tuple[float, float]:
    """As many classes as the last axis of the predictions has."""
    return 0, shapes[1][-1] - 1


def ids(
    limits: Callable[[Params, Shapes], tuple[float, float]] = class_ids, ranks: Ranks = (1, 2)
) -> Tensor:
    """Labels that are class ids: others are not documented to mean anything."""
    domain = Domain(0.0, 4.0, special=False, kind="ids")
    return Tensor(ranks=ranks, dtypes=("int32",), domain=domain, limits=limits)


#: Of each sample, a keyword argument of every loss and metric.
SAMPLE_WEIGHT = Tensor(ranks=(1, 2), domain=_WEIGHT, keyword="sample_weight", optional=True)


def with_weights(draw: Draw, first: Shape) -> Shapes:
    """Predictions of the shape of the labels, and a weight for each vector of them."""
    weights = first[:-1]
    if len(weights) > 1 and draw.chance(0.3):
        weights = (weights[0], *(1,) * (len(weights) - 1))
    return first, weights


def with_classes(draw: Draw, first: Shape) -> Shapes:
    """Predictions with an axis of two to five classes more, and a weight for each label."""
    return (*first, draw.between(2, 5)), first


def without_weights(companions: Companions) -> Companions:
    """The predictions alone."""
    return lambda draw, first: companions(draw, first)[:1]
