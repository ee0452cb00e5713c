"""Parameters that many Keras layers share."""

from typing import Any

from assay.ops._base import Domain, Parameter, Tensor, parameter

#: Ops that only move elements take any of them.
MOVABLE = ("float32", "int32", "uint8", "bool")

ACTIVATION = parameter(
    "activation",
    None,
    valid=("relu", "tanh", "sigmoid", None),
    boundary=("softmax", "gelu", "celu", "softplus"),
    invalid=("no_such_activation",),
)


def flag(name: str, default: bool) -> Parameter:
    """A parameter that is true or false."""
    return parameter(name, default, valid=(True, False))


def count(name: str) -> Parameter:
    """A required positive whole number: units, filters."""
    return parameter(name, valid=(2, 3, 4), boundary=(1,), invalid=(0, -1, "three", 2.5))


#: A boolean mask that keeps most of what it is for: all masked is a corner of its own.
MASK = Tensor(
    ranks=(2,),
    dtypes=("bool",),
    domain=Domain(-0.5, 2.0, special=False),
    keyword="mask",
    optional=True,
)


def nested(layer: str, **params: Any) -> dict[str, Any]:
    """A layer as the parameter of another."""
    return {"$op": f"keras.layers.{layer}", "params": params}
