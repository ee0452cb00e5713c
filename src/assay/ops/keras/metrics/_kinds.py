"""What metrics share: one constructor of op specs, and the scores that they compare."""

from math import prod

from assay.ops._base import (
    Companions,
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
from assay.ops.keras import _labels as labels
from assay.ops.keras._common import flag
from assay.ops.keras.losses import without
from assay.ops.shapes import axes

FROM_LOGITS = flag("from_logits", False)
THRESHOLD = parameter("threshold", 0.5, (0.5, 0.25), (0.0, 1.0), ("half",))
TIES = ("zero", "one", "tied")
#: Distinct scores as a rule: which of equal ones is the larger is nobody's business.
SCORES = Domain(0.0, 1.0, classes=TIES)


def scalar(params: Params, shapes: Shapes) -> Shapes:
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


def metric(
    name: str,
    true: Tensor,
    predicted: Tensor | None = None,
    *parameters: Parameter,
    rule: ShapeRule = scalar,
    companions: Companions = labels.with_weights,
    weighted: bool = True,
    impossible: tuple[str, ...] = ("batch_0",),
) -> OpSpec:
    """A metric of labels and predictions, with sample weights unless it has none."""
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


def distinct(ranks: tuple[int, ...] = (2, 3)) -> Tensor:
    """Scores that are hardly ever equal."""
    return Tensor(ranks=ranks, domain=SCORES)
