"""A function of one number at every number of a format, in ascending order, a block at a time.

Numbers are counted from the lowest: NaN with a sign, minus infinity, … zero twice …, infinity, NaN.
A block has a summary, and summaries of neighbours add up, so that all of float32 is a job that
can stop after any block.
"""

import functools

import numpy as np

from assay_worker.precision.formats import flushes, smallest
from assay_worker.precision.functions import Unknown, known_truths
from assay_worker.precision.summaries import Results, added, nothing, summary

#: Bits of the numbers that there are so many of that all of them can be tried.
WIDTHS = {"float16": 16, "bfloat16": 16, "float32": 32}
#: Numbers in one call: few calls, and arrays that a processor's cache holds.
_AT_ONCE = 2**16
#: An array of this size, freed, tells the C library to keep memory: it would map that of each
#: array anew, which costs more than what is computed (glibc: mallopt(3), M_MMAP_THRESHOLD).
_KEPT_BYTES = 2**25 - 2**16
#: A function is taken for monotone where so many numbers on both sides say so.
_AROUND = 32
#: Enough of the numbers before a block for turns that were left to it, and what is around them.
_BEFORE = 2 * _AROUND + 2
#: Differences of float64 truths that are larger than this, relatively, are no rounding.
_SURE = 2.0**-44
#: Turns that are looked at in one go.
_TURNS = 4096


def count(name):
    """How many numbers a format has, NaN included."""
    return 2 ** WIDTHS[name]


def numbers(name, start, stop):
    """The numbers of a format from one place to another, in ascending order, as float64."""
    half = count(name) // 2
    # Of negative numbers larger bits are lower ones.
    below = np.arange(2 * half - min(stop, half), 2 * half - start, dtype="uint32")[::-1]
    above = np.arange(max(start, half) - half, stop - half, dtype="uint32")
    bits = np.concatenate([below, above]) if below.size and above.size else below
    bits = bits if bits.size else above
    with np.errstate(invalid="ignore"):
        if name == "float16":
            return bits.astype("uint16").view("float16").astype("float64")
        if name == "bfloat16":
            bits = bits << 16
        return bits.view("float32").astype("float64")


def place_of(name, number):
    """The place of a number among those of its format; of zero that of 0.0."""
    half = count(name) // 2
    if name == "float16":
        bits = int(np.float16(number).view("uint16"))
    else:
        bits = int(np.float32(number).view("uint32")) >> (32 - WIDTHS[name])
    return 2 * half - 1 - bits if bits >= half else half + bits


def swept(run, truth, name, output, start, stop):
    """The summary of numbers ``start`` to ``stop`` of a format: see ``summaries``.

    ``run`` and ``truth`` take float64 arrays and give some of the same shape; ``output`` is the
    format of what ``run`` gives, in arrays that hold it. ``truth`` raises ``Unknown`` where nobody
    says what is right.

    Those count that are no NaN, and no number below the normal ones where libraries may take it
    for zero. There are turns only where the truth goes one way around them.
    """
    total, infinity = nothing(), place_of(name, np.inf)
    np.empty(_KEPT_BYTES, "uint8")
    before, _ = _results(run, truth, name, output, max(start - _BEFORE, 0), start)
    for first in range(start, stop, _AT_ONCE):
        end = min(first + _AT_ONCE, stop)
        here, unknown = _results(run, truth, name, output, first, end)
        total["unknown"] += unknown
        beside = functools.partial(_beside, before, here)
        found = summary(here, total, beside)
        count, at = _turned(before, here, first <= infinity < end)
        total = added(total, dict(found, turns=count, turn_at=at))
        before = here.last(_BEFORE)
    return total


def _beside(before, here, places):
    """How far half of the way from the number before moves the truth."""
    # The very first number has the one behind it, or none.
    first = (before.truths if before.truths.size else here.truths[:2])[-1:]
    earlier = np.concatenate([first, here.truths[:-1]])
    return 0.5 * np.abs(here.truths[places] - earlier[places])


def _results(run, truth, name, output, start, stop):
    """Results for numbers that count; and how many are left out as unknown."""
    x = numbers(name, start, stop)
    if not x.size:
        return Results((x,), x, x, output), 0
    with np.errstate(all="ignore"):
        answers = run(x)
    least = smallest(name) if flushes(name) else 0.0
    # Ascending: the ends tell of all between them.
    plain = (x[0] >= least and not np.isnan(x[-1])) or (x[-1] <= -least and not np.isnan(x[0]))
    if not plain:
        kept = ~np.isnan(x) & ((np.abs(x) >= least) | (x == 0.0))
        x, answers = x[kept], answers[kept]
    with np.errstate(all="ignore"):
        try:
            return Results((x,), answers, truth(x), output), 0
        except Unknown:
            truths, known = known_truths(truth, (x,), True)
    found = Results((x[known],), answers[known], truths[known], output)
    return found, int(np.count_nonzero(~known))


def _turned(before, here, last):
    """How many turns there are between neighbours, and after which number the first one is.

    The last of the numbers before these included. A turn near the end is left to those who know
    what follows, unless nothing does.
    """
    # Where all answers are the nearest numbers, they go as the function does.
    places = np.concatenate([before.wrong, here.wrong + len(before.truths)])
    if not places.size:
        return 0, None
    (x,), answers, truths = before.joined(here)
    first = max(len(before.truths) - _AROUND - 1, 0)
    end = len(x) - 1 - (0 if last else _AROUND)
    beside = np.zeros(len(x) + 1, dtype=bool)
    beside[places] = beside[places + 1] = True
    # Between the number before a step and the one behind it, one of which is wrong.
    steps = first + np.flatnonzero(beside[first + 1 : max(end, first) + 1])
    with np.errstate(all="ignore"):
        slopes = truths[steps + 1] - truths[steps]
        gone = answers[steps + 1].astype("float64") - answers[steps]
        sure = np.abs(slopes) > _SURE * np.abs(truths[steps])
        turns = steps[(gone * slopes < 0.0) & sure]
    count, at = 0, None
    for start in range(0, len(turns), _TURNS):
        kept = _one_way(truths, turns[start : start + _TURNS])
        if kept.size and at is None:
            at = float(x[kept[0]])
        count += int(kept.size)
    return count, at


def _one_way(truths, turns):
    """Those around which the function goes one way."""
    places = turns[:, None] + np.arange(-_AROUND, _AROUND + 1)[None, :]
    inside = (places >= 0) & (places < len(truths) - 1)
    places = np.clip(places, 0, len(truths) - 2)
    with np.errstate(all="ignore"):
        slopes = truths[places + 1] - truths[places]
        against = slopes * slopes[:, _AROUND : _AROUND + 1] < 0.0
        against &= (np.abs(slopes) > _SURE * np.abs(truths[places])) & inside
    return turns[~against.any(axis=1)]
