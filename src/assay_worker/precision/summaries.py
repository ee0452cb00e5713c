"""What is wrong with many answers of a function of numbers: summaries, which add up.

``numbers`` are those that count. Of those whose truth is a number, ``measured`` have an answer that
is one; ``half``, ``one`` and ``two`` are within so many units in the last place; ``units`` is the
largest error, ``excess`` the largest that is left when half a unit of the inputs explains its part.
``largest`` and ``excesses`` are the worst places by each, the worst one first: of every binade of
the (first) number one that is larger than 0.5, and no more than ``KEPT``. A place is
``[size, units, inputs, answer, truth]``. ``absolute`` and ``relative`` are the largest such errors,
the latter of normal numbers, and to a tenth where the answer is the nearest number.
``lost`` answers are NaN or infinite where the truth is a number, or the other way round;
``defined`` ones are numbers where there is none; of these the first is told as ``[inputs, answer,
truth]``. ``flushed`` answers are zero where the truth is below the normal numbers. ``turns`` go
down where the function goes up, or up where it goes down, the first of them after ``turn_at``. Of
``unknown`` numbers nobody says what is right.
"""

import numpy as np

from assay_worker.precision.formats import FORMATS, rounded, smallest, unit
from assay_worker.precision.measuring import errors

#: So many of the worst places are told.
KEPT = 16
#: An error of a correctly rounded answer that is this large need not be told more exactly.
_NEARLY = 0.9
_NEARLY_HALF = 0.49
_COUNTS = ("numbers", "unknown", "measured", "half", "one", "two", "lost", "defined", "flushed")
_SIZES = ("units", "excess", "absolute", "relative")
_FIRSTS = ("lost_at", "defined_at", "turn_at")
_STORED = 52


def nothing():
    """The summary of no numbers: what others are added to."""
    total = dict.fromkeys(_COUNTS, 0)
    total.update(dict.fromkeys(_SIZES, 0.0))
    total.update(dict.fromkeys(_FIRSTS))
    return dict(total, turns=0, largest=[], excesses=[])


def added(first, second):
    """The summary of both, ``first`` being of the lower numbers."""
    total = {name: first[name] + second[name] for name in _COUNTS}
    total["turns"] = first["turns"] + second["turns"]
    for name in _SIZES:
        total[name] = max(first[name], second[name])
    for name in _FIRSTS:
        total[name] = second[name] if first[name] is None else first[name]
    for name in ("largest", "excesses"):
        total[name] = _worst(first[name], second[name])
    return total


def _worst(first, second):
    """The worst places of both."""
    kept, seen = [], set()
    for place in sorted(first + second, key=lambda place: -place[0]):
        binade = int(_binades(np.array(place[2][:1]))[0])
        if binade not in seen:
            seen.add(binade)
            kept.append(place)
    # What is correctly rounded is told where nothing else is.
    worse = [place for place in kept if place[0] > 0.5]
    return (worse or kept[:1])[:KEPT]


def _binades(numbers):
    """Which numbers have a sign and an exponent in common."""
    return numbers.view("int64") >> _STORED


class Results(object):
    """Answers in a format and truths, for some numbers: one array for each that a function takes.

    ``near`` are the numbers of the format nearest to the truths, ``wrong`` the places at which
    the answer is another one: of these there are few to look at.
    """

    def __init__(self, numbers, answers, truths, output):
        self.numbers, self.answers, self.truths, self.output = numbers, answers, truths, output
        with np.errstate(all="ignore"):
            if output == "bfloat16":
                self.near = rounded(truths, output)
            else:
                self.near = truths.astype(output)
        self.wrong = np.flatnonzero(self.near != answers)

    def last(self, count):
        """The last ones."""
        numbers = tuple(array[-count:] for array in self.numbers)
        return Results(numbers, self.answers[-count:], self.truths[-count:], self.output)

    def joined(self, after):
        """Numbers, answers and truths of both in a row."""
        pairs = zip(self.numbers, after.numbers)
        return (
            tuple(np.concatenate(pair) for pair in pairs),
            np.concatenate([self.answers, after.answers]),
            np.concatenate([self.truths, after.truths]),
        )


