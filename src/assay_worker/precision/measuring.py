"""How far answers are from the truth: absolute, relative, and in units in the last place."""

import numpy as np

from assay_worker.precision.formats import FORMATS, largest, smallest, unit


class Errors(object):
    """Errors of many answers, a row each: element by element, float64, shape (inputs, elements).

    ``absolute``, ``relative`` and ``units`` are 0 where nothing can be measured: where the truth
    is NaN, where an answer that is not finite stands for a number (``special``), and where a
    number below the normal ones was answered with zero (``flushed``).
    """

    def __init__(self, absolute, relative, units, special, flushed):
        self.absolute = absolute
        self.relative = relative
        self.units = units
        self.special = special
        self.flushed = flushed


def errors(answers, truths, name):
    """The errors of answers in a format; both are float64 arrays of shape (inputs, elements).

    A truth beyond the largest number is as good as the next power of two, and so is an infinite
    answer: what overflows just too early or too late is off by a few units.
    """
    beyond = float(np.ldexp(1.0, FORMATS[name].greatest)) * 2.0
    half = largest(name) / 2.0
    with np.errstate(all="ignore"):
        unknown = np.isnan(truths)
        lost = np.isnan(answers) & ~unknown
        lost |= np.isinf(answers) & ~unknown & (np.abs(truths) < half)
        lost |= np.isinf(truths) & (np.abs(answers) < half)
        lost |= np.isinf(answers) & np.isinf(truths) & (answers != truths)
        tiny = (np.abs(truths) < smallest(name)) & (truths != 0.0)
        # Half of the smallest number is rounded to zero by everybody.
        flushed = (answers == 0.0) & tiny & (np.abs(truths) > 0.5 * unit(0.0, name))
        # A number that no float64 is beyond has no next power of two.
        if np.isinf(beyond):
            first, second = answers, truths
            same = first == second
            absolute = np.where(same, 0.0, np.abs(first - second))
        else:
            first = np.clip(answers, -beyond, beyond)
            second = np.clip(truths, -beyond, beyond)
            absolute = np.abs(first - second)
        measured = ~(unknown | lost | flushed) & np.isfinite(absolute)
        absolute = np.where(measured, absolute, 0.0)
        relative = np.where(second != 0.0, absolute / np.abs(second), 0.0)
        units = absolute / unit(np.where(unknown, 0.0, second), name)
    return Errors(absolute, relative, units, lost, flushed)


def summary(formats, answers, truths, beside):
    """Errors of each input, and where the worst ones are, over all outputs.

    ``formats`` has one for each output; ``beside`` is how far rounding of the inputs moves each
    of their elements.
    """
    parts = [errors(one, true, name) for one, true, name in zip(answers, truths, formats)]
    with np.errstate(all="ignore"):
        excess = [
            part.units / (1.0 + moved / unit(np.nan_to_num(true), name))
            for part, moved, true, name in zip(parts, beside, truths, formats)
        ]
    absolute, relative, units, special, flushed = (
        np.concatenate([getattr(part, name) for part in parts], axis=1)
        for name in ("absolute", "relative", "units", "special", "flushed")
    )
    excess = np.nan_to_num(np.concatenate(excess, axis=1))
    answers, truths = np.concatenate(answers, axis=1), np.concatenate(truths, axis=1)
    rows = np.arange(len(units))
    places = {
        "units": _first_largest(units),
        "excess": _first_largest(excess),
        "absolute": _first_largest(absolute),
        "special": _first_largest(special),
    }
    told = {
        "linf": _most(absolute),
        "mean": absolute.mean(axis=1) if absolute.shape[1] else np.zeros(len(rows)),
        "elements": absolute.shape[1],
        "relative": _most(relative),
        "units": _most(units),
        "excess": _most(excess),
        "largest": _most(np.where(np.isfinite(truths), np.abs(truths), 0.0)),
        "special": special.sum(axis=1),
        "flushed": flushed.sum(axis=1),
        "places": places,
    }
    if absolute.shape[1]:
        told["answers"] = {name: answers[rows, places[name]] for name in places}
        told["truths"] = {name: truths[rows, places[name]] for name in places}
    return told


def _most(values):
    return values.max(axis=1) if values.shape[1] else np.zeros(len(values))


def _first_largest(values):
    return np.argmax(values, axis=1) if values.shape[1] else np.zeros(len(values), dtype="int64")
