"""A function of one number at every number of a format, in ascending order, a block at a time.

Numbers are counted from the lowest: NaN with a sign, minus infinity, … zero twice …, infinity, NaN.
A block has a summary, and summaries of neighbours add up, so that all of float32 is a job that
can stop after any block.
"""

import numpy as np

from assay_worker.precision.formats import flushes, rounded, smallest
from assay_worker.precision.measuring import errors

#: Bits of the numbers that there are so many of that all of them can be tried.
WIDTHS = {"float16": 16, "bfloat16": 16, "float32": 32}
#: Numbers in one call: memory for larger arrays is mapped anew each time, which costs more than
#: what is computed.
_AT_ONCE = 2**14
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
    below = np.arange(2 * half - 1 - start, 2 * half - 1 - min(stop, half), -1, dtype="int64")
    above = np.arange(max(start, half) - half, stop - half, dtype="int64")
    bits = np.concatenate([below, above])
    with np.errstate(invalid="ignore"):
        if name == "float16":
            return bits.astype("uint16").view("float16").astype("float64")
        if name == "bfloat16":
            bits = bits << 16
        return bits.astype("uint32").view("float32").astype("float64")


def place_of(name, number):
    """The place of a number among those of its format; of zero that of 0.0."""
    half = count(name) // 2
    if name == "float16":
        bits = int(np.float16(number).view("uint16"))
    else:
        bits = int(np.float32(number).view("uint32")) >> (32 - WIDTHS[name])
    return 2 * half - 1 - bits if bits >= half else half + bits


def nothing():
    """The summary of no numbers: what others are added to."""
    return {
        "numbers": 0,
        "unknown": 0,
        "measured": 0,
        "half": 0,
        "one": 0,
        "units": 0.0,
        "worst": None,
        "lost": 0,
        "lost_at": None,
        "defined": 0,
        "defined_at": None,
        "flushed": 0,
        "turns": 0,
        "turn_at": None,
    }


def added(first, second):
    """The summary of both, ``first`` being of the lower numbers."""
    total = dict(first)
    for name in (
        "numbers",
        "unknown",
        "measured",
        "half",
        "one",
        "lost",
        "defined",
        "flushed",
        "turns",
    ):
        total[name] = first[name] + second[name]
    for name in ("lost_at", "defined_at", "turn_at"):
        total[name] = second[name] if first[name] is None else first[name]
    if second["worst"] is not None and (first["worst"] is None or second["units"] > first["units"]):
        total["units"], total["worst"] = second["units"], second["worst"]
    return total


def swept(run, truth, name, output, start, stop):
    """The summary of numbers ``start`` to ``stop`` of a format.

    ``run`` and ``truth`` take float64 arrays and give some of the same shape; ``output`` is the
    format of what ``run`` gives. ``truth`` raises ``Unknown`` where nobody says what is right.

    ``numbers`` are those that count: no NaN, no number below the normal ones where libraries may
    take it for zero, none that is ``unknown``. Of those whose truth is a number, ``measured`` have
    an answer that is one; ``half`` and ``one`` are within so many units in the last place;
    ``units`` is the largest error, ``worst`` its input, answer and truth. ``lost`` answers are NaN
    or infinite where the truth is a number, or the other way round; ``defined`` ones are numbers
    where there is none. ``turns`` go down where the function goes up, or up where it goes down. Of
    these the first input is told. ``flushed`` answers are zero where the truth is below the normal
    numbers.
    """
    total, infinity = nothing(), place_of(name, np.inf)
    before = _results(run, truth, name, max(start - _BEFORE, 0), start)[:3]
    for first in range(start, stop, _AT_ONCE):
        end = min(first + _AT_ONCE, stop)
        *here, unknown = _results(run, truth, name, first, end)
        total["unknown"] += unknown
        total = added(total, _summary(here, output, total["units"]))
        total = added(total, _turned(before, here, first <= infinity < end))
        before = tuple(array[-_BEFORE:] for array in here)
    return total


class Unknown(Exception):
    """Of some of these numbers nobody says what the function gives."""


