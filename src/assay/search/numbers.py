"""Numbers worth trying: spread evenly over exponents, and those beside the edges of a format."""

from functools import cache

import numpy as np

from assay.ir import Array
from assay_worker.precision.formats import FORMATS, largest, rounded, smallest, unit


def spread(generator: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Normal numbers of a format whose exponents are equally likely; either sign.

    Half of the rows have exponents over the whole format. In the others they are near each
    other, so that no element makes all the others vanish.
    """
    found = FORMATS[dtype]
    rows = shape[0]
    middle = generator.integers(found.least, found.greatest + 1, (rows, 1))
    reach = np.where(generator.random((rows, 1)) < 0.5, found.greatest - found.least, 3)
    low = np.maximum(found.least, middle - reach)
    high = np.minimum(found.greatest, middle + reach)
    exponents = low + np.floor(generator.random(shape) * (high - low + 1)).astype("int64")
    signs = np.where(generator.random(shape) < 0.5, -1.0, 1.0)
    return np.asarray(signs * np.ldexp(1.0 + generator.random(shape), exponents))


def anywhere(generator: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Half of the rows are normal numbers, the others numbers of every size."""
    wide = generator.random((shape[0], 1)) < 0.5
    normal = generator.standard_normal(shape)
    return np.asarray(np.where(wide, spread(generator, shape, dtype), normal))


@cache
def edges(dtype: str) -> Array:
    """Where formulas change: powers of two, logarithms of the ends of the format, multiples of pi.

    Each with its neighbours in the format, and both signs; zero is among them.
    """
    found = FORMATS[dtype]
    ends = [np.log(largest(dtype)), -np.log(smallest(dtype)), np.sqrt(largest(dtype))]
    pis = [np.pi * part for part in (0.25, 0.5, 1.0, 1.5, 2.0, 4.0, 16.0, 100.0, 10000.0)]
    short = [0.1, 1 / 3, 0.5, 0.75, 1.5, 2.5, 3.0, 5.0, 6.0, 10.0, 20.0, 50.0, 88.0, 100.0, 1e4]
    near_one = [1.0 + 2.0**-k for k in range(1, found.bits)]
    powers = [2.0**k for k in range(found.least, found.greatest + 1)]
    if dtype == "float64":
        powers = powers[::16]
    values = np.array([*ends, np.log(2.0), np.e, *pis, *short, *near_one, *powers, largest(dtype)])
    values = rounded(values[values <= largest(dtype)], dtype)
    step = unit(values, dtype)
    with np.errstate(over="ignore"):
        values = np.concatenate([values, values + step, values - step])
    values = values[(values >= smallest(dtype)) & (values <= largest(dtype))]
    return np.unique(np.concatenate([values, -values, [0.0]]))


def moved(
    generator: np.random.Generator, values: Array, dtype: str, most: int, least: int = 0
) -> Array:
    """The values from 2^``least`` to 2^``most`` units in the last place up or down."""
    powers = least + np.floor(generator.random(values.shape) * (most - least + 1))
    signs = np.where(generator.random(values.shape) < 0.5, -1.0, 1.0)
    with np.errstate(over="ignore"):
        return np.asarray(values + signs * np.exp2(powers) * unit(values, dtype))


def halfway(generator: np.random.Generator, values: Array, dtype: str) -> Array:
    """Numbers beside the values that rounding to the format moves as far as it moves any."""
    near, step = rounded(values, dtype), unit(values, dtype)
    signs = np.where(generator.random(values.shape) < 0.5, -1.0, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        between = near + signs * (0.5 - 2.0**-12) * step
    return np.asarray(np.where(np.isfinite(between), between, values))
