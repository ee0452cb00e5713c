"""Recipes for the tensors of a call: ordinary numbers, and every value class."""

import numpy as np

from assay.ir import (
    Integers,
    Matrix,
    Mixed,
    OneHot,
    Ordered,
    Probabilities,
    Recipe,
    Signs,
    Uniform,
)
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
#: Where NaN belongs in an order, nothing says.
_ORDERED_CLASSES = ("zero", "one", "positive_infinity", "negative_infinity", "tied")
_INTEGER_CLASSES = ("zero", "one", "integer_extreme")
#: The one special class of labels and predictions of a form of their own: predictions
#: that are certain, labels that are not, labels 0 and 1 where -1 and 1 are usual.
_CLASS_OF_KIND = {"probabilities": "certain", "one_hot": "soft", "signs": "binary"}
#: What share of the elements is special; 1.0 gives whole arrays of zeros or NaN.
_SHARES = (0.1, 0.3, 0.3, 1.0)
_SHARES_OF_TWO = (0.4, 0.7)
_SHARE_OF_ALL = 0.8
_ENOUGH = 12
#: Special classes of matrices by structure.
_SCALES = ("scaled_up", "scaled_down")
MATRIX_CLASSES = {
    "invertible": ("identity", "singular", *_SCALES),
    "symmetric": ("identity", "singular", *_SCALES),
    "positive_definite": ("identity", "indefinite", *_SCALES),
    "lower": ("identity", *_SCALES),
    "upper": ("identity", *_SCALES),
    "affine": ("identity", "scaled_up"),
    "corners": ("identity",),
}
_WIDER = 100.0


def value_classes(domain: Domain, dtype: str) -> tuple[str, ...]:
    """The special value classes that a tensor of this domain and dtype can have."""
    if not domain.special or dtype == "bool":
        return ()
    if domain.kind == "ids":
        return ("out_of_range",)
    if domain.kind in MATRIX_CLASSES:
        return domain.classes or MATRIX_CLASSES[domain.kind]
    if domain.kind in _CLASS_OF_KIND:
        return (_CLASS_OF_KIND[domain.kind],)
    if dtype.startswith(("int", "uint")):
        return _INTEGER_CLASSES if domain.whole is None else ()
    if domain.kind == "ordered":
        return _ORDERED_CLASSES
    return domain.classes or _FLOAT_CLASSES


def ordinary(domain: Domain, dtype: str, seed: int) -> Recipe:
    """The recipe without special values."""
    if domain.kind == "one_hot":
        return OneHot(seed)
    if domain.kind == "probabilities":
        return Probabilities(seed)
    if domain.kind == "signs":
        return Signs(seed)
    if domain.kind in MATRIX_CLASSES:
        return Matrix(seed, domain.kind)
    if domain.kind == "ordered":
        return Ordered(seed, (), domain.low, domain.high)
    if domain.kind == "ids" or dtype.startswith(("int", "uint")):
        low, high = _whole_range(domain, dtype)
        return Integers(seed, low, high)
    return Uniform(seed, domain.low, domain.high)


def special(
    draw: Draw, domain: Domain, dtype: str, seed: int, size: int, first: str = ""
) -> tuple[Recipe, tuple[str, ...]]:
    """A recipe with special values for ``size`` elements, and the value classes in it.

    ``first``, one of the ``value_classes`` of the domain and dtype, is among them
    (any of them if it is not given). Neither those nor the array must be empty.
    """
    first = first or draw.pick(value_classes(domain, dtype))
    if domain.kind in MATRIX_CLASSES:
        return Matrix(seed, domain.kind, first), (first,)
    if first == "certain":
        return OneHot(seed), (first,)
    if first == "soft":
        return Probabilities(seed), (first,)
    if first == "binary":
        return Integers(seed, 0, 1), (first,)
    if domain.kind == "ordered":
        return Ordered(seed, (first,), domain.low, domain.high, draw.pick(_SHARES)), (first,)
    if first == "out_of_range":
        low, high = _whole_range(domain, dtype)
        return Integers(seed, min(-1, low - 1), high + 2), (first,)
    if first == "wide":
        return Uniform(seed, _WIDER * domain.low, _WIDER * domain.high), (first,)
    chosen = [first]
    shares: tuple[float, ...] = _SHARES
    # Some faults need two at once (NaN and infinity in one cumulative sum), which
    # takes enough elements to hold both.
    elements = [name for name in ELEMENT_CLASSES if name in (domain.classes or ELEMENT_CLASSES)]
    if size >= _ENOUGH and draw.chance(0.3) and elements and not dtype.startswith(("int", "uint")):
        second = draw.pick(elements)
        if second != first:
            chosen.append(second)
            shares = _SHARES_OF_TWO
    lowest = max(domain.low, 0.0) if dtype.startswith("uint") else domain.low
    recipe = Mixed(seed, tuple(chosen), lowest, domain.high, draw.pick(shares))
    return recipe, tuple(chosen)


def assorted(domain: Domain, dtype: str, seed: int) -> tuple[Recipe, tuple[str, ...]] | None:
    """Every special value but NaN in one array, for ops that take each element by itself.

    None if the domain has no such values.
    """
    known = value_classes(domain, dtype)
    chosen = tuple(name for name in ELEMENT_CLASSES if name in known and name != "nan")
    if len(chosen) < 2 or domain.kind != "uniform" or not dtype.startswith("float"):
        return None
    return Mixed(seed, chosen, domain.low, domain.high, _SHARE_OF_ALL), chosen


def _whole_range(domain: Domain, dtype: str) -> tuple[int, int]:
    low, high = domain.whole or (int(domain.low), int(domain.high))
    if domain.kind != "ids" and domain.whole is None:
        # Ordinary numbers are small, but more than a handful of different ones.
        low, high = 4 * low, 4 * high
    if dtype.startswith("float"):  # labels 0 and 1
        return low, high
    info = np.iinfo(dtype)
    return max(low, int(info.min)), min(high, int(info.max))
