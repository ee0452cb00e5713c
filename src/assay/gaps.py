"""How far two arrays are apart, and how far apart they may be.

The one comparison of numbers for all stages: ``gap`` knows NaN, infinities, shapes,
complex and whole numbers, half precision, empty arrays, signalling NaN and overflow.
The tolerances that others apply to what it finds stand here too, each with its reason.
"""

from math import isfinite

import msgspec
import numpy as np

from assay.ir import Array


class Tolerance(msgspec.Struct, frozen=True):
    """What is allowed: a share of the elements, or of the largest one, and a floor."""

    relative: float
    of_largest: float
    floor: float

    def allowed(self, size: Array, largest: Array | float, factor: float = 1.0) -> Array:
        """By how much elements of these sizes may differ, beside a largest one."""
        share = np.maximum(self.relative * size, self.of_largest * largest)
        return np.asarray(factor * share + self.floor)


#: Below this, results may be flushed to zero (subnormal float32).
FLUSHED = 1.2e-38
#: Hunts: ordinary rounding of ordinary numbers never gets past it, and what does is judged
#: again by how far one ULP of input moves the answer.
SCREEN = Tolerance(relative=1e-3, of_largest=1e-4, floor=FLUSHED)
#: Outputs of whole models, each beside the largest of its instance: stricter than for single
#: calls, because what gets past it is held against one ULP in every layer. ``model_allowed``
#: says more where elements are of several sizes.
MODEL_SCREEN = Tolerance(relative=1e-4, of_largest=1e-5, floor=FLUSHED)
#: Arms whose tensors differ by no more than this share of the largest element read the same. No
#: more than the screen allows: whoever reads the same has not been called different before.
READS_ALIKE = SCREEN.of_largest
#: Gradients that differ by no more than this share of themselves make the same step: many
#: optimizers go by the sign of a gradient, which rounding decides near zero.
SAME_STEP = 1e-5
#: How much more the screen allows by the spacing of the format that layers are told to use:
#: float16 has eleven bits, bfloat16 eight, float32 twenty-four, far below what is allowed.
COARSENESS = {0.0: 1.0, 2.0**-10: 30.0, 2.0**-7: 120.0}
#: Arrays of float16 are as coarse as what layers make that compute in it.
HALF_PRECISION = COARSENESS[2.0**-10]
#: Four units in the last place: what a probability is exact to, relative to the largest one.
#: ONNX Runtime's Sigmoid is 0 where the true value is 1e-8: close, though wrong by 100 %.
OF_PROBABILITIES = 4 * 2.0**-23
#: Small numbers that are all multiples of this were rounded beside 1/2: so ONNX Runtime computes
#: its Sigmoid (its issue 22557), exact to 1.4e-7 however small the true value is.
BESIDE_A_HALF = 2.0**-25
#: As published (Muffin): inconsistent beyond the one, where all that went in is within the other.
PUBLISHED_DEVIATION, PUBLISHED_EPSILON = 0.15, 1e-5
#: As published (Audee): a layer brings a deviation in if that grows by more than so many times;
#: what grows by less than twice is rounding; exact numbers are taken for this far apart.
CHANGE_RATE, SAME_RATE, CHANGE_EPSILON = 1000.0, 2.0, 1e-7
#: Stored answers are on one side of a script if they agree to this share beside what the finding
#: allows: the default of ``numpy.allclose``.
SAME_SIDE = 1e-5

#: How many times the size of its small elements (a tenth is smaller) the largest of an output may
#: be and still speak for them: four standard deviations beside the smallest tenth of a normal
#: distribution. Scores beside pixels are not of one size.
_OF_ONE_SIZE, _SMALL = 32.0, 0.1
#: Sixteen units in the last place of one: what an element of any size is exact to, beside larger
#: ones. Terms that cancel out, or a probability of nearly zero.
_OF_ANY_SIZE = 16 * 2.0**-23

#: From here on float64 does not hold every whole number.
_EXACT = 2.0**53
_FLOAT, _COMPLEX = np.dtype("float64"), np.dtype("complex128")


