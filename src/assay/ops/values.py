"""Recipes for the tensors of a call: ordinary numbers, and every value class."""

import numpy as np

from assay.ir import Integers, Mixed, OneHot, Probabilities, Recipe, Signs, Uniform
from assay.ops._base import Domain
from assay.ops._draw import Draw

ELEMENT_CLASSES = (
    "zero",
    "negative_zero",
    "one",
    "subnormal",
    "tiny",
    "huge",
    "nan",
    "positive_infinity",
    "negative_infinity",
)
#: ``wide`` is the ordinary range a hundred times as wide: large logits, saturation.
_FLOAT_CLASSES = (*ELEMENT_CLASSES, "tied", "large_mean", "wide")
_INTEGER_CLASSES = ("zero", "one", "integer_extreme")
#: What share of the elements is special; 1.0 gives whole arrays of zeros or NaN.
_SHARES = (0.1, 0.3, 0.3, 1.0)
_SHARES_OF_TWO = (0.4, 0.7)
_ENOUGH = 12
_WIDER = 100.0


def value_classes(domain: Domain, dtype: str) -> tuple[str, ...]:
    """The special value classes that a tensor of this domain and dtype can have."""
    if domain.kind == "ids":
        return ("out_of_range",) if domain.special else ()
    if not domain.special or domain.kind != "uniform" or dtype == "bool":
        return ()
    if dtype.startswith(("int", "uint")):
        return _INTEGER_CLASSES
    return _FLOAT_CLASSES


def ordinary(domain: Domain, dtype: str, seed: int) -> Recipe:
    """The recipe without special values."""
    if domain.kind == "one_hot":
        return OneHot(seed)
    if domain.kind == "probabilities":
        return Probabilities(seed)
    if domain.kind == "signs":
        return Signs(seed)
    if domain.kind == "ids" or dtype.startswith(("int", "uint")):
        low, high = _whole_range(domain, dtype)
        return Integers(seed, low, high)
    return Uniform(seed, domain.low, domain.high)


def special(
    draw: Draw, domain: Domain, dtype: str, seed: int, size: int
) -> tuple[Recipe, tuple[str, ...]]:
    """A recipe with special values for ``size`` elements, and the value classes in it.

    ``value_classes`` of the domain and dtype must not be empty, nor the array.
    """
    first = draw.pick(value_classes(domain, dtype))
    if first == "out_of_range":
        low, high = _whole_range(domain, dtype)
        return Integers(seed, min(-1, low - 1), high + 2), (first,)
    if first == "wide":
        return Uniform(seed, _WIDER * domain.low, _WIDER * domain.high), (first,)
    chosen = [first]
    shares: tuple[float, ...] = _SHARES
    # Some faults need two at once (NaN and infinity in one cumulative sum), which
    # takes enough elements to hold both.
    if size >= _ENOUGH and draw.chance(0.3) and not dtype.startswith(("int", "uint")):
        second = draw.pick(ELEMENT_CLASSES)
        if second != first:
            chosen.append(second)
            shares = _SHARES_OF_TWO
    lowest = max(domain.low, 0.0) if dtype.startswith("uint") else domain.low
    recipe = Mixed(seed, tuple(chosen), lowest, domain.high, draw.pick(shares))
    return recipe, tuple(chosen)


def _whole_range(domain: Domain, dtype: str) -> tuple[int, int]:
    low, high = int(domain.low), int(domain.high)
    if domain.kind != "ids":
        # Ordinary numbers are small, but more than a handful of different ones.
        low, high = 4 * low, 4 * high
    info = np.iinfo(dtype)
    return max(low, int(info.min)), min(high, int(info.max))
