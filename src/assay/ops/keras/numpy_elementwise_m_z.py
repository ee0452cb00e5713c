"""Element-wise functions of ``keras.ops`` from ``minimum`` to ``trunc``."""

from assay.ops._base import Domain, parameter
from assay.ops.keras.numpy_kinds import (
    ANY,
    DIVISOR,
    FLOAT,
    NUMERIC,
    WHOLE,
    binary,
    comparison,
    predicate,
    unary,
    whole,
)

#: Shifts that the narrowest integers have, too.
_SHIFT = Domain(whole=(0, 6))
#: The power of a negative number is real for whole exponents only.
_BASE = Domain(0.1, 3.0, whole=(-4, 4))
#: Negative powers of integers are no integers.
_EXPONENT = Domain(whole=(0, 4))
_NO_UNSIGNED = ("float32", "int32", "float16", "int8")

SPECS = (
    binary("minimum"),
    binary("mod", second=DIVISOR),
    binary("multiply", ANY),
    binary("nextafter", ("float32",), mixed=False, differentiable=False),
    binary("power", domain=_BASE, second=_EXPONENT),
    binary("right_shift", WHOLE, second=_SHIFT, result="integer", mixed=False),
    binary("subtract"),
    binary("true_divide"),
    comparison("not_equal"),
    predicate("signbit", NUMERIC),
    unary("negative", _NO_UNSIGNED),
    unary("rad2deg"),
    unary("real"),
    unary("reciprocal", FLOAT),
    # Piecewise constant: beyond the precision of the dtype no difference can tell.
    unary(
        "round",
        differentiable=False,
        parameters=(whole("decimals", 0, (0, 1, 2), (-1, 4, -3), ("two", 1.5)),),
    ),
    unary("sign", _NO_UNSIGNED),
    unary("sin"),
    unary("sinc", FLOAT),
    unary("sinh"),
    unary("sqrt", domain=Domain(0.0, 4.0)),
    unary("square", ANY),
    unary("tan"),
    unary("tanh"),
    unary("trunc", differentiable=False),
    unary(
        "nan_to_num",
        parameters=(
            parameter("nan", 0.0, (0.0, 1.5), (-7, float("inf"), float("nan"))),
            parameter("posinf", None, (None, 3.0), (0, -1, float("inf"))),
            parameter("neginf", None, (None, -3.0), (0, 1, float("-inf"))),
        ),
    ),
)
