"""May rounding explain how far a runtime is from what a case expects?

Measured on whoever agrees with the case, not by formula: its inputs are moved by one unit in the
last place of their type, in several random directions. By as much as its answer then moves, times
a factor, and by the units in the last place that ``allowances.toml`` grants the operator, two
correct implementations may differ. Of whole numbers and truth values there is no such distance:
they may be what an answer with moved inputs is, unless the exact arithmetic of an operator that
is one step stands right on the edge. There its definition says which way to go (round half to
even), and rounding has no part in it.
"""

from collections.abc import Sequence

import numpy as np

from assay.gaps import gap
from assay.ir import Array
from assay.ir.suite import SuiteCase, Value
from assay.judge.allowance import family_of
from assay.judge.suite.comparing import coarse, parts, spacing

#: Copies with moved inputs, and how many times their spread is granted: signs at random reach
#: about a third of what the worst ones do, and a sum of n numbers is rounded n times.
COPIES, _SPREAD = 8, 16.0
#: What is computed in half precision is rounded once more at every step that stores it; the units
#: of ``allowances.toml`` are of float32, and would be a large share of such a number.
_HALVES, _HALF_UNITS = ("float16", "bfloat16"), 2.0

Outputs = Sequence[Value]


class Answers:
    """What the believed implementation gives: for the inputs, and for copies that are moved.

    ``precise`` are answers with inputs of float64 that are moved by next to nothing; none where
    it cannot be asked that.
    """

    def __init__(
        self, plain: Outputs, moved: Sequence[Outputs], precise: Sequence[Outputs]
    ) -> None:
        self.plain = plain
        self.moved = moved
        self.precise = precise


def by_rounding(case: SuiteCase, given: Outputs, believed: Answers) -> bool | None:
    """Is every difference within what rounding may do? None if that could not be measured."""
    verdicts = [
        _tensor(case, place, number, first, second, believed)
        for place, (expected, own) in enumerate(zip(case.told.outputs, given, strict=True))
        for number, (first, second) in enumerate(parts(expected, own))
    ]
    if False in verdicts:
        return False
    return None if None in verdicts else True


def _tensor(
    case: SuiteCase, place: int, number: int, first: Value, second: Value, believed: Answers
) -> bool | None:
    if first.array is None or second.array is None:
        return (first.text, first.shape) == (second.text, second.shape)
    found = gap(first.array, second.array)
    if found is None or found.special is not None:
        return False
    if not found.furthest:
        return True
    moved = _arrays(case, place, number, believed.moved, first.array.shape)
    if coarse(first.dtype):
        precise = _arrays(case, place, number, believed.precise, first.array.shape)
        steps = len(case.bodies)
        return _whole(first.array, second.array, moved, precise if steps == 1 else moved[:1])
    family = family_of(case.op)
    size = np.full(found.size.shape, found.largest) if family.spreads else found.size
    units = min(family.units, _HALF_UNITS) if first.dtype in _HALVES else family.units
    allowed = units * spacing(first.dtype, size) + case.atol
    if (found.deviation <= allowed).all():
        return True
    if not moved:
        return None
    plain = _arrays(case, place, number, [believed.plain], first.array.shape)
    spread = np.zeros(first.array.shape)
    for copy in moved:
        away = gap(copy, plain[0]) if plain else None
        if away is not None and away.special is None:
            spread = np.maximum(spread, away.deviation)
    return bool((found.deviation <= allowed + _SPREAD * spread).all())


def _whole(first: Array, second: Array, moved: list[Array], precise: list[Array]) -> bool | None:
    wrong = first != second
    if not moved:
        return None
    low, high = np.minimum.reduce([first, *moved]), np.maximum.reduce([first, *moved])
    if not ((low <= second) & (second <= high))[wrong].all():
        return False
    if not precise:
        return None
    edge = np.any([copy != precise[0] for copy in precise], axis=0)
    return not edge[wrong].any()


def _arrays(
    case: SuiteCase, place: int, number: int, answers: Sequence[Outputs], shape: tuple[int, ...]
) -> list[Array]:
    """The tensor at that place of each answer that has it, in the right shape."""
    found = []
    for outputs in answers:
        if place >= len(outputs):
            continue
        pairs = list(parts(case.told.outputs[place], outputs[place]))
        own = pairs[number][1].array if number < len(pairs) else None
        if own is not None and own.shape == shape:
            found.append(own)
    return found
