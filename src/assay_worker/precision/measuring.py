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
