"""What rounding explains: how far the answer moves when the input moves by one ULP.

A deviation between two arms is rounding if the arm we believe deviates from
itself as much when its inputs are nudged by about one unit in the last place.
The same test tells conventions from bugs in gradients: at a kink or a tie the
gradient jumps under the nudge, at a smooth point it does not.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from assay.gaps import FLUSHED, gap
from assay.ir import Array, Case, Dot, Explicit
from assay.ir.transform import spacing

#: How many nudged copies are run, and how many times their largest movement is granted.
NUDGES = 6
GRANTED = 16.0
#: What is granted to products, whose factors inside (one over a root, say) are not known.
_GRANTED_TO_PRODUCTS = 64.0
#: What is granted to quotients of output and input: more would hide small gradients.
_GRANTED_TO_QUOTIENTS = 4.0
#: A smaller divisor would excuse anything.
_SMALLEST_DIVISOR = 2.0**-8


def product_noise(case: Case) -> float:
    """What rounding leaves of a sum of products that cancels out, by the size of what goes in.

    For results that all libraries agree on, and only the reference disputes: nobody else is
    there to say what their terms are.
    """
    arrays = list(case.input_arrays().values())
    if isinstance(case.loss, Dot):
        arrays += [item.array for item in case.loss.upstream if isinstance(item, Explicit)]
    floats = [array for array in arrays if array.dtype.kind == "f" and array.size]
    epsilon = max([spacing(case), *(float(np.finfo(array.dtype).eps) for array in floats)])
    factors = [max(1.0, _largest(array)) for array in floats]
    return _granted(case) * epsilon * float(np.prod(factors))


def half_noise(case: Case, result: Array, terms: int | None = None) -> float:
    """What half precision leaves of a result whose intermediate numbers are rounded to it too.

    They are as large as the largest element, so that the error of all is that of one. ``terms``:
    how many numbers the result hangs on, where that is known.
    """
    granted = min(_elements(case), terms or _GRANTED_TO_PRODUCTS, _GRANTED_TO_PRODUCTS)
    return granted * spacing(case) * _largest(result)


def _granted(case: Case) -> float:
    """How many units: no result is a sum of more terms than numbers go in."""
    return min(_GRANTED_TO_PRODUCTS, _elements(case)) if case.loss is None else _GRANTED_TO_PRODUCTS


def _elements(case: Case) -> int:
    return sum(array.size for array in case.input_arrays().values())


def zero_noise(case: Case, outputs: Sequence[Array], element: float) -> float:
    """What rounding leaves of a derivative that is zero, where terms of each side cancel out.

    They are as large as output over this element of the input; the output may itself be what is
    left of numbers of size one.
    """
    near = min(1.0, max(abs(element), _SMALLEST_DIVISOR))
    return quotient_noise(case, [*outputs, np.ones(1)]) / near


def quotient_noise(case: Case, outputs: Sequence[Array]) -> float:
    """What rounding leaves of a gradient whose terms are as large as output over input.

    A function that does not depend on the size of its input (a normalisation) has such
    terms, and they cancel out. The slope of one that saturates (softmax) is made of its
    rounded output: there the terms are as large as that, however large the input.
    """
    upstream = case.loss.upstream if isinstance(case.loss, Dot) else ()
    factors = [item.array for item in upstream if isinstance(item, Explicit)]
    inputs = [array for array in case.input_arrays().values() if array.dtype.kind == "f"]
    if not inputs:
        return 0.0
    # Where all numbers are zero none of them says how large the terms are: of size one.
    sizes = [size for array in inputs if (size := _largest(array))]
    smallest = min(sizes, default=1.0)
    epsilon = max([spacing(case), *(float(np.finfo(array.dtype).eps) for array in inputs)])
    largest = max(map(_largest, outputs), default=0.0)
    weight = max(map(_largest, factors), default=1.0)
    return _GRANTED_TO_QUOTIENTS * epsilon * weight * largest / min(1.0, smallest)


def unit_of_upstream(case: Case) -> float:
    """A few units in the last place of all upstream gradients: a smaller jump is no kink."""
    upstream = case.loss.upstream if isinstance(case.loss, Dot) else ()
    factors = [item.array for item in upstream if isinstance(item, Explicit) and item.array.size]
    return max(
        (
            _GRANTED_TO_QUOTIENTS * _total(array) * max(spacing(case), _epsilon(array))
            for array in factors
        ),
        default=0.0,
    )


def _sizes(array: Array) -> Array:
    """Of finite elements, in double precision: in int8 there is no 128."""
    finite = array[np.isfinite(array)]
    sizes: Array = np.abs(finite.astype("complex128" if finite.dtype.kind == "c" else "float64"))
    return sizes


def _total(array: Array) -> float:
    return float(_sizes(array).sum())


def _epsilon(array: Array) -> float:
    return float(np.finfo(array.dtype).eps) if array.dtype.kind == "f" else 0.0


def _largest(array: Array) -> float:
    return float(_sizes(array).max(initial=0.0))


class Sensitivity(msgspec.Struct, frozen=True):
    """How an array moved under the nudges, and where NaN or infinities came or went."""

    movement: Array
    specials: Array

    def special_moves(self, position: tuple[int, ...]) -> bool:
        """Does a nudge make a NaN or an infinity come or go there?"""
        return bool(self.specials[position])

    def explains(self, deviation: float, position: tuple[int, ...]) -> bool:
        """Could rounding cause a deviation of this size there?

        The movement of the whole array counts, weighed down: rounding spreads.
        """
        return deviation <= self.granted(position)

    def granted(self, position: tuple[int, ...]) -> float:
        """How much of a deviation rounding explains there."""
        here = float(self.movement[position]) if self.movement.size else 0.0
        anywhere = float(self.movement.max()) if self.movement.size else 0.0
        return max(GRANTED * here, GRANTED * anywhere / 4) + FLUSHED


def sensitivity(base: Array, moved: Sequence[Array]) -> Sensitivity:
    """How ``base`` moved to each of ``moved``, arrays of one shape."""
    movement = np.zeros(base.shape)
    specials = np.zeros(base.shape, dtype=bool)
    for other in moved:
        found = gap(base, other)
        if found is None:
            return Sensitivity(np.full(base.shape, np.inf), np.ones(base.shape, dtype=bool))
        movement = np.maximum(movement, found.deviation)
        if found.special is not None:
            specials |= found.special
    return Sensitivity(movement, specials)


def of_shape(base: Array, moved: Sequence[Array]) -> list[Array]:
    """Those of the moved arrays that have the shape of ``base``.

    For answers of one shape: that a nudge can change the number of elements explains nothing
    of how far these are apart.
    """
    return [array for array in moved if array.shape == base.shape]
