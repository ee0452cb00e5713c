"""Element-wise ops of ``keras.ops``: NumPy's own functions are the documentation's model."""

import numpy as np
from scipy import special

from assay_worker.reference import activations
from assay_worker.reference.registry import reference

#: Of one tensor, always computed in floats.
_UNARY = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log1p": np.log1p,
    "log2": np.log2, "log10": np.log10, "sqrt": np.sqrt, "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "reciprocal": np.reciprocal, "sin": np.sin, "cos": np.cos, "tan": np.tan, "arcsin": np.arcsin,
    "arccos": np.arccos, "arctan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "arcsinh": np.arcsinh, "arccosh": np.arccosh, "arctanh": np.arctanh, "erf": special.erf,
    "erfinv": special.erfinv, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
}  # fmt: skip
#: Of one tensor; integers stay integers.
_UNARY_INTEGERS = {
    "abs": np.abs, "absolute": np.abs, "negative": np.negative, "square": np.square,
    "sign": np.sign, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite,
}  # fmt: skip
#: Of two tensors, in floats.
_BINARY = {
    "hypot": np.hypot, "logaddexp": np.logaddexp, "divide": np.true_divide,
    "true_divide": np.true_divide, "arctan2": np.arctan2,
}  # fmt: skip
#: Of two tensors; integers stay integers.
_BINARY_INTEGERS = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum,
    "minimum": np.minimum, "equal": np.equal, "not_equal": np.not_equal, "greater": np.greater,
    "greater_equal": np.greater_equal, "less": np.less, "less_equal": np.less_equal,
}  # fmt: skip


def _unary(function):
    return lambda x: function(x)


def _binary(function):
    return lambda x1, x2: function(x1, x2)


for _table, _make, _integers in (
    (_UNARY, _unary, False),
    (_UNARY_INTEGERS, _unary, True),
    (_BINARY, _binary, False),
    (_BINARY_INTEGERS, _binary, True),
):
    for _name, _function in _table.items():
        reference("keras.ops." + _name, integers=_integers)(_make(_function))


@reference("keras.ops.relu", "keras.ops.nn.relu", integers=True)
def relu(x):
    """max(x, 0)."""
    return activations.relu(x)
