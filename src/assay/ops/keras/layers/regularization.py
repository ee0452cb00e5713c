"""Regularization layers: all of them hand their input on when not training.

They are never chained, because a chain with another op may be run in training
mode, where most are random.
"""

from typing import Any

from assay.ops._base import OpSpec, Tensor, parameter
from assay.ops.shapes import unchanged

_RATE = parameter("rate", valid=(0.5, 0.25), boundary=(0.0, 1.0), invalid=(-0.1, 1.5, "half"))


def _layer(name: str, *parameters: Any, ranks: tuple[int, ...] = (2, 3, 4)) -> OpSpec:
    return OpSpec(
        name=f"keras.layers.{name}",
        rule=unchanged,
        tensors=(Tensor(ranks=ranks, dtypes=("float32", "float16")),),
        parameters=parameters,
        solitary=True,
    )


SPECS = (
    _layer(
        "ActivityRegularization",
        parameter("l1", 0.0, (0.0, 0.1), (1e-7,), ("much",)),
        parameter("l2", 0.0, (0.0, 0.1), (1e-7,), ("much",)),
    ),
    _layer("Dropout", _RATE),
    _layer("AlphaDropout", _RATE),
    _layer("GaussianDropout", _RATE),
    _layer(
        "GaussianNoise", parameter("stddev", valid=(0.5, 1.0), boundary=(0.0,), invalid=(-1.0,))
    ),
    _layer("SpatialDropout1D", _RATE, ranks=(3,)),
    _layer("SpatialDropout2D", _RATE, ranks=(4,)),
    _layer("SpatialDropout3D", _RATE, ranks=(5,)),
)
