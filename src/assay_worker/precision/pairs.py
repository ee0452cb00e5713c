"""A function of two numbers at all pairs of chosen numbers.

Those that floats of eight bits hold, with four bits of exponent (the largest is 448) or five
(57,344, and infinity); for float16 also powers of two, the numbers beside them, and the ends of
the format.
"""

import functools

import numpy as np

from assay_worker.precision.formats import FORMATS, largest, rounded
from assay_worker.precision.functions import Unknown, known_truths
from assay_worker.precision.summaries import Results, added, nothing, summary

#: Pairs in one call.
_AT_ONCE = 2**14
#: A step beside each number, small beside the rounding of formats that are measured.
_STEP = 2.0**-26


def _eights(exponent, significand, bias, last):
    """The positive numbers with so many bits; the last ``last`` of them are none."""
    found = []
    for bits in range(1, 2 ** (exponent + significand) - last):
        size, part = divmod(bits, 2**significand)
        hidden = 2**significand if size else 0
        found.append((hidden + part) * 2.0 ** (max(size, 1) - bias - significand))
    return found


def _structured(name):
    found = FORMATS[name]
    steps = (1.0, 1.0 + 2.0 ** (1 - found.bits), 1.0 - 2.0**-found.bits)
    powers = [
        2.0**place * step for place in range(found.least, found.greatest + 1) for step in steps
    ]
    small = 2.0 ** (found.least - found.bits + 1)
    ends = [small, 2 * small, 2.0**found.least - small, largest(name)]
    return [float(number) for number in rounded(np.array(powers + ends), name)]


@functools.lru_cache(None)
def chosen(name):
    """The numbers of which all pairs are tried in a format, in ascending order, -0 before 0."""
    above = set(_eights(4, 3, 7, 1)) | set(_eights(5, 2, 15, 4)) | {float("inf")}
    if name == "float16":
        above |= set(_structured(name))
    positive = sorted(above)
    return np.array([-number for number in reversed(positive)] + [-0.0, 0.0] + positive)


def count(name):
    """How many pairs there are."""
    return len(chosen(name)) ** 2


def swept(run, truth, name, output, start, stop):
    """The summary of pairs ``start`` to ``stop``: see ``exhaustive.swept``."""
    every, total = chosen(name), nothing()
    for first in range(start, stop, _AT_ONCE):
        places = np.arange(first, min(first + _AT_ONCE, stop))
        pair = every[places // len(every)], every[places % len(every)]
        with np.errstate(all="ignore"):
            answers = run(*pair)
            try:
                truths = truth(*pair)
            except Unknown:
                truths, known = known_truths(truth, pair, False)
                pair = tuple(array[known] for array in pair)
                answers, truths = answers[known], truths[known]
                total["unknown"] += int(np.count_nonzero(~known))
        results = Results(pair, answers, truths, output)
        beside = functools.partial(_beside, truth, results, name)
        total = added(total, summary(results, total, beside))
    return total


def _beside(truth, results, name, places):
    """How far half a unit in the last place of both numbers moves the truth, about."""
    share = 2.0 ** -FORMATS[name].bits / _STEP
    pair = [array[places] for array in results.numbers]
    moved = np.zeros(len(places))
    for place in range(len(pair)):
        others = list(pair)
        others[place] = pair[place] * (1.0 + _STEP)
        try:
            moved += share * np.abs(truth(*others) - results.truths[places])
        except Unknown:
            continue
    return moved