def summary(results, known, beside):
    """The summary of some results.

    ``known`` is a summary that this one is added to: what is no larger than there need not be told.
    ``beside`` gives for some places how far half a unit in the last place of the inputs moves the
    truth.
    """
    answers, truths, wrong = results.answers, results.truths, results.wrong
    numbers, output = results.numbers, results.output
    total = dict(nothing(), numbers=int(truths.size))
    if not truths.size:
        return total

    def told(place):
        where = [float(array[place]) for array in numbers]
        return [where, float(answers[place]), float(truths[place])]

    right = truths.size - wrong.size
    none = np.isnan(truths[wrong])
    made = wrong[none & ~np.isnan(answers[wrong])]
    if made.size:
        total["defined"], total["defined_at"] = int(made.size), told(made[0])
    rest = wrong[~none]
    found = errors(answers[rest].astype("float64"), truths[rest], output)
    lost = rest[found.special]
    if lost.size:
        total["lost"], total["lost_at"] = int(lost.size), told(lost[0])
    counted = ~found.special & ~found.flushed
    total["flushed"] = int(found.flushed.sum())
    total["measured"] = right + int(counted.sum())
    for name, most in (("half", 0.5), ("one", 1.0), ("two", 2.0)):
        total[name] = right + int((counted & (found.units <= most)).sum())
    if right and _worth_it(truths, results.near, output, known):
        rest = np.arange(truths.size)
        found = errors(answers.astype("float64"), truths, output)
    if not rest.size:
        return total
    total["units"] = float(found.units.max())
    total["absolute"] = float(found.absolute.max())
    normal = np.abs(truths[rest]) >= smallest(output)
    total["relative"] = float(np.where(normal, found.relative, 0.0).max())
    total["largest"] = _places(rest, found.units, found.units, numbers, told, known["largest"])
    some = found.units > max(0.5, _least(known["excesses"]))
    rest, units = rest[some], found.units[some]
    if rest.size:
        with np.errstate(all="ignore"):
            moved = np.abs(beside(rest)) / unit(truths[rest], output)
            excess = units / (1.0 + np.where(np.isnan(moved), np.inf, moved))
        total["excess"] = float(excess.max())
        total["excesses"] = _places(rest, excess, units, numbers, told, known["excesses"])
    return total


def _worth_it(truths, near, output, known):
    """May a correctly rounded answer have a larger error than all before it?"""
    if known["units"] < _NEARLY_HALF:
        # Most functions without errors have exact results, and nothing to tell.
        return bool(np.any((near != truths) & ~np.isnan(truths)))
    ends = np.array([near.min(), near.max()], dtype="float64")
    if not np.isfinite(ends).all():
        finite = near[np.isfinite(near)]
        if not finite.size:
            return False
        ends = np.array([finite.min(), finite.max()], dtype="float64")
    half = 0.5 * unit(ends, output)
    if half.max() > known["absolute"]:
        return True
    apart = half[0] != half[1] or ends[0] * ends[1] <= 0.0
    relative = 2.0 ** -FORMATS[output].bits if apart else half[0] / np.abs(ends).min()
    return bool(_NEARLY * relative > known["relative"] and np.abs(ends).max() > smallest(output))


def _least(places):
    """The size that the least of the worst places has, if no further one is kept."""
    return places[-1][0] if len(places) >= KEPT else 0.0


def _places(rest, sizes, units, numbers, told, known):
    """The largest of each binade, if it belongs to the worst."""
    if not sizes.size:
        return []
    binades = _binades(numbers[0][rest])
    starts = np.concatenate([[0], np.flatnonzero(np.diff(binades)) + 1])
    most = np.maximum.reduceat(sizes, starts)
    ends = np.append(starts[1:], len(rest))
    kept = []
    for segment in np.argsort(-most, kind="mergesort")[:KEPT]:
        if most[segment] <= _least(known) or most[segment] <= 0.0:
            break
        first = starts[segment]
        place = first + int(np.argmax(sizes[first : ends[segment]]))
        kept.append([float(sizes[place]), float(units[place])] + told(rest[place]))
    return kept
