"""The error against the input's value: the largest in each small range of numbers, for plots."""

from typing import Any

import numpy as np

from assay.ir import Array
from assay.search import Inputs

#: Ranges of an octave: near one there are more, as that is where functions bend.
_FINE, _COARSE = 8, 1
_NEAR = (-5, 8)


class Curve:
    """Keeps the largest error of each range of numbers.

    Each input gives one: its worst element, at the number at the same place of the first tensor, or
    where that has another size at the input's largest number.
    """

    def __init__(self) -> None:
        self._best: dict[tuple[float, int], tuple[float, float]] = {}

    def add(self, inputs: Inputs, answer: dict[str, Any], ran: Array) -> None:
        """A population's errors: ``ran`` are the places of inputs that were measured."""
        if not len(ran) or not answer["elements"]:
            return
        first = next(iter(inputs.values()))[ran].reshape(len(ran), -1)
        if first.shape[1] == answer["elements"]:
            places = answer["places"]["excess"]
        elif answer["elements"] % first.shape[1] == 0 and len(inputs) > 1:
            places = answer["places"]["excess"] % first.shape[1]
        else:
            places = np.argmax(np.abs(first), axis=1)
        numbers = first[np.arange(len(ran)), places]
        for number, error in zip(numbers.tolist(), answer["excess"].tolist(), strict=True):
            key = _range(number)
            if error > 0.0 and error >= self._best.get(key, (0.0, 0.0))[1]:
                self._best[key] = (number, error)

    def points(self) -> tuple[tuple[float, float], ...]:
        """Numbers in ascending order, and errors there."""
        return tuple(sorted(self._best.values()))


def _range(number: float) -> tuple[float, int]:
    if not number or not np.isfinite(number):
        return 0.0, 0
    part, exponent = np.frexp(abs(number))
    parts = _FINE if _NEAR[0] <= exponent <= _NEAR[1] else _COARSE
    return float(np.sign(number)), int(exponent) * _FINE + int((2.0 * part - 1.0) * parts)
