"""What a random draw must be, whatever its seed.

No two libraries draw the same numbers, so the output of a ``keras.random`` op is
not compared: every arm draws twice with the same arguments, and its output is a
vector of truths, 1.0 or 0.0, one for each property of the op. The first four are
those of ``COMMON``, the rest those given to ``@properties``; ``names`` lists them
in order. A property that does not apply to a call is true.

Nothing here is a statistical test: each property follows from the documentation
with certainty, or fails by chance less often than once in 2 ** 60 draws.
"""

import collections
import inspect
import math

import numpy as np

#: The first properties of every op. ``repeats``: an integer seed gives the same draw
#: twice. ``advances``: two draws from a generator, or without a seed, differ.
COMMON = ("shape", "dtype", "repeats", "advances")

#: Both draws as NumPy arrays (bfloat16 widened), and the name of the dtype they had.
Drawn = collections.namedtuple("Drawn", ["first", "second", "dtype"])
#: What a draw was asked to be; ``bits``: the chance that two are equal is 2 ** -bits.
_Asked = collections.namedtuple("_Asked", ["shape", "dtype", "seed", "bits"])

#: Chances below 2 ** -_BITS do not happen.
_BITS = 64.0
#: exp(-_EXPONENT) bounds the chance of what is out of reach of a mean: less than 1e-300.
_EXPONENT = 800.0
#: Logits so far below the largest are never met: exp(-100) is less than 1e-43.
_HOPELESS = 100.0
#: By dtype: the relative distance of neighbouring numbers, and the smallest normal one.
_SPACING = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23}
_SMALLEST = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126}
_REGISTRY = {}


def properties(op, *own):
    """Register a generator that yields an ``_Asked``, then the truth of these properties.

    Its arguments are the draw, then those of the op's documented signature. It is
    asked for truths only if the draw has the shape that was asked for.
    """

    def register(function):
        _REGISTRY[op] = (COMMON + own, function)
        return function

    return register


def names(op):
    """The names of an op's properties in order; empty if its output is not random."""
    return _REGISTRY[op][0] if op in _REGISTRY else ()


def ops():
    """Every op whose output is random, sorted."""
    return sorted(_REGISTRY)


def signature(op):
    """The parameters of an op's documented signature, in order."""
    return list(inspect.signature(_REGISTRY[op][1]).parameters.values())[1:]


def truths(op, drawn, arguments, keywords):
    """The truth of each property of ``names(op)``; arguments are arrays and plain values.

    A draw that a library made from arguments outside of the documentation has none
    of them, since they cannot be looked at; it must not look like a refusal.
    """
    try:
        with np.errstate(all="ignore"):
            return _truths(op, drawn, arguments, keywords)
    except (TypeError, ValueError, ArithmeticError):
        return np.zeros(len(names(op)), dtype="float32")


def _truths(op, drawn, arguments, keywords):
    listed, function = _REGISTRY[op]
    result = np.ones(len(listed), dtype="float32")
    told = function(drawn, *arguments, **keywords)
    asked = next(told)
    result[0] = drawn.first.shape == drawn.second.shape == tuple(asked.shape)
    result[1] = drawn.dtype == asked.dtype
    if result[0]:
        same = np.array_equal(_patterns(drawn.first), _patterns(drawn.second))
        if isinstance(asked.seed, int):
            result[2] = same
        elif asked.bits >= _BITS:
            result[3] = not same
        result[len(COMMON) :] = [bool(np.all(truth)) for truth in told]
    return result


def _patterns(array):
    """Elements as whole numbers, equal where they are the same: -0.0 is not 0.0, NaN is NaN."""
    if array.dtype.kind != "f":
        return array.astype("int64")
    array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return np.ascontiguousarray(array).view("int%d" % (8 * array.dtype.itemsize))


def _bits(drawn, *parameters):
    """Of equally distributed elements: k different values are met again with (1 / k) ** k.

    That is the largest product of k chances that add up to one. Nothing is said if a
    parameter is an array, so that elements are not alike.
    """
    if any(np.ndim(item) for item in parameters):
        return 0.0
    different = len(np.unique(drawn.first))
    return different * math.log(different, 2) if different else 0.0