def _results(run, truth, name, start, stop):
    """Numbers that count, answers to them, and truths; and how many are left out as unknown."""
    x = numbers(name, start, stop)
    if not x.size:
        return x, x, x, 0
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
            return x, answers, truth(x), 0
        except Unknown:
            truths, known = np.full(x.shape, np.nan), np.zeros(x.shape, dtype=bool)
            _found(truth, x, truths, known, 0, len(x))
    return x[known], answers[known], truths[known], int(np.count_nonzero(~known))


def _found(truth, x, truths, known, start, stop):
    """Put in what is known from one place to another.

    Where nothing is at both ends and in the middle, nothing is between them.
    """
    try:
        truths[start:stop] = truth(x[start:stop])
        known[start:stop] = True
        return
    except Unknown:
        if stop - start <= 1:
            return
    middle = (start + stop) // 2
    for place in (start, middle, stop - 1):
        try:
            truth(x[place : place + 1])
        except Unknown:
            continue
        _found(truth, x, truths, known, start, middle)
        _found(truth, x, truths, known, middle, stop)
        return


def _summary(results, output, known):
    """Of some numbers; an error that is no larger than what is ``known`` need not be told."""
    x, answers, truths = results
    total = dict(nothing(), numbers=int(x.size))
    if not x.size:
        return total
    # Most answers are the nearest numbers: of the others there are few to look at.
    rest = np.flatnonzero(rounded(truths, output) != answers)
    nearest = x.size - rest.size
    none = np.isnan(truths[rest])
    made = rest[none & ~np.isnan(answers[rest])]
    total["defined"] = int(made.size)
    total["defined_at"] = float(x[made[0]]) if made.size else None
    rest = rest[~none]
    found = errors(answers[rest], truths[rest], output)
    lost = rest[found.special]
    total["lost"] = int(lost.size)
    total["lost_at"] = float(x[lost[0]]) if lost.size else None
    total["flushed"] = int(found.flushed.sum())
    counted = ~found.special & ~found.flushed
    total["measured"] = nearest + int(counted.sum())
    total["half"] = nearest + int((counted & (found.units <= 0.5)).sum())
    total["one"] = nearest + int((counted & (found.units <= 1.0)).sum())
    if counted.any() and found.units.max() > 0.5:
        worst = rest[int(np.argmax(found.units))]
        total["units"] = float(found.units.max())
    elif total["measured"] and known < 0.5:
        units = errors(answers, truths, output).units
        worst = int(np.argmax(units))
        total["units"] = float(units[worst])
    else:
        return total
    total["worst"] = [float(array[worst]) for array in (x, answers, truths)]
    return total


def _turned(before, here, last):
    """Turns between neighbours, the last of the numbers before these included.

    A turn near the end is left to those who know what follows, unless nothing does.
    """
    x, answers, truths = (np.concatenate(pair) for pair in zip(before, here))
    total = nothing()
    first = max(len(before[0]) - _AROUND - 1, 0)
    with np.errstate(all="ignore"):
        steps, slopes = np.diff(answers), np.diff(truths)
        turns = np.flatnonzero(steps * slopes < 0.0)
        turns = turns[_sure(slopes, truths, turns)]
    turns = turns[(turns >= first) & (turns < len(slopes) - (0 if last else _AROUND))]
    kept = []
    for start in range(0, len(turns), _TURNS):
        some = turns[start : start + _TURNS]
        places = some[:, None] + np.arange(-_AROUND, _AROUND + 1)[None, :]
        inside = (places >= 0) & (places < len(slopes))
        places = np.clip(places, 0, len(slopes) - 1)
        with np.errstate(all="ignore"):
            against = slopes[places] * slopes[some][:, None] < 0.0
            against &= _sure(slopes, truths, places) & inside
        kept.append(some[~against.any(axis=1)])
    turns = np.concatenate(kept) if kept else turns
    total["turns"] = len(turns)
    total["turn_at"] = float(x[turns[0]]) if len(turns) else None
    return total


def _sure(slopes, truths, places):
    """Which differences of truths are no rounding."""
    return np.abs(slopes[places]) > _SURE * np.abs(truths[places])
