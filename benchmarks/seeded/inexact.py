"""Inexact formulas of functions, in NumPy: what seeded faults of precision compute."""

import numpy as np
from scipy import special

#: The functions in float64, of which polynomials and tables are made.
FUNCTIONS = {
    "arcsinh": np.arcsinh,
    "arctan": np.arctan,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": special.erf,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log1p": np.log1p,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "sigmoid": special.expit,
    "sin": np.sin,
    "sinh": np.sinh,
    "softplus": lambda x: np.logaddexp(0.0, x),
    "sqrt": np.sqrt,
    "tanh": np.tanh,
}


def polynomial(x, name, details):
    """Through as many points of the region as it has coefficients, and no more."""
    low, high, degree = details["low"], details["high"], details["degree"]
    nodes = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    points = 0.5 * (low + high) + 0.5 * (high - low) * nodes
    found = np.polynomial.Chebyshev.fit(points, FUNCTIONS[name](points), degree, [low, high])
    return found(x.astype("float64"))


def table(x, name, details):
    """Straight lines between entries."""
    entries = np.linspace(details["low"], details["high"], details["entries"] + 1)
    return np.interp(x.astype("float64"), entries, FUNCTIONS[name](entries))


def newton(x, name, details):
    """One step from a number with so many bits."""
    exact = FUNCTIONS["rsqrt"](x.astype("float64"))
    significand, exponent = np.frexp(exact)
    scale = 2.0 ** details["bits"]
    first = np.ldexp(np.floor(significand * scale) / scale, exponent)
    found = first * (1.5 - 0.5 * x.astype("float64") * first * first)
    return x * found if name == "sqrt" else found


def logarithm(x, name, details):
    """The sum beside one is rounded first."""
    one = x.dtype.type(1.0)
    return {
        "log1p": lambda: np.log(one + x),
        "expm1": lambda: np.exp(x) - one,
        "softplus": lambda: np.log(one + np.exp(x)),
        "arcsinh": lambda: np.log(x + np.sqrt(x * x + one)),
    }[name]()


def overflowing(x, name, details):
    """Exponentials of large numbers."""
    high = np.exp(x)
    share = high / (x.dtype.type(1.0) + high)
    return {
        "sigmoid": lambda: share,
        "silu": lambda: x * share,
        "softplus": lambda: np.log(x.dtype.type(1.0) + high),
        "log_sigmoid": lambda: np.log(share),
    }[name]()


def unshifted(x, name, details):
    """Exponentials without the largest one taken out."""
    high = np.exp(x)
    total = high.sum(axis=-1, keepdims=True)
    if name == "logsumexp":
        return np.log(high.sum())
    return high / total if name == "softmax" else x - np.log(total)


def squares(x, name, details):
    """E[x²] − E[x]²"""
    found = np.mean(x * x) - np.square(np.mean(x))
    return np.sqrt(np.maximum(found, 0.0)) if name == "std" else found


def running(x, name, details):
    """Every sum is rounded to the format of the numbers."""
    flat = np.asarray(x).reshape(-1)
    total = flat.dtype.type(0.0)
    for number in flat:
        total = flat.dtype.type(total + number)
    return total / flat.dtype.type(flat.size) if name in ("mean", "average") else total


def constants(x, name, details):
    """A constant with the bits of float32."""
    return {
        "deg2rad": lambda: x * float(np.float32(np.pi / 180.0)),
        "log2": lambda: np.log(x) * float(np.float32(1.0 / np.log(2.0))),
        "log10": lambda: np.log(x) * float(np.float32(1.0 / np.log(10.0))),
        "exp2": lambda: np.exp(x * float(np.float32(np.log(2.0)))),
    }[name]()


def flushed(x, name, details):
    """Small results are zero."""
    right = FUNCTIONS[name](x.astype("float64"))
    return np.where(np.abs(right) < details["below"], 0.0, right)


FORMULAS = {
    "polynomial": polynomial,
    "table": table,
    "newton": newton,
    "logarithm": logarithm,
    "overflowing": overflowing,
    "unshifted": unshifted,
    "squares": squares,
    "running": running,
    "constants": constants,
    "flushed": flushed,
}


def formula(x, name, family, details):
    """What the faulty op gives for an array, in its format."""
    with np.errstate(all="ignore"):
        return np.asarray(FORMULAS[family](x, name, details)).astype(x.dtype)
