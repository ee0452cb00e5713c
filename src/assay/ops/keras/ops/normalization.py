"""Normalizations of ``keras.ops``."""

from typing import Any

from assay.ops._base import (
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
from assay.ops.keras.ops._kinds import FLOAT
from assay.ops.keras.ops._parameters import fitting
from assay.ops.shapes import axes, unchanged_along

_POSITIVE = Domain(low=0.2, high=2.0, classes=("zero", "one", "tiny", "wide"))


def _reduced(params: Params, shapes: Shapes) -> Shapes:
    """Mean and variance over the axes."""
    shape = shapes[0]
    chosen = axes(params["axes"], len(shape))
    if any(shape[item] == 0 for item in chosen):
        raise Invalid("nothing to average")
    if params["keepdims"]:
        found = tuple(1 if i in chosen else n for i, n in enumerate(shape))
    else:
        found = tuple(n for i, n in enumerate(shape) if i not in chosen)
    return found, found


def _some_axes(context: Context, negative: bool = False) -> Any:
    rank = len(context.shapes[0])
    order = context.draw.order(range(rank))[: context.draw.between(1, rank)]
    return tuple(item - rank if negative else item for item in order)


_AXES = parameter(
    "axes",
    valid=(Choice("some", make=_some_axes), Choice("last", make=lambda c: (-1,))),
    boundary=(
        Choice("negative", make=lambda context: _some_axes(context, True)),
        Choice("all", make=lambda context: tuple(range(len(context.shapes[0])))),
        Choice("first", make=lambda context: (0,)),
    ),
    invalid=(
        Choice("out_of_range", make=lambda context: (len(context.shapes[0]),)),
        "last",
        (0, 0),
    ),
)


def _per_channel(draw: Draw, first: Shape) -> Shapes:
    """Mean, variance, offset and scale of some axis."""
    return ((draw.pick(first),),) * 4


def _batch(params: Params, shapes: Shapes) -> Shapes:
    (along,) = axes(params["axis"], len(shapes[0]))
    if any(shape != (shapes[0][along],) for shape in shapes[1:]):
        raise Invalid("vectors of another length")
    return (shapes[0],)


def _axis_of_vectors(context: Context, value: Any) -> bool:
    rank = len(context.shapes[0])
    return -rank <= value < rank and context.shapes[1] == (context.shapes[0][value],)


def _per_axis(draw: Draw, first: Shape) -> Shapes:
    """Scale and offset: mostly of the last axis."""
    if draw.chance(0.7):
        return ((first[-1],),) * 2
    start = draw.below(len(first))
    return (first[start:],) * 2


def _normalized(params: Params, shapes: Shapes) -> Shapes:
    chosen = sorted(axes(params["axis"], len(shapes[0])))
    expected = tuple(shapes[0][item] for item in chosen)
    if any(shape != expected for shape in shapes[1:]):
        raise Invalid("scale and offset have the shape of the normalized axes")
    return (shapes[0],)


def _axis_of_scales(context: Context, value: Any) -> bool:
    shape = context.shapes[0]
    chosen = sorted(axes(value, len(shape)))
    expected = tuple(shape[item] for item in chosen)
    # Which of two axes a scale belongs to is documented for ascending axes only.
    ordered = list(axes(value, len(shape))) == chosen
    return len(context.shapes) == 1 or (ordered and context.shapes[1] == expected)


def _vector(name: str) -> Tensor:
    return Tensor(ranks=(1, 2), dtypes=FLOAT, keyword=name, optional=True)


_EPSILON = parameter("epsilon", None, (1e-3, 1e-5), (1e-12, 0.1, None), ("small",))
_NORMALIZATIONS = (
    OpSpec(
        name="keras.ops.moments",
        rule=_reduced,
        tensors=(Tensor(ranks=(1, 2, 3, 4), dtypes=FLOAT),),
        parameters=(_AXES, flag("keepdims", False)),
    ),
    OpSpec(
        name="keras.ops.batch_normalization",
        rule=_batch,
        tensors=(
            Tensor(ranks=(2, 3, 4), dtypes=FLOAT),
            Tensor(ranks=(1,), dtypes=FLOAT),
            Tensor(ranks=(1,), dtypes=FLOAT, domain=_POSITIVE),
            _vector("offset"),
            _vector("scale"),
        ),
        companions=_per_channel,
        parameters=(
            fitting(axis(), _axis_of_vectors),
            parameter("epsilon", 1e-3, (1e-3, 0.1), (1e-7, 1.0), ("small",)),
        ),
    ),
    OpSpec(
        name="keras.ops.layer_normalization",
        rule=_normalized,
        tensors=(Tensor(ranks=(1, 2, 3, 4), dtypes=FLOAT), _vector("gamma"), _vector("beta")),
        companions=_per_axis,
        parameters=(fitting(axis(default=-1, several=True), _axis_of_scales), _EPSILON),
    ),
    OpSpec(
        name="keras.ops.rms_normalization",
        rule=_normalized,
        tensors=(Tensor(ranks=(1, 2, 3, 4), dtypes=FLOAT), _vector("scale")),
        companions=lambda draw, first: _per_axis(draw, first)[:1],
        parameters=(fitting(axis(default=-1, several=True), _axis_of_scales), _EPSILON),
    ),
    OpSpec(
        name="keras.ops.normalize",
        rule=unchanged_along(),
        tensors=(Tensor(ranks=(1, 2, 3), dtypes=FLOAT),),
        parameters=(
            axis(default=-1),
            parameter("order", 2, (2, 1), (3, 4), (0, -1, 2.5, "two")),
            parameter("epsilon", None, (1e-3,), (1e-12, 0.5), ("small",)),
        ),
    ),
)


SPECS = _NORMALIZATIONS
