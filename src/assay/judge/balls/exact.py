"""Formulas of one number whose results are exact: the number itself, limits, yes and no.

What compares NaN with a number is a convention of each library (``maximum`` hands NaN on,
``fmax`` does not), and open here.
"""

import math
from typing import Any

from flint import arb

from assay.judge.balls.registry import NoFormula, unary
from assay.judge.balls.truth import Open

COMPARED = Open("what a comparison makes of NaN is a convention")


def _path(*names: str) -> tuple[str, ...]:
    return tuple(f"keras.ops.{name}" for name in names)


_INFERENCE = (
    "AlphaDropout", "Dropout", "GaussianDropout", "SpatialDropout1D", "SpatialDropout2D",
    "SpatialDropout3D",
)  # fmt: skip


@unary(
    *_path("conj", "conjugate", "copy", "real", "stop_gradient"),
    "keras.activations.linear",
    "keras.layers.Identity",
    plus=math.inf,
    minus=-math.inf,
)
def identity(x: arb) -> arb:
    """x."""
    return x


def _handed_on(number: float) -> Any:
    return lambda **params: number


@unary(
    *(f"keras.layers.{name}" for name in _INFERENCE),
    plus=_handed_on(math.inf),
    minus=_handed_on(-math.inf),
)
def dropout(x: arb, rate: float) -> arb:
    """x, as when not training."""
    return x


@unary("keras.layers.GaussianNoise", plus=_handed_on(math.inf), minus=_handed_on(-math.inf))
def noise(x: arb, stddev: float) -> arb:
    """x, as when not training."""
    return x


@unary(
    "keras.layers.ActivityRegularization",
    plus=_handed_on(math.inf),
    minus=_handed_on(-math.inf),
)
def penalised(x: arb, l1: float = 0.0, l2: float = 0.0) -> arb:
    """x; the penalty is part of another loss."""
    return x


@unary(*_path("array"), plus=_handed_on(math.inf), minus=_handed_on(-math.inf))
def array(x: arb, dtype: str | None = None) -> arb:
    """x in its own format."""
    if dtype is not None:
        raise NoFormula("the formula of keras.ops.array knows no conversions")
    return x


@unary(*_path("imag"), plus=0.0, minus=0.0, nan=0.0)
def imaginary(x: arb) -> float:
    """Of a real number, zero."""
    return 0.0


def _limited(number: float, x_min: Any, x_max: Any) -> Any:
    if isinstance(x_min, int | float) and isinstance(x_max, int | float):
        return float(min(max(number, x_min), x_max))
    raise NoFormula("the formula of keras.ops.clip knows numbers as limits only")


@unary(
    *_path("clip"),
    plus=lambda x_min, x_max: _limited(math.inf, x_min, x_max),
    minus=lambda x_min, x_max: _limited(-math.inf, x_min, x_max),
    nan=COMPARED,
)
def clip(x: arb, x_min: Any, x_max: Any) -> arb:
    """Not below ``x_min``, and then not above ``x_max``."""
    _limited(0.0, x_min, x_max)
    return x.max(arb(x_min)).min(arb(x_max))


def _replacement(value: Any) -> Any:
    if value is None:
        return Open("the largest number of the format")
    return float(value)


@unary(
    *_path("nan_to_num"),
    nan=lambda nan=0.0, posinf=None, neginf=None: 0.0 if nan is None else float(nan),
    plus=lambda nan=0.0, posinf=None, neginf=None: _replacement(posinf),
    minus=lambda nan=0.0, posinf=None, neginf=None: _replacement(neginf),
)
def nan_to_num(x: arb, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> arb:
    """x where it is finite."""
    return x


def _yes_or_no(
    name: str, answer: Any, nan: Any = 0.0, plus: float = 0.0, minus: float = 0.0, zero: Any = None
) -> None:
    unary(*_path(name), nan=nan, plus=plus, minus=minus, negative_zero=zero)(
        lambda x: float(answer(x))
    )


_yes_or_no("isfinite", lambda x: True)
_yes_or_no("isinf", lambda x: False, plus=1.0, minus=1.0)
_yes_or_no("isnan", lambda x: False, nan=1.0)
_yes_or_no("isposinf", lambda x: False, plus=1.0)
_yes_or_no("isneginf", lambda x: False, minus=1.0)
_yes_or_no("isreal", lambda x: True, nan=1.0, plus=1.0, minus=1.0)
_yes_or_no("logical_not", lambda x: x.is_zero())
_yes_or_no("signbit", lambda x: x < 0, nan=Open("NaN has no documented sign"), minus=1.0, zero=1.0)
