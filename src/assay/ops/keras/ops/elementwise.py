"""Functions of each element, or of each pair of elements, of ``keras.ops``."""

import msgspec

from assay.ops._base import Choice, Context, Domain, OpSpec, Params, Shapes, Tensor, parameter
from assay.ops.keras._common import flag
from assay.ops.keras.ops._kinds import (
    ANY,
    DIVISOR,
    FLOAT,
    NUMERIC,
    POSITIVE,
    UNIT,
    WHOLE,
    binary,
    comparison,
    path,
    predicate,
    unary,
)
from assay.ops.keras.ops._parameters import dtype_parameter, whole
from assay.ops.shapes import broadcast, same_shape, unchanged

# ------------------------------------------------------------------ one tensor

_ABOVE_ONE = Domain(low=1.05, high=4.0)
_ANGLE = Domain(low=-6.0, high=6.0)
_NO_UNSIGNED = ("float32", "int32", "float16", "int8")


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
_DECIMALS = whole("decimals", 0, (0, 1, 2), (-1, 4, -3), ("two", 1.5))
_REPLACEMENTS = (
    parameter("nan", 0.0, (0.0, 1.5), (-7, float("inf"), float("nan"))),
    parameter("posinf", None, (None, 3.0), (0, -1, float("inf"))),
    parameter("neginf", None, (None, -3.0), (0, 1, float("-inf"))),
)
#: Flat but for jumps: nobody needs their derivatives.
_STEPS = ("ceil", "floor", "trunc")
_UNARY = (
    *(unary(name) for name in ("abs", "absolute", "cbrt", "conj", "conjugate", "fabs", "i0")),
    *(unary(name) for name in ("exp", "exp2", "expm1", "rad2deg", "real")),
    *(unary(name) for name in ("arcsinh", "arctan", "sin", "sinh", "tan", "tanh")),
    *(unary(name, differentiable=False) for name in _STEPS),
    *(unary(name, domain=UNIT) for name in ("arccos", "arcsin", "arctanh")),
    *(unary(name, domain=_ANGLE) for name in ("angle", "cos", "cosh", "deg2rad")),
    *(unary(name, domain=POSITIVE) for name in ("log", "log10", "log1p", "log2")),
    *(unary(name, FLOAT) for name in ("erf", "erfc", "reciprocal", "sinc")),
    *(unary(name, _NO_UNSIGNED) for name in ("negative", "sign")),
    unary("arccosh", domain=_ABOVE_ONE),
    unary("array", ANY, parameters=(dtype_parameter("float32", "float16", "bool"),)),
    unary("bitwise_invert", WHOLE, result="integer"),
    unary("bitwise_not", WHOLE, result="integer"),
    unary("clip", parameters=_CLIP),
    unary("copy", ANY),
    unary("erfinv", FLOAT, UNIT),
    unary("imag", differentiable=False),
    unary("nan_to_num", parameters=_REPLACEMENTS),
    # Piecewise constant: beyond the precision of the dtype no difference can tell.
    unary("round", differentiable=False, parameters=(_DECIMALS,)),
    unary("rsqrt", FLOAT, Domain(low=0.1, high=4.0)),
    unary("sqrt", domain=Domain(0.0, 4.0)),
    unary("square", ANY),
)
_PREDICATES = (
    *(predicate(name) for name in ("isfinite", "isinf", "isnan", "isneginf", "isposinf")),
    predicate("isreal"),
    predicate("logical_not"),
    predicate("signbit", NUMERIC),
)

# ----------------------------------------------------------------- two tensors

_EXPONENT = Domain(whole=(-40, 40))
#: The power of a negative number is real for whole exponents only.
_BASE = Domain(0.1, 3.0, whole=(-4, 4))
#: Negative powers of integers are no integers.
_POWER = Domain(whole=(0, 4))
#: Whose common multiples fit into 8 bits.
_FACTOR = Domain(whole=(-9, 9))
#: Shifts that the narrowest integers have, too.
_SHIFT = Domain(whole=(0, 6))
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
    binary("ldexp", FLOAT, second=_EXPONENT, second_dtypes=("int32", "int8")),
    binary("logaddexp"),
    binary("logaddexp2"),
    binary("maximum"),
    binary("minimum"),
    binary("mod", second=DIVISOR),
    binary("multiply", ANY),
    binary("nextafter", ("float32",), mixed=False, differentiable=False),
    binary("power", domain=_BASE, second=_POWER),
    binary("subtract"),
    binary("true_divide"),
    OpSpec(
        name=path("polar"),
        rule=unchanged,
        tensors=(Tensor(ranks=(1, 2, 3)),),
        companions=same_shape,
        differentiable=False,
        result="complex",
    ),
)
_WHOLE = (
    *(binary(name, WHOLE, domain=_FACTOR, result="integer") for name in ("gcd", "lcm")),
    *(binary(f"bitwise_{name}", WHOLE, result="integer") for name in ("and", "or", "xor")),
    *(
        binary(name, WHOLE, second=_SHIFT, result="integer")
        for name in ("left_shift", "bitwise_left_shift", "bitwise_right_shift")
    ),
    binary("right_shift", WHOLE, second=_SHIFT, result="integer", mixed=False),
)


def _one_answer(params: Params, shapes: Shapes) -> Shapes:
    broadcast(params, shapes)
    return ((),)


_CLOSENESS = (
    parameter("rtol", 1e-5, valid=(1e-3, 0.5), boundary=(0.0,), invalid=("loose",)),
    parameter("atol", 1e-8, valid=(1e-3, 0.25), boundary=(0.0,), invalid=("loose",)),
    flag("equal_nan", False),
)
_COMPARISONS = (
    *(comparison(name) for name in ("equal", "not_equal")),
    *(comparison(name) for name in ("greater", "greater_equal", "less", "less_equal")),
    *(comparison(f"logical_{name}") for name in ("and", "or", "xor")),
    binary("isclose", result="bool", parameters=_CLOSENESS),
    msgspec.structs.replace(
        binary("allclose", result="bool", parameters=_CLOSENESS), rule=_one_answer
    ),
)

SPECS = (*_UNARY, *_PREDICATES, *_BINARY, *_WHOLE, *_COMPARISONS)