class Gap(msgspec.Struct, frozen=True):
    """Two arrays of one shape, element by element.

    ``first`` and ``second`` are the numbers in float64 or complex128, ``deviation`` their
    absolute difference; all three are zero where one of them is not finite. ``furthest`` is
    the largest deviation, 0 if there are no elements. ``special`` says where one is NaN or
    infinite and the other is something else; None if nowhere. The deviation of two huge
    numbers may overflow: it is infinite, but not special. ``whole``: neither has fractions,
    so that any deviation is a difference.
    """

    first: Array
    second: Array
    deviation: Array
    furthest: float
    special: Array | None
    whole: bool

    @property
    def size(self) -> Array:
        """The larger of each two numbers, without their signs."""
        return np.maximum(np.abs(self.first), np.abs(self.second))

    @property
    def largest(self) -> float:
        """The largest number of both arrays, without its sign; 0 if there are none."""
        return max(_largest(np.abs(self.first)), _largest(np.abs(self.second)))

    @property
    def distance(self) -> Array:
        """The deviation, infinite where special values differ."""
        if self.special is None:
            return self.deviation
        return np.where(self.special, np.inf, self.deviation)


def gap(first: Array, second: Array) -> Gap | None:
    """How far two arrays are apart; None if their shapes differ. NaN equals NaN.

    Deviations of whole numbers are exact, as far as float64 holds them.
    """
    if first.shape != second.shape:
        return None
    kinds = first.dtype.kind + second.dtype.kind
    if "f" not in kinds and "c" not in kinds:
        return _whole(first, second)
    wide = _COMPLEX if "c" in kinds else _FLOAT
    # Uninitialised memory may hold signalling NaN; huge numbers may overflow.
    with np.errstate(invalid="ignore", over="ignore"):
        a, b = first.astype(wide, copy=False), second.astype(wide, copy=False)
        deviation = np.abs(a - b)
        furthest = _largest(deviation)
        if isfinite(furthest):  # then so is everything else
            return Gap(a, b, deviation, furthest, None, False)
        finite = np.isfinite(a) & np.isfinite(b)
        # Equal infinities are equal; NaN equals NaN.
        special = ~(finite | (a == b) | (np.isnan(a) & np.isnan(b)))
        a, b, deviation = (np.where(finite, item, 0.0) for item in (a, b, deviation))
    return Gap(a, b, deviation, _largest(deviation), special if special.any() else None, False)


def model_allowed(size: Array, floor: float = 0.0) -> Array:
    """What the screen allows outputs of a model: elements of these sizes, a row per instance.

    No large element speaks for those that are much smaller; only sixteen units in the last
    place of one, or of the largest if that is less, are granted whatever the size.
    """
    largest = size.max(axis=1, keepdims=True, initial=0.0)
    alike = np.minimum(largest, _OF_ONE_SIZE * _small(size))
    screen = msgspec.structs.replace(MODEL_SCREEN, floor=max(MODEL_SCREEN.floor, floor))
    least = _OF_ANY_SIZE * np.minimum(largest, 1.0) + FLUSHED
    return np.asarray(np.maximum(screen.allowed(size, alike), least))


def _small(size: Array) -> Array:
    """The size that a tenth of each row's elements other than zero are below."""
    count = size.shape[1]
    if not count:
        return np.zeros((len(size), 1))
    zeros = (size == 0.0).sum(axis=1, keepdims=True)
    place = zeros + (_SMALL * (count - zeros - 1)).astype("int64")
    return np.take_along_axis(np.sort(size, axis=1), np.minimum(place, count - 1), axis=1)


def in_parts(array: Array) -> Array:
    """Real and imaginary parts along a new last axis."""
    return np.stack([array.real, array.imag], axis=-1)


def real(array: Array) -> Array:
    """An answer in real numbers; of complex ones both parts, along a last axis."""
    return in_parts(array) if array.dtype.kind == "c" else array


def peak(values: Array) -> tuple[int, ...]:
    """Where the first of the largest elements is."""
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(values)), values.shape))


def _largest(sizes: Array) -> float:
    return float(sizes.max(initial=0.0))


def _whole(first: Array, second: Array) -> Gap:
    """The gap of whole numbers: float64 does not hold every 64-bit difference of one."""
    a, b = first.astype(_FLOAT), second.astype(_FLOAT)
    if not (first != second).any():
        return Gap(a, b, np.zeros(a.shape), 0.0, None, True)
    found = Gap(a, b, np.abs(a - b), 0.0, None, True)
    if found.largest >= _EXACT:
        pairs = zip(first.flat, second.flat, strict=True)
        exact = np.array([abs(int(one) - int(two)) for one, two in pairs], _FLOAT)
        found = msgspec.structs.replace(found, deviation=exact.reshape(a.shape))
    return msgspec.structs.replace(found, furthest=_largest(found.deviation))
