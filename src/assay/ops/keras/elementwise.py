"""Element-wise functions of ``keras.ops`` from a to l, and ``maximum``."""

import msgspec

from assay.ops._base import Choice, Context, Domain, Params, Shapes, parameter
from assay.ops.keras._common import flag
from assay.ops.keras.numpy_kinds import (
    ANY,
    DIVISOR,
    POSITIVE,
    UNIT,
    WHOLE,
    binary,
    comparison,
    dtype_parameter,
    predicate,
    unary,
)
from assay.ops.shapes import broadcast

_ABOVE_ONE = Domain(low=1.05, high=4.0)
_ANGLE = Domain(low=-6.0, high=6.0)
_SHIFT = Domain(whole=(0, 6))
_EXPONENT = Domain(whole=(-40, 40))
#: Whose common multiples fit into 8 bits.
_FACTOR = Domain(whole=(-9, 9))


def _above_minimum(context: Context) -> float:
    return float(context.params["x_min"]) + 1.5


_CLIP = (
    parameter("x_min", valid=(-1.0, 0.0, -0.5), boundary=(-1, 0), invalid=("low",)),
    parameter(
        "x_max",
        valid=(Choice("above_minimum", make=_above_minimum),),
        boundary=(Choice("equal_to_minimum", make=lambda context: context.params["x_min"]),),
        invalid=("high",),
    ),
)
_CLOSENESS = (
    parameter("rtol", 1e-5, valid=(1e-3, 0.5), boundary=(0.0,), invalid=("loose",)),
    parameter("atol", 1e-8, valid=(1e-3, 0.25), boundary=(0.0,), invalid=("loose",)),
    flag("equal_nan", False),
)


def _one_answer(params: Params, shapes: Shapes) -> Shapes:
    broadcast(params, shapes)
    return ((),)


#: Flat but for jumps: nobody needs their derivatives.
_STEPS = ("ceil", "floor")
_UNARY = (
    *(unary(name) for name in ("abs", "absolute", "arcsinh", "arctan", "cbrt", "fabs", "i0")),
    *(unary(name) for name in ("conj", "conjugate", "exp", "exp2", "expm1")),
    *(unary(name, differentiable=False) for name in _STEPS),
    *(unary(name, domain=UNIT) for name in ("arccos", "arcsin", "arctanh")),
    *(unary(name, domain=_ANGLE) for name in ("angle", "cos", "cosh", "deg2rad")),
    *(unary(name, domain=POSITIVE) for name in ("log", "log10", "log1p", "log2")),
    unary("arccosh", domain=_ABOVE_ONE),
    unary("array", ANY, parameters=(dtype_parameter("float32", "float16", "bool"),)),
    unary("bitwise_invert", WHOLE, result="integer"),
    unary("bitwise_not", WHOLE, result="integer"),
    unary("clip", parameters=_CLIP),
    unary("copy", ANY),
    unary("imag", differentiable=False),
)
_PREDICATES = tuple(
    predicate(name)
    for name in ("isfinite", "isinf", "isnan", "isneginf", "isposinf", "isreal", "logical_not")
)
_BINARY = (
    binary("add", ANY),
    binary("arctan2"),
    binary("divide"),
    binary("divide_no_nan"),
    binary("floor_divide", second=DIVISOR, differentiable=False),
    binary("fmax"),
    binary("fmin"),
    binary("fmod", second=DIVISOR),
    binary("heaviside", differentiable=False),
    binary("hypot"),
    binary("ldexp", ("float32", "float16"), second=_EXPONENT, second_dtypes=("int32", "int8")),
    binary("logaddexp"),
    binary("logaddexp2"),
    binary("maximum"),
)
_WHOLE = (
    *(binary(name, WHOLE, domain=_FACTOR, result="integer") for name in ("gcd", "lcm")),
    *(binary(f"bitwise_{name}", WHOLE, result="integer") for name in ("and", "or", "xor")),
    *(
        binary(name, WHOLE, second=_SHIFT, result="integer")
        for name in ("left_shift", "bitwise_left_shift", "bitwise_right_shift")
    ),
)
_COMPARISONS = (
    *(comparison(name) for name in ("equal", "greater", "greater_equal", "less", "less_equal")),
    *(comparison(f"logical_{name}") for name in ("and", "or", "xor")),
    binary("isclose", result="bool", parameters=_CLOSENESS),
    msgspec.structs.replace(
        binary("allclose", result="bool", parameters=_CLOSENESS), rule=_one_answer
    ),
)

SPECS = (*_UNARY, *_PREDICATES, *_BINARY, *_WHOLE, *_COMPARISONS)
