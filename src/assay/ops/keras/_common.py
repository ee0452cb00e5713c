"""Parameters that many Keras layers share."""

from assay.ops._base import Parameter, parameter

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
