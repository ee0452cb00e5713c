"""A third writing of functions: mpmath's, which has no code in common with Arb."""

from typing import Any

import numpy as np
import pytest
from flint import arb

from assay.judge.balls import enclose
from tests.judge.balls.cases import draws

mpmath = pytest.importorskip("mpmath")
mp = mpmath.mp

_DIGITS = 60
#: mpmath rounds each step; what is left of its digits is far more than a ball has.
_SURE = 45


def _gelu(x: Any) -> Any:
    return x * mp.ncdf(x)


_FUNCTIONS: dict[str, Any] = {
    "keras.ops.exp": mp.exp,
    "keras.ops.exp2": lambda x: mp.power(2, x),
    "keras.ops.expm1": mp.expm1,
    "keras.ops.log": mp.log,
    "keras.ops.log2": lambda x: mp.log(x, 2),
    "keras.ops.log10": mp.log10,
    "keras.ops.log1p": mp.log1p,
    "keras.ops.sqrt": mp.sqrt,
    "keras.ops.rsqrt": lambda x: 1 / mp.sqrt(x),
    "keras.ops.cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "keras.ops.sin": mp.sin,
    "keras.ops.cos": mp.cos,
    "keras.ops.tan": mp.tan,
    "keras.ops.arcsin": mp.asin,
    "keras.ops.arccos": mp.acos,
    "keras.ops.arctan": mp.atan,
    "keras.ops.sinh": mp.sinh,
    "keras.ops.cosh": mp.cosh,
    "keras.ops.tanh": mp.tanh,
    "keras.ops.arcsinh": mp.asinh,
    "keras.ops.arccosh": mp.acosh,
    "keras.ops.arctanh": mp.atanh,
    "keras.ops.erf": mp.erf,
    "keras.ops.erfc": mp.erfc,
    "keras.ops.erfinv": mp.erfinv,
    "keras.ops.i0": lambda x: mp.besseli(0, x),
    "keras.ops.sinc": mp.sincpi,
    "keras.ops.rad2deg": mp.degrees,
    "keras.ops.deg2rad": mp.radians,
    "keras.ops.sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "keras.ops.log_sigmoid": lambda x: -mp.log1p(mp.exp(-x)),
    "keras.ops.softplus": lambda x: mp.log1p(mp.exp(x)),
    "keras.ops.silu": lambda x: x / (1 + mp.exp(-x)),
    "keras.activations.mish": lambda x: x * mp.tanh(mp.log1p(mp.exp(x))),
    "keras.activations.gelu": _gelu,
    "keras.ops.gelu": lambda x: (
        x / (1 + mp.exp(-2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3)))
    ),
    "keras.ops.softsign": lambda x: x / (1 + abs(x)),
    "keras.ops.squareplus": lambda x: (x + mp.sqrt(x * x + 4)) / 2,
    "keras.ops.elu": lambda x: x if x > 0 else mp.expm1(x),
}


def _ball(number: Any) -> arb:
    """An mpmath number, and all that is near it to the digits of which it is sure."""
    sign, significand, exponent, _ = number._mpf_
    middle = arb((-int(significand) if sign else int(significand), int(exponent)))
    return middle + abs(middle) * arb(0, 10.0**-_SURE)


@pytest.mark.parametrize("op", list(_FUNCTIONS))
def test_mpmath_is_inside_of_the_ball(op: str) -> None:
    x = draws(5)
    # mpmath takes its time for large arguments, and its result need not be a number of any format.
    x = x[np.isfinite(x) & (np.abs(x) < 80.0) & (np.abs(x) > 1e-12)]
    (found,) = enclose(op, [x], format="float64", bits=32)
    compared = 0
    with mp.workdps(_DIGITS):
        for number, ball in zip(x, found.elements, strict=True):
            if not isinstance(ball, arb):
                continue
            expected = _FUNCTIONS[op](mp.mpf(float(number)))
            assert ball.overlaps(_ball(expected)), (op, number, ball, expected)
            compared += 1
    assert compared > 10
