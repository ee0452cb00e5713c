"""Balls that remember what they were made of, so that one sweep back gives a whole gradient.

Formulas of whole arrays are given them in place of balls. Each result of an operation notes the
numbers it came from and the slope by each, enclosed as the numbers are; ``swept`` multiplies these
along all ways back. At a kink, and where balls do not tell on which side of it they are, the
slope is a ball that holds those of both sides: what does not hang on the choice stays narrow (the
shift of logsumexp), and what does tells nothing.
"""

from collections.abc import Mapping
from typing import Any

from flint import arb

from assay.judge.balls.registry import NoFormula

#: Of each number in turn: the places of those it was made of, and slopes; None is a slope of one.
Tape = list[tuple[tuple[int, Any], ...]]


class Kink(Exception):
    """A formula chooses between two ways, and the number is at the border, or may be.

    ``exact``: it is, whatever the precision.
    """

    def __init__(self, exact: bool) -> None:
        super().__init__("a formula goes two ways here")
        self.exact = exact


class NoSlope(NoFormula, AttributeError):
    """A formula asks for what has no slope here; NumPy and balls ask what else an object may be."""


class Traced:
    """A ball on a tape."""

    __slots__ = ("place", "tape", "value")

    def __init__(self, value: Any, tape: Tape, *parents: tuple[int, Any]) -> None:
        self.value, self.tape, self.place = value, tape, len(tape)
        tape.append(parents)

    def __getattr__(self, name: str) -> Any:
        raise NoSlope(f"no slope of {name} is known")

    def _of(self, value: Any, slope: Any) -> "Traced":
        return Traced(value, self.tape, (self.place, slope))

    def _with(self, other: Any, value: Any, own: Any, others: Any) -> "Traced":
        """Of this and another: ``others`` is the slope by that, if it is on the tape, too."""
        if isinstance(other, Traced):
            return Traced(value, self.tape, (self.place, own), (other.place, others))
        return Traced(value, self.tape, (self.place, own))

    # ----------------------------------------------------------------------- arithmetic

    def __add__(self, other: Any) -> "Traced":
        return self._with(other, self.value + _value(other), None, None)

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Traced":
        return self._with(other, self.value - _value(other), None, -1)

    def __rsub__(self, other: Any) -> "Traced":
        return self._of(other - self.value, -1)

    def __mul__(self, other: Any) -> "Traced":
        factor = _value(other)
        return self._with(other, self.value * factor, factor, self.value)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Traced":
        divisor = _value(other)
        found = self.value / divisor
        if isinstance(other, Traced):
            return self._with(other, found, 1 / divisor, -found / divisor)
        return self._of(found, arb(1) / divisor)

    def __rtruediv__(self, other: Any) -> "Traced":
        found = other / self.value
        return self._of(found, -found / self.value)

    def __pow__(self, exponent: Any) -> "Traced":
        if isinstance(exponent, Traced):
            raise NoFormula("no slope of a power by its exponent is known")
        if exponent == 0:
            return self._of(self.value**exponent, 0)
        return self._of(self.value**exponent, exponent * self.value ** (exponent - 1))

    def __neg__(self) -> "Traced":
        return self._of(-self.value, -1)

    # ------------------------------------------------------------------------ functions

    def exp(self) -> "Traced":
        """The exponential."""
        found = self.value.exp()
        return self._of(found, found)

    def expm1(self) -> "Traced":
        """exp(x) - 1."""
        return self._of(self.value.expm1(), self.value.exp())

    def log(self) -> "Traced":
        """The logarithm."""
        return self._of(self.value.log(), 1 / self.value)

    def log1p(self) -> "Traced":
        """log(1 + x)."""
        return self._of(self.value.log1p(), 1 / (1 + self.value))

    def sqrt(self) -> "Traced":
        """The square root."""
        found = self.value.sqrt()
        return self._of(found, 1 / (2 * found))

    def root(self, degree: int) -> "Traced":
        """The root of a degree."""
        found = self.value.root(degree)
        return self._of(found, found / (degree * self.value))

    def tanh(self) -> "Traced":
        """The hyperbolic tangent."""
        found = self.value.tanh()
        return self._of(found, self.value.sech() ** 2)

    def nonnegative_part(self) -> "Traced":
        """What of the ball is not below zero, of a number that is not."""
        return self._of(self.value.nonnegative_part(), None)

    # --------------------------------------------------------------------------- choices

    def __abs__(self) -> "Traced":
        positive, negative = self.value > 0, self.value < 0
        return self._of(abs(self.value), 1 if positive else -1 if negative else arb(0, 1))

    def max(self, other: Any) -> "Traced":
        """The larger one."""
        return self._chosen(other, self.value.max(_value(other)), self.value > _value(other), True)

    def min(self, other: Any) -> "Traced":
        """The smaller one."""
        return self._chosen(other, self.value.min(_value(other)), self.value < _value(other), False)

    def _chosen(self, other: Any, value: Any, first: bool, largest: bool) -> "Traced":
        rest = _value(other)
        second = self.value < rest if largest else self.value > rest
        if not first and not second:
            half = arb(0.5, 0.5)
            return self._with(other, value, half, half)
        return self._with(other, value, 1 if first else 0, 1 if second else 0)

    # ----------------------------------------------------------------------- comparisons

    def __gt__(self, other: Any) -> bool:
        return self._above(other)

    def __ge__(self, other: Any) -> bool:
        return self._above(other)

    def __lt__(self, other: Any) -> bool:
        return not self._above(other)

    def __le__(self, other: Any) -> bool:
        return not self._above(other)

    def __eq__(self, other: object) -> bool:
        self._above(other)
        return False

    __hash__ = None  # type: ignore[assignment]

    def _above(self, other: Any) -> bool:
        rest = _value(other)
        if self.value > rest:
            return True
        if self.value < rest:
            return False
        raise Kink(bool(self.value == rest))

    # -------------------------------------------------------------- what a ball says of itself

    def is_exact(self) -> bool:
        """Is it one number?"""
        return bool(self.value.is_exact())

    def is_finite(self) -> bool:
        """Has it an end?"""
        return bool(self.value.is_finite())

    def is_zero(self) -> bool:
        """Is it zero and nothing else?"""
        return bool(self.value.is_zero())


def _value(item: Any) -> Any:
    return item.value if isinstance(item, Traced) else item


def swept(tape: Tape, ends: Mapping[int, Any], count: int) -> list[Any]:
    """The slopes by the first ``count`` numbers of a tape, of a sum of numbers at ``ends``.

    ``ends`` has how often each is in the sum, by its place.
    """
    found: list[Any] = [None] * len(tape)
    for place, share in ends.items():
        found[place] = share
    for place in range(len(tape) - 1, count - 1, -1):
        own = found[place]
        if own is None:
            continue
        for parent, slope in tape[place]:
            part = own if slope is None else own * slope
            known = found[parent]
            found[parent] = part if known is None else known + part
    return [arb(0) if slope is None else slope for slope in found[:count]]
