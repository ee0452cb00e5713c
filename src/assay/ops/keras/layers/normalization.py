"""Normalization layers; the preprocessing layer of that name is in ``preprocessing``."""

import msgspec

from assay.ops._base import Choice, Context, Invalid, OpSpec, Params, Shapes, Tensor, parameter
from assay.ops.axes import axis
from assay.ops.keras._common import MASK, flag
from assay.ops.shapes import axes, unchanged_along

_EPSILON = parameter("epsilon", 1e-3, (1e-3, 0.1), (1e-7, 1e-12), ("small",))
_FLOATS = (Tensor(dtypes=("float32", "float16")),)


def _batch(params: Params, shapes: Shapes) -> Shapes:
    (channel,) = axes(params["axis"], len(shapes[0]))
    if len(shapes) > 1 and channel != len(shapes[0]) - 1:
        raise Invalid("a mask has no channels, which must then be last")
    return (shapes[0],)


def _divisor(context: Context, which: int) -> int:
    (channel,) = axes(context.params.get("axis", -1), len(context.shapes[0]))
    length = context.shapes[0][channel]
    divisors = [n for n in range(1, length + 1) if length % n == 0]
    if not divisors:
        raise Invalid("there are no channels to group")
    return divisors[which] if which < len(divisors) else divisors[-1]


def _not_dividing(context: Context) -> int:
    (channel,) = axes(context.params.get("axis", -1), len(context.shapes[0]))
    return context.shapes[0][channel] + 1


def _group(params: Params, shapes: Shapes) -> Shapes:
    (channel,) = axes(params["axis"], len(shapes[0]))
    groups = params["groups"]
    if groups != -1 and (groups < 1 or shapes[0][channel] % groups):
        raise Invalid(f"{groups} groups of {shapes[0][channel]} channels")
    return (shapes[0],)


SPECS = (
    OpSpec(
        name="keras.layers.BatchNormalization",
        rule=_batch,
        tensors=(*_FLOATS, msgspec.structs.replace(MASK, ranks=(1, 2, 3))),
        companions=lambda draw, first: (first[:-1],),
        parameters=(
            axis(default=-1, batch=False),
            parameter("momentum", 0.99, (0.9, 0.5), (0.0, 1.0), ("slow",)),
            _EPSILON,
            flag("center", True),
            flag("scale", True),
            parameter("renorm", False, valid=(False,), boundary=(True,)),
        ),
        weights=("gamma", "beta", "moving_mean", "moving_variance"),
        training=True,
    ),
    OpSpec(
        name="keras.layers.LayerNormalization",
        rule=unchanged_along(),
        tensors=_FLOATS,
        parameters=(
            axis(default=-1, batch=False, several=True),
            _EPSILON,
            flag("center", True),
            flag("scale", True),
        ),
        weights=("gamma", "beta"),
    ),
    OpSpec(
        name="keras.layers.GroupNormalization",
        rule=_group,
        tensors=_FLOATS,
        parameters=(
            axis(default=-1, batch=False),
            parameter(
                "groups",
                valid=(
                    Choice("divisor", make=lambda context: _divisor(context, 1)),
                    Choice("all", make=lambda context: _divisor(context, 99)),
                ),
                boundary=(1, -1),
                invalid=(0, "two", Choice("not_dividing", make=_not_dividing)),
            ),
            _EPSILON,
            flag("center", True),
            flag("scale", True),
        ),
        weights=("gamma", "beta"),
    ),
    OpSpec(
        name="keras.layers.RMSNormalization",
        rule=unchanged_along(),
        tensors=_FLOATS,
        parameters=(
            axis(default=-1, batch=False),
            parameter("epsilon", 1e-6, (1e-6, 0.1), (1e-3, 1e-12), ("small",)),
        ),
        weights=("scale",),
    ),
    OpSpec(
        name="keras.layers.UnitNormalization",
        rule=unchanged_along(),
        tensors=_FLOATS,
        parameters=(axis(default=-1, several=True),),
    ),
)
