"""Normalization layers."""

from assay.ops._base import OpSpec, parameter
from assay.ops.axes import axis
from assay.ops.keras._common import flag
from assay.ops.shapes import unchanged_along

_EPSILON = parameter("epsilon", 1e-3, (1e-3, 0.1), (1e-7, 1e-12), ("small",))

SPECS = (
    OpSpec(
        name="keras.layers.BatchNormalization",
        rule=unchanged_along(),
        parameters=(
            axis(default=-1, batch=False),
            parameter("momentum", 0.99, (0.9, 0.5), (0.0, 1.0), ("slow",)),
            _EPSILON,
            flag("center", True),
            flag("scale", True),
        ),
        weights=("gamma", "beta", "moving_mean", "moving_variance"),
        training=True,
    ),
    OpSpec(
        name="keras.layers.LayerNormalization",
        rule=unchanged_along(),
        parameters=(
            axis(default=-1, batch=False, several=True),
            _EPSILON,
            flag("center", True),
            flag("scale", True),
        ),
        weights=("gamma", "beta"),
    ),
    OpSpec(
        name="keras.layers.UnitNormalization",
        rule=unchanged_along(),
        parameters=(axis(default=-1, several=True),),
    ),
)
