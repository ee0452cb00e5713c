"""Faults of precision drawn by seed: a family of formulas, an op, a backend, and where.

A ``small`` fault is at most ``MOST`` units in the last place off, on at most one in a hundred of
the format's numbers: it replaces a function between two neighbouring powers of two, or less. How
far it is off is measured on the numbers there, before it is taken.
"""

from collections.abc import Iterator, Sequence
from math import ldexp
from typing import Any

import msgspec
import numpy as np

from assay.ir import derive
from assay.ops import Draw
from assay_worker.precision.formats import unit
from seeded.inexact import FUNCTIONS, formula

LEAST, MOST = 9.0, 16.0
BACKENDS = ("keras-torch", "keras-tensorflow", "keras-jax")
#: Of a family: the issue's words, the format, and the ops that it fits.
FAMILIES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "polynomial": (
        "low-order polynomial",
        "float32",
        (
            *("exp", "sin", "cos", "tanh", "expm1", "log1p", "arctan", "sinh", "cosh", "erf"),
            *("exp2", "arcsinh", "sigmoid", "softplus"),
        ),
    ),
    "unshifted": ("softmax without shift", "float32", ("softmax", "log_softmax", "logsumexp")),
    "overflowing": ("sigmoid by exp of large", "float32", ("sigmoid", "silu", "log_sigmoid")),
    "squares": ("variance by E[x²] − E[x]²", "float32", ("var", "std")),
    "running": ("float16 sums in float16", "float16", ("sum", "mean")),
    "newton": ("one Newton step too few", "float32", ("rsqrt", "sqrt")),
    "logarithm": ("log(1 + x) for log1p", "float32", ("log1p", "expm1", "softplus", "arcsinh")),
    "table": (
        "table lookup",
        "float32",
        ("exp", "sin", "cos", "tanh", "arctan", "erf", "sigmoid", "exp2", "softplus"),
    ),
    "constants": ("float32 constants in float64", "float64", ("deg2rad", "log2", "log10", "exp2")),
    "flushed": ("flush to zero", "float32", ("exp", "exp2", "sigmoid", "tanh", "sin", "arctan")),
}
#: Those that can be small.
SMALL = ("polynomial", "newton", "logarithm", "table")
#: A region is between a power of two and at most the next, of one sign: in 254 × 2 such pieces.
_SHARE = 1.0 / 508.0
_ATTEMPTS = 400


class Inexact(msgspec.Struct, frozen=True):
    """One op of one backend, and its formula. ``units``: how far it is off, where that is small."""

    op: str
    target: str
    family: str
    dtype: str
    small: bool
    details: dict[str, Any]
    units: float | None = None
    share: float | None = None

    @property
    def shown(self) -> str:
        """Size and place in a few words."""
        if self.units is None or self.share is None:
            return "large"
        place = f"{self.details['low']:.5g} to {self.details['high']:.5g}"
        return f"{self.units:.1f} ULP on {100 * self.share:.2f}% ({place})"


def drawn(count: int, seed: int) -> list[Inexact]:
    """That many faults, every second of them small, no two on one op of one backend."""
    draw = Draw(derive(seed, "precision faults"))
    large = list(draw.order(list(FAMILIES)))
    found: list[Inexact] = []
    for index in range(count):
        small = bool(index % 2)
        fault = next(
            item
            for item in _candidates(draw, large, index // 2, small)
            if (item.op, item.target) not in {(other.op, other.target) for other in found}
        )
        found.append(fault)
    return found


def _candidates(draw: Draw, large: Sequence[str], turn: int, small: bool) -> Iterator[Inexact]:
    for _ in range(_ATTEMPTS):
        family = draw.pick(SMALL) if small else large[turn % len(large)]
        _, dtype, ops = FAMILIES[family]
        name = draw.pick(ops)
        # Keras computes in float32 on JAX where its default is that.
        targets = BACKENDS[:2] if dtype == "float64" else BACKENDS
        target = draw.pick(targets)
        fault = Inexact(f"keras.ops.{name}", target, family, dtype, small, {})
        made = _small(fault, name, draw) if small else _large(fault, draw)
        if made is not None:
            yield made
    raise ValueError(f"no fault of size {LEAST:g} to {MOST:g} came of {_ATTEMPTS} draws")


def _large(fault: Inexact, draw: Draw) -> Inexact:
    details: dict[str, Any] = {}
    if fault.family in ("polynomial", "table"):
        details = {"low": 0.25, "high": 4.0, "degree": draw.pick((5, 6, 7)), "entries": 256}
    if fault.family == "newton":
        details = {"bits": draw.pick((6, 7, 8))}
    if fault.family == "flushed":
        details = {"below": ldexp(1.0, -draw.pick((40, 60, 80, 100)))}
    return msgspec.structs.replace(fault, details=details)


def _small(fault: Inexact, name: str, draw: Draw) -> Inexact | None:
    # Where these functions are neither a straight line nor constant.
    start = ldexp(1.0, draw.pick((-5, -4, -3, -2, -1, 0, 1)))
    width = draw.pick((1.0, 0.5, 0.25))
    low, high = start, start * (1.0 + width)
    if fault.family not in ("newton",) and draw.pick((True, False)):
        low, high = -high, -low
    details: dict[str, Any] = {"low": low, "high": high}
    if low < 0.0 and name in ("log1p",) and low <= -1.0:
        return None
    if fault.family == "polynomial":
        details["degree"] = draw.pick((2, 3, 4, 5))
    if fault.family == "table":
        details["entries"] = draw.pick((64, 128, 256, 512, 1024, 2048))
    if fault.family == "newton":
        details["bits"] = draw.pick((9, 10, 11))
    made = msgspec.structs.replace(fault, details=details, share=width * _SHARE)
    units = _units(made, name)
    return msgspec.structs.replace(made, units=units) if LEAST <= units <= MOST else None


def _units(fault: Inexact, name: str) -> float:
    """The largest error on many of the numbers of its region."""
    low, high = fault.details["low"], fault.details["high"]
    x = np.linspace(low, high, 20001)[:-1].astype(fault.dtype)
    x = x[(x >= low) & (x < high)]
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[name](x.astype("float64"))
        found = formula(x, name, fault.family, fault.details).astype("float64")
        apart = np.abs(found - exact) / unit(exact, fault.dtype)
    return float(np.max(apart)) if np.isfinite(apart).all() else np.inf
