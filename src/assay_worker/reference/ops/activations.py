"""Activation functions of ``keras.ops``: those of ``keras.activations``."""

from assay_worker.reference import activations
from assay_worker.reference.registry import reference

for _name in (
    "celu", "elu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh",
    "leaky_relu", "log_sigmoid", "relu6", "selu", "sigmoid", "silu",
    "soft_shrink", "softplus", "softsign", "sparse_plus", "sparse_sigmoid", "sparsemax",
    "squareplus", "swish", "tanh_shrink", "threshold",
):  # fmt: skip
    _same = {"hard_swish": "hard_silu", "swish": "silu"}.get(_name, _name)
    reference("keras.ops." + _name)(getattr(activations, _same))
reference("keras.ops.softmax", "keras.ops.nn.softmax")(activations.softmax)
reference("keras.ops.log_softmax", "keras.ops.nn.log_softmax")(activations.log_softmax)


@reference("keras.ops.gelu")
def gelu(x, approximate=True):
    """As the activation, with another default."""
    return activations.gelu(x, approximate)


@reference("keras.ops.relu", "keras.ops.nn.relu", integers=True)
def relu(x):
    """max(x, 0)."""
    return activations.relu(x)
