"""Gradients of calls whose results hang on several numbers, enclosed by one sweep back.

The gradient is that of the sum of the results, each times a number that is given (its upstream
gradient), by some tensors of the call. Formulas are those of results, on balls that remember what
they were made of (``traced``): a ball of a gradient holds the exact one, as of results. None is
told at kinks, where the rules of libraries differ, and where results are beyond the format.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from assay.ir import Array, Case
from assay.judge.balls.arrays import each
from assay.judge.balls.calls import call_of
from assay.judge.balls.enclosing import balls_of, outputs, settings_of, weights_of
from assay.judge.balls.formats import format_of, power
from assay.judge.balls.registry import NoFormula, formula_of
from assay.judge.balls.traced import Kink, Tape, Traced, swept
from assay.judge.balls.truth import narrow, working

#: The first precision is enough for most inputs; no further than the other.
_FIRST, _CEILING = 320, 2560
#: Bits to spare of a gradient that is told.
_BITS = 16
#: Numbers are moved by this part of themselves: far below any format.
_STEP = 80
#: As the reference does: all numbers larger, then signs at random.
_TURNS = 3

#: Numbers by name of a tensor, or one array of them for each result.
Named = Mapping[str, Array]
Shares = Sequence[Array]


class Second(NamedTuple):
    """How far one element of a gradient moves with all else: the size of a slope for each number.

    By tensor in the order of names, and by upstream gradient; infinite where it is not known.
    """

    numbers: list[Array]
    upstream: list[Array]


class Gradients:
    """The gradients of one call by the tensors ``names``, whatever their numbers.

    Other inputs and weights are those of the case, floats rounded to ``stored``. ``NoFormula`` if
    there is none, and for functions of numbers by themselves (see ``derivatives``).
    """

    def __init__(self, case: Case, names: Sequence[str], stored: str) -> None:
        call = call_of(case, stored)
        formula, given = formula_of(call.op, call.params, len(call.arrays))
        if formula.elementwise:
            raise NoFormula(f"{call.op} is a function of numbers by themselves")
        self._formula, self.names = formula, tuple(names)
        self._inputs = case.graph.nodes[0].inputs
        self._fixed = [balls_of(array, False) for array in call.arrays]
        self._settings = settings_of(given, False)
        self._weights = weights_of(call.weights, False)
        self._largest = power(format_of(stored).end)
        used = {
            name for item in self._inputs for name in ([item] if isinstance(item, str) else item)
        }
        if not used.issuperset(names):
            raise NoFormula(f"{call.op} takes tensors by name")

    def shapes(self, near: Named) -> list[tuple[int, ...]]:
        """The shapes of the results for tensors like these."""
        with working(_FIRST):
            leaves = {name: balls_of(near[name], False) for name in self.names}
            return [item.shape for item in self._results(leaves)]

    def at(self, near: Named, upstream: Shares, format: str) -> "Known":
        """The gradient where the tensors have these numbers."""
        centre = {name: np.asarray(near[name], "float64") for name in self.names}
        known = Known(self, centre, upstream)
        if all(np.isfinite(array).all() for array in centre.values()):
            known.find(format_of(format))
        return known

    def _results(self, leaves: Mapping[str, Any]) -> tuple[Array, ...]:
        arguments = [
            leaves.get(item, fixed)
            if isinstance(item, str)
            else [leaves.get(name, part) for name, part in zip(item, fixed, strict=True)]
            for item, fixed in zip(self._inputs, self._fixed, strict=True)
        ]
        try:
            return outputs(self._formula, arguments, self._settings, self._weights)
        except TypeError as error:
            if Traced.__name__ not in str(error):
                raise
            # Matrices of balls, and functions of several balls, know balls only.
            raise NoFormula(f"no slopes of the formula of {self._formula.op} are known") from error

    def swept(self, tensors: Mapping[str, Any], upstream: Shares) -> tuple[list[Any], list[Any]]:
        """The gradient as balls in a row, and the results, at the precision of the moment."""
        tape: Tape = []
        leaves = {name: each(lambda ball: Traced(ball, tape), tensors[name]) for name in self.names}
        count = len(tape)
        ends: dict[int, Any] = {}
        results: list[Any] = []
        for found, shares in zip(self._results(leaves), upstream, strict=True):
            for item, share in zip(found.flat, np.asarray(shares).flat, strict=True):
                if isinstance(item, Traced):
                    ends[item.place] = ends.get(item.place, 0) + share
                results.append(item.value if isinstance(item, Traced) else item)
        return swept(tape, ends, count), results

    def fits(self, results: Sequence[Any]) -> bool:
        """Are all results numbers that the format has?"""
        return all(isinstance(item, arb) and abs(item) < self._largest for item in results)


class Known:
    """A gradient at one place: its numbers in a row, and how these move."""

    def __init__(self, of: Gradients, centre: dict[str, Array], upstream: Shares) -> None:
        self._of, self._centre = of, centre
        self._upstream = [np.asarray(item, "float64") for item in upstream]
        self._sizes = [centre[name].size for name in of.names]
        self._balls: list[Any] = []
        self._results: list[Any] = []
        self._precision = _FIRST
        #: NaN where none is known.
        self.slopes: Array = np.full(sum(self._sizes), math.nan)

    def find(self, kind: Any) -> None:
        """Raise the precision until it is known."""
        widest = math.inf
        while True:
            with working(self._precision):
                try:
                    balls, results = self._of.swept(self._moved({}), self._exact({}))
                except Kink as kink:
                    if kink.exact or 2 * self._precision > _CEILING:
                        return
                    self._precision *= 2
                    continue
                settled = [ball.is_finite() and narrow(ball, kind, _BITS) for ball in balls]
                radii = [ball.rad() for ball, told in zip(balls, settled, strict=True) if not told]
            # What no bit makes narrower is a kink, or has no end.
            finite = [float(radius) for radius in radii if radius.is_finite()]
            wide = max(finite, default=math.inf)
            if not radii or not 2.0 * wide < widest or 2 * self._precision > _CEILING:
                break
            widest, self._precision = wide, 2 * self._precision
        if not self._of.fits(results):
            return
        self._balls, self._results = balls, results
        told = [
            float(ball) if known else math.nan for ball, known in zip(balls, settled, strict=True)
        ]
        self.slopes = np.array(told)

    def beside(self, of_numbers: float, of_upstream: float) -> Array:
        """How far these parts of all numbers, and of upstream gradients, move each slope, about."""
        most = np.zeros(len(self.slopes))
        if not self._balls:
            return np.full(len(self.slopes), np.inf)
        state = np.random.default_rng(7)
        for turn in range(_TURNS):

            def signs(array: Array, share: float, turn: int = turn) -> Array:
                chosen = np.where(state.random(array.shape) < 0.5, -1.0, 1.0) if turn else 1.0
                return array * chosen * share

            by = {name: signs(array, of_numbers) for name, array in self._centre.items()}
            upstream = {
                place: signs(array, of_upstream) for place, array in enumerate(self._upstream)
            }
            with working(self._precision):
                balls, _ = self._again(by, upstream)
                moved = [_size(one - other) for one, other in zip(balls, self._balls, strict=True)]
            most = np.fmax(most, moved)
        return most

    def second(self, place: int) -> Second:
        """How the slope at a place moves with each number, and with each upstream gradient.

        As slopes of slopes are the same in both orders, they are those of all others by the
        number at that place.
        """
        which, rest = 0, place
        while rest >= self._sizes[which]:
            rest -= self._sizes[which]
            which += 1
        name = self._of.names[which]
        array = self._centre[name]
        step = np.zeros(array.shape)
        step.reshape(-1)[rest] = max(abs(float(array.reshape(-1)[rest])), 2.0**-126)
        with working(self._precision):
            balls, results = self._again({name: step}, {})
            scale = float(step.reshape(-1)[rest])
            numbers = [
                _size(one - other) / scale for one, other in zip(balls, self._balls, strict=True)
            ]
            upstream = [
                _size(one - other) / scale
                for one, other in zip(results, self._results, strict=True)
            ]
        ends = np.cumsum(self._sizes)[:-1]
        shares = np.cumsum([item.size for item in self._upstream])[:-1]
        return Second(np.split(np.array(numbers), ends), np.split(np.array(upstream), shares))

    def _again(self, by: Mapping[str, Array], upstream: Mapping[int, Array]) -> Any:
        """Slopes and results where numbers are moved; without information at a kink."""
        try:
            return self._of.swept(self._moved(by), self._exact(upstream))
        except Kink:
            unknown = arb.nan()
            return [unknown] * len(self._balls), [unknown] * len(self._results)

    def _moved(self, by: Mapping[str, Array]) -> dict[str, Any]:
        return {name: _stepped(array, by.get(name)) for name, array in self._centre.items()}

    def _exact(self, by: Mapping[int, Array]) -> list[Any]:
        return [_stepped(array, by.get(place)) for place, array in enumerate(self._upstream)]


def _stepped(array: Array, by: Array | None) -> Array:
    if by is None:
        return each(arb, array)
    step = power(-_STEP)
    return each(lambda number, way: arb(number) + arb(way) * step, array, by)


def _size(difference: Any) -> float:
    """Its largest size; without end where it is not known."""
    return float(difference.abs_upper() / power(-_STEP)) if difference.is_finite() else math.inf
