"""Strategies on inexact formulas in NumPy: how large an error does each find with as many inputs?

    python benchmarks/strategies.py [--inputs N] [--seeds K]

The error is in units in the last place, over one plus what half a unit of every number that goes in
does: what the inputs do not explain. Prints medians over seeds, for each strategy, and for the
mixture with ``cmaes`` and ``gradient`` taking turns in it.
"""

import argparse
import sys
from collections.abc import Callable
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

from assay.ir import Array
from assay.search import Scores, Settings, Space, Strategy, Tensor, create, strategies
from assay.search.mixture import Mixture
from assay_worker.precision.formats import flushes, rounded, unit

#: Numbers of an input, and inputs that a strategy is asked for at a time.
_NUMBERS, _POPULATION = 17, 250


def added(x: Array) -> tuple[Array, Array, Array]:
    """A sum whose parts are rounded to the format; the exact one; what rounding of inputs does."""
    total = np.zeros(len(x), x.dtype)
    for place in range(x.shape[1]):
        total = (total + x[:, place]).astype(x.dtype)
    wide = x.astype("float64")
    return total, wide.sum(axis=1), _halves(x).sum(axis=1)


def squares(x: Array) -> tuple[Array, Array, Array]:
    """The variance as E[x²] − E[x]²."""
    wide = x.astype("float64")
    slopes = 2.0 * (wide - wide.mean(axis=1, keepdims=True)) / x.shape[1]
    ball = (np.abs(slopes) * _halves(x)).sum(axis=1)
    return (x * x).mean(axis=1) - x.mean(axis=1) ** 2, wide.var(axis=1), ball


def shares(x: Array) -> tuple[Array, Array, Array]:
    """A softmax as it should be; its rounding is what is left."""
    found, exact = (_softmax(item) for item in (x, x.astype("float64")))
    halves = _halves(x)
    others = (halves * exact).sum(axis=1, keepdims=True)
    return found, exact, exact * (halves * (1.0 - 2.0 * exact) + others)


def looked_up(x: Array) -> tuple[Array, Array, Array]:
    """tanh, in a small region by lines between the entries of a table."""
    exact = np.tanh(x.astype("float64"))
    entries = np.linspace(-0.375, -0.25, 65)
    lines = np.interp(x.astype("float64"), entries, np.tanh(entries))
    here = (x >= -0.375) & (x < -0.25)
    return np.where(here, lines, exact).astype(x.dtype), exact, np.zeros(x.shape)


def beside_one(x: Array) -> tuple[Array, Array, Array]:
    """arcsinh, in a small region by the logarithm of a sum beside one."""
    exact = np.arcsinh(x.astype("float64"))
    naive = np.log(x + np.sqrt(x * x + x.dtype.type(1.0)))
    here = (x >= -0.5) & (x < -0.25)
    return np.where(here, naive, exact.astype(x.dtype)), exact, np.zeros(x.shape)


def _softmax(x: Array) -> Array:
    high = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(high / high.sum(axis=1, keepdims=True))


def _halves(x: Array) -> Array:
    return np.asarray(0.5 * unit(x.astype("float64"), x.dtype.name))


Function = Callable[[Array], tuple[Array, Array, Array]]
FUNCTIONS: dict[str, tuple[Function, str]] = {
    "float16 sum": (added, "float16"),
    "float32 sum": (added, "float32"),
    "variance": (squares, "float32"),
    "softmax": (shares, "float32"),
    "table": (looked_up, "float32"),
    "logarithm": (beside_one, "float32"),
}


def scores(function: Function, flat: Array, dtype: str) -> Scores:
    """What inputs score; where the exact result is near an end of the format, nothing."""
    with np.errstate(all="ignore"):
        found, exact, ball = function(rounded(flat, dtype, flushes(dtype)).astype(dtype))
        step = unit(exact, dtype)
        own = np.abs(found.astype("float64") - exact) / step / (1.0 + np.abs(ball) / step)
        plain = np.isfinite(found) & (np.abs(exact) < 0.1 * float(np.finfo(dtype).max))
        plain &= np.abs(exact) > 16.0 * float(np.finfo(dtype).tiny)
    largest = np.where(plain, np.nan_to_num(own), 0.0).reshape(len(flat), -1).max(axis=1)
    return Scores(largest, largest, largest)


def _with(extra: str) -> Callable[[Space, int], Strategy]:
    def make(space: Space, seed: int) -> Strategy:
        made = Mixture(space, seed, Settings())
        made._parts[extra] = create(extra, space, seed)  # type: ignore[assignment]
        made._turns = (*made._turns, extra)
        return made

    return make


def _named(name: str) -> Callable[[Space, int], Strategy]:
    return lambda space, seed: create(name, space, seed)


def largest(make: Callable[[Space, int], Strategy], function: str, seed: int, inputs: int) -> float:
    """The largest error that a strategy finds."""
    formula, dtype = FUNCTIONS[function]
    search, best = make(Space((Tensor("x0", (_NUMBERS,)),), dtype), seed), 0.0
    for start in range(0, inputs, _POPULATION):
        asked = search.ask(min(_POPULATION, inputs - start))
        found = scores(formula, asked["x0"], dtype)
        search.tell(asked, found)
        best = max(best, float(found.units.max()))
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    makers = {name: _named(name) for name in strategies() if name not in ("linf", "l1")}
    makers |= {f"mixture and {name}": _with(name) for name in ("cmaes", "gradient")}
    shown = Table("", *FUNCTIONS, box=None)
    for column in shown.columns[1:]:
        column.justify = "right"
    for name, make in makers.items():
        cells = []
        for function in FUNCTIONS:
            seeds = range(options.seeds)
            found = median(largest(make, function, seed, options.inputs) for seed in seeds)
            cells.append(f"{found:.3g}")
        shown.add_row(name, *cells)
    Console(width=100).print(shown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