def _rounding(drawn, *magnitudes):
    """How far a few roundings carry a number of that size."""
    size = sum(np.abs(np.asarray(item, "float64")) for item in magnitudes)
    return 4 * _SPACING.get(drawn.dtype, 0.0) * size + _SMALLEST.get(drawn.dtype, 0.0)


def _near(drawn, mean, distance, *magnitudes):
    """Is every element at most so far from the mean, but for rounding? NaN is not."""
    off = np.abs(drawn.first.astype("float64") - mean)
    return off <= distance + _rounding(drawn, mean, distance, *magnitudes)


# ----------------------------------------------------------------- distributions


@properties("keras.random.normal", "within 40 standard deviations")
def normal(drawn, shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Farther away is less likely than 1e-300; no deviation is the mean itself."""
    yield _Asked(shape, dtype or "float32", seed, _bits(drawn))
    yield _near(drawn, mean, math.sqrt(2 * _EXPONENT) * stddev)


@properties("keras.random.truncated_normal", "within 2 standard deviations")
def truncated_normal(drawn, shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """What is farther away is drawn again."""
    yield _Asked(shape, dtype or "float32", seed, _bits(drawn))
    yield _near(drawn, mean, 2 * stddev)


@properties("keras.random.uniform", "from minval to maxval", "maxval excluded")
def uniform(drawn, shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    """In [minval, maxval).

    A sum minval + r * (maxval - minval) with r < 1 can round to maxval, the product
    alone cannot: that maxval is excluded is asked for only where minval is 0, and
    maxval a number of the dtype.
    """
    yield _Asked(shape, dtype or "float32", seed, _bits(drawn))
    values = drawn.first.astype("float64")
    slack = _rounding(drawn, minval, maxval)
    yield (values >= minval - slack) & (values <= maxval + slack)
    # A significand of 24 bits, for float32, is a multiple of half the spacing.
    exact = math.frexp(maxval)[0] % (_SPACING.get(drawn.dtype, 1.0) / 2) == 0
    yield (values >= 0) & (values < maxval) if minval == 0 and exact else True


@properties("keras.random.randint", "in [minval, maxval)")
def randint(drawn, shape, minval, maxval, dtype="int32", seed=None):
    """Whole numbers from minval to maxval - 1."""
    yield _Asked(shape, dtype, seed, _bits(drawn))
    values = drawn.first.astype("int64")
    yield (values >= minval) & (values < maxval)


@properties("keras.random.gamma", "not negative", "within reach of the mean")
def gamma(drawn, shape, alpha, dtype=None, seed=None):
    """Mean and variance are alpha; above, the tail is at most that of an exponential."""
    yield _Asked(shape, dtype or "float32", seed, _bits(drawn))
    yield drawn.first >= 0
    distance = math.sqrt(2 * _EXPONENT * alpha)
    values = drawn.first.astype("float64")
    slack = _rounding(drawn, alpha)
    yield (values >= alpha - distance - slack) & (values <= alpha + distance + _EXPONENT + slack)


@properties("keras.random.beta", "in [0, 1]", "within reach of the mean")
def beta(drawn, shape, alpha, beta, dtype=None, seed=None):
    """Deviations t are as rare as those of a normal variable of variance 1 / 4(a + b + 1)."""
    yield _Asked(shape, dtype or "float32", seed, _bits(drawn, alpha, beta))
    yield (drawn.first >= 0) & (drawn.first <= 1)
    alpha, beta = np.asarray(alpha, "float64"), np.asarray(beta, "float64")
    distance = np.sqrt(_EXPONENT / 2 / (alpha + beta + 1))
    yield _near(drawn, alpha / (alpha + beta), distance, 1.0)


@properties(
    "keras.random.binomial", "whole numbers", "in [0, counts]", "certain outcomes",
    "within reach of the mean",
)  # fmt: skip
def binomial(drawn, shape, counts, probabilities, dtype=None, seed=None):
    """Successes among ``counts`` trials: none at probability 0, all at 1."""
    yield _Asked(shape, dtype or "float32", seed, _bits(drawn, counts, probabilities))
    values = drawn.first.astype("float64")
    counts, chance = np.asarray(counts, "float64"), np.asarray(probabilities, "float64")
    slack = _rounding(drawn, counts)
    yield values == np.floor(values)
    yield (values >= 0) & (values <= counts + slack)
    certain = (chance == 0) | (chance == 1)
    yield ~certain | (np.abs(values - counts * chance) <= slack)
    yield _near(drawn, counts * chance, np.sqrt(counts * _EXPONENT / 2), counts)


@properties("keras.random.categorical", "in [0, classes)", "never an impossible class")
def categorical(drawn, logits, num_samples, dtype="int32", seed=None):
    """Rows with NaN, positive infinity or no possible class define no distribution."""
    logits = logits.astype("float64")
    rows, classes = logits.shape
    defined = ~np.isnan(logits).any(axis=1) & np.isfinite(logits.max(axis=1, initial=-np.inf))
    largest = np.where(defined, logits.max(axis=1, initial=-np.inf), 0.0)[:, None]
    weights = np.where(defined[:, None], np.exp(logits - largest), 1.0)
    shares = weights / weights.sum(axis=1, keepdims=True)
    bits = num_samples * float(-np.log2((shares**2).sum(axis=1))[defined].sum())
    yield _Asked((rows, num_samples), dtype, seed, bits)
    ids = drawn.first.astype("int64")
    yield ((ids >= 0) & (ids < classes) & (ids == drawn.first)) | ~defined[:, None]
    possible = (logits >= largest - _HOPELESS) | ~defined[:, None]
    yield np.take_along_axis(possible, np.clip(ids, 0, classes - 1), axis=1)


# ------------------------------------------------------------------ rearrangements


@properties("keras.random.dropout", "dropped or scaled", "noise_shape drops together")
def dropout(drawn, inputs, rate, noise_shape=None, seed=None):
    """0, or inputs / (1 - rate); nothing is dropped at rate 0, everything at 1.

    What becomes of NaN and infinity is open: 0 times them is NaN.
    """
    dtype = str(inputs.dtype)
    inputs, values = inputs.astype("float64"), drawn.first.astype("float64")
    scaled = inputs / (1 - rate) if rate < 1 else np.zeros_like(inputs)
    telling = np.isfinite(inputs) & (np.abs(inputs) >= _SMALLEST[dtype])
    noise = inputs.shape if noise_shape is None else noise_shape
    along = tuple(place for place, length in enumerate(noise) if length == 1)
    units = int(np.count_nonzero(telling.any(axis=along))) if inputs.size else 0
    bits = units * -math.log(rate**2 + (1 - rate) ** 2, 2)
    yield _Asked(inputs.shape, dtype, seed, bits)
    # 1 - rate may have been rounded, too.
    slack = _rounding(drawn, scaled / (1 - rate) if rate < 1 else 0.0)
    kept = np.abs(values - scaled) <= slack
    kept |= np.isinf(values) & (np.abs(scaled) + slack >= np.finfo(dtype).max)
    yield kept | ((values == 0) & (rate > 0)) | ~np.isfinite(inputs)
    # Elements that share a place of the noise are all zero, or none of them is.
    dropped = (telling & (values == 0)).any(axis=along)
    yield ~(dropped & (telling & (values != 0)).any(axis=along))


@properties("keras.random.shuffle", "a permutation along the axis", "moved")
def shuffle(drawn, x, axis=0, seed=None):
    """The elements of each line in another order; k different slices have k! orders or more.

    Whether all lines get the same order is not documented.
    """
    before = _slices(x, axis)
    bits = math.lgamma(len(set(before)) + 1) / math.log(2)
    yield _Asked(x.shape, str(x.dtype), seed, bits)
    first, second = (np.sort(_patterns(array), axis=axis) for array in (x, drawn.first))
    yield first == second
    yield before != _slices(drawn.first, axis) or bits < _BITS


def _slices(array, axis):
    """The elements at each position of an axis, comparable."""
    return [item.tobytes() for item in np.moveaxis(_patterns(array), axis, 0)]
