"""The admissible set: what the believed function may give at each element of an answer.

The believed function is taken over the ball of inputs, one unit in the last place around
each: |J|·ulp(x), all signs at their worst, times g(n) for sums of n terms, plus k units in
the last place of the result. What is inside is rounding. What the function gives for inputs
beside it (a tie, a jump) is another branch. The rest is outside.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from assay.gaps import gap, peak, real
from assay.ir import REFERENCE, Admissible, Array, Case, Trace
from assay.ir.transform import ball_of, forward_only, nudged_cases, spacing
from assay.judge._base import Observed, Run
from assay.judge.allowance import Family, family_of, multiplies

#: How many copies have all of their inputs nudged at once.
NUDGES = 6
#: How many times the largest movement of these is granted where no element moved alone: signs
#: drawn at random reach a part of what the worst ones do.
_SIGNS = 4.0
#: An answer that is within this factor of the largest number may be as much as overflows.
_NEARLY = 16.0
#: Largest and smallest normal number of formats that layers are told to compute in.
_HALF = {2.0**-10: (65504.0, 2.0**-14), 2.0**-7: (3.39e38, 2.0**-126)}


class Region(msgspec.Struct, frozen=True):
    """The believed function around the inputs, element by element of one array."""

    source: str
    family: Family
    centre: Array
    ball: Array
    flushed: Array
    lost: Array
    nearby: tuple[Array, ...]
    nudged: tuple[Array, ...]
    terms: int
    epsilon: float
    largest: float
    smallest: float
    #: Are the answers whole numbers? Those have no last place.
    whole: bool = False
    #: What the function gives once numbers are lost that are too small, if there are any.
    without: tuple[Array, ...] = ()

    @property
    def unit(self) -> Array:
        """The last place of each element; of the largest one, where errors spread."""
        size = np.abs(self.centre)
        if self.whole:
            return np.zeros(size.shape)
        if self.family.spreads and size.size:
            size = np.full(size.shape, np.max(size[np.isfinite(size)], initial=0.0))
        return np.asarray(self.epsilon * size)

    @property
    def allowed(self) -> Array:
        """How far an answer may be from the centre."""
        unit = self.unit
        # A term that is flushed to zero is lost, and so may the result be.
        lost = 0.0 if self.whole else self.terms * self.smallest
        with np.errstate(over="ignore", invalid="ignore"):
            near = self.family.growth(self.terms) * self.ball + self.family.units * unit
            return np.asarray(near + self.flushed + lost)

    def outside(self, answer: Array) -> Array:
        """Where an answer is not in the set."""
        found = gap(_narrowed(self.centre, answer), answer)
        if found is None:
            return np.ones(answer.shape, dtype=bool)
        away = np.asarray(found.deviation > self.allowed)
        if found.special is not None:
            away = away | (found.special & ~self._special(answer))
        for other in self.without:
            away = away & ~self._near(other, answer)
        return np.asarray(away)

    def _near(self, centre: Array, answer: Array) -> Array:
        """Where an answer is as near to another centre as it may be to its own."""
        found = gap(_narrowed(centre, answer), answer)
        if found is None:
            return np.zeros(answer.shape, dtype=bool)
        allowed = msgspec.structs.replace(self, centre=centre).allowed
        away = np.asarray(found.deviation > allowed)
        near = ~away if found.special is None else ~(away | found.special)
        # What is lost in part is between the two: on the way to infinity, if that is at its end.
        with np.errstate(invalid="ignore"):
            between = np.sign(answer - self.centre) == np.sign(centre)
        return np.asarray(near | (np.isinf(centre) & np.isfinite(self.centre) & between))

    def _special(self, answer: Array) -> Array:
        """Where the function gives the same NaN or infinity nearby, or its terms overflow.

        Or where it gives any, once numbers are lost that are too small.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            terms = np.abs(self.centre) + self.ball / self.epsilon
            # Infinity of special inputs, or of a pole, is a result like any other. What only
            # chooses has no terms that overflow, and an ordinary number is no overflow.
            over = (
                np.isfinite(self.centre) & ~(terms < self.largest) & np.bool_(not self.family.exact)
            )
            ordinary = np.abs(answer) < self.largest / _NEARLY
            may = np.asarray(over & ~(np.isfinite(answer) & ordinary)) | self.lost
            for other in self.nearby:
                may |= _same_special(_narrowed(other, answer), answer)
        return may

    def on_branch(self, answer: Array, where: Array) -> bool:
        """Is every such element what the function gives for inputs right beside these?"""
        if self.family.exact or not self.nudged:
            return False
        allowed = self.allowed
        matched = np.zeros(answer.shape, dtype=bool)
        for other in self.nudged:
            found = gap(_narrowed(other, answer), answer)
            if found is not None:
                special = found.special if found.special is not None else False
                matched |= (found.deviation <= allowed) & ~np.asarray(special)
        return bool(matched[where].all())

    def shown(self, answer: Array, name: str, outside: Array | None = None) -> Admissible:
        """What was measured where the answer is furthest from what is allowed."""
        found = gap(_narrowed(self.centre, answer), answer)
        position: tuple[int, ...] = ()
        if found is not None and answer.size:
            with np.errstate(invalid="ignore"):
                beyond = np.where(found.distance == 0, -np.inf, found.distance - self.allowed)
            # Beside NaN nothing has a distance: what is outside there is as far off as can be.
            unknown = np.inf if outside is not None else -np.inf
            beyond = np.nan_to_num(beyond, nan=unknown, posinf=np.inf)
            position = peak(beyond if outside is None else np.where(outside, beyond, -np.inf))
        centre, allowed = float(self.centre[position]), float(self.allowed[position])
        return Admissible(
            source=self.source,
            family=self.family.name,
            answer=float(answer[position]),
            centre=centre,
            lower=centre - allowed,
            upper=centre + allowed,
            ball=float(self.ball[position]),
            terms=self.terms,
            growth=self.family.growth(self.terms),
            units=self.family.units,
            unit=float(self.unit[position]),
            nudged=tuple(float(item[position]) for item in self.nudged),
            where=name,
            position=position,
        )


def region(observed: Observed, where: str, op: str, source: str, run: Run) -> Region | None:
    """The set around what ``source`` gives for an array; None if it cannot be measured.

    One request. The reference, which computes in float64, is asked how each group of elements
    moves the result; a library only how all of them do, since its own rounding is in that.
    """
    base = observed.traces[source].arrays.get(where) if source in observed.traces else None
    if base is None:
        return None
    base = real(base)
    case = observed.case
    if where.startswith(("output:", "state:")):
        case = forward_only(case)
    plain = point(observed, where, family_of(op), source, base)
    if source != REFERENCE:
        return _by_nudges(plain, case, where, run)
    return _by_groups(plain, case, where, run, multiplies(op))


def point(observed: Observed, where: str, family: Family, source: str, centre: Array) -> Region:
    """The set around an answer of which nothing is known yet but its format."""
    epsilon, largest, smallest = _format(observed, where)
    return Region(
        source=source,
        family=family,
        centre=centre.astype("float64"),
        ball=np.zeros(centre.shape),
        flushed=np.zeros(centre.shape),
        lost=np.zeros(centre.shape, dtype=bool),
        nearby=(),
        nudged=(),
        terms=1,
        epsilon=epsilon,
        largest=largest,
        smallest=smallest,
        whole=whole_numbers(observed, where),
    )


def _by_nudges(plain: Region, case: Case, where: str, run: Run) -> Region | None:
    cases = nudged_cases(case, NUDGES)
    if not cases:
        return plain
    moved = _arrays(run(cases, plain.source), where, plain.centre.shape)
    if not moved:
        return None
    ball = _SIGNS * np.max([_distance(plain.centre, item) for item in moved], axis=0)
    terms = sum(array.size for array in case.input_arrays().values() if array.dtype.kind == "f")
    return msgspec.structs.replace(
        plain, ball=ball, nudged=tuple(moved), nearby=tuple(moved), terms=max(1, terms)
    )


def _by_groups(plain: Region, case: Case, where: str, run: Run, products: bool) -> Region | None:
    around = ball_of(case, NUDGES, products)
    if around is None:
        return plain
    extra = around.flushed
    cases = (*around.joint, *extra, *around.up, *around.down)
    traces = run(cases, plain.source)
    if len(traces) < len(cases):
        return None
    shape = plain.centre.shape
    first, groups = len(around.joint) + len(extra), len(around.up)
    nudged = _arrays(traces[: len(around.joint)], where, shape)
    flushed = _arrays(traces[len(around.joint) : first], where, shape)
    ball, moving = np.zeros(shape), np.zeros(shape)
    nearby = [*nudged, *flushed]
    for up, down in zip(traces[first : first + groups], traces[first + groups :], strict=True):
        pair = _arrays((up, down), where, shape)
        nearby += pair
        if pair:
            step = np.max([_distance(plain.centre, item) for item in pair], axis=0)
            ball, moving = ball + step, moving + (step > 0)
    # Inside of a group signs may cancel out.
    together = around.size / groups
    terms = max(1, round(float(moving.max(initial=0.0)) * together))
    return msgspec.structs.replace(
        plain,
        ball=ball * np.sqrt(together),
        flushed=_largest([_distance(plain.centre, item) for item in flushed], np.zeros(shape)),
        lost=_largest(
            [_lost(plain.centre, item) for item in flushed],
            np.full(shape, len(flushed) < len(extra)),
        ),
        nearby=tuple(nearby),
        nudged=tuple(nudged),
        terms=terms,
        without=tuple(flushed),
    )


def _largest(arrays: Sequence[Array], least: Array) -> Array:
    return np.asarray(np.maximum.reduce([least, *arrays]))


def _lost(centre: Array, flushed: Array) -> Array:
    """Where the function has no value once small numbers are lost: one divided by it, say.

    What it gives with them, too, is no loss: the hypotenuse of infinities stays infinite.
    """
    return np.asarray(~np.isfinite(flushed) & ~_same_special(centre, flushed))


def _arrays(traces: Sequence[Trace], where: str, shape: tuple[int, ...]) -> list[Array]:
    found = [real(trace.arrays[where]) for trace in traces if where in trace.arrays]
    return [array.astype("float64") for array in found if array.shape == shape]


def _distance(first: Array, second: Array) -> Array:
    found = gap(first, second)
    return np.zeros(first.shape) if found is None else found.deviation


def _format(observed: Observed, where: str) -> tuple[float, float, float]:
    """Spacing at one, largest and smallest normal number of the coarsest format at work.

    Who gives a wider format than goes in has one that holds larger numbers: the largest is its.
    """
    coarse = spacing(observed.case)
    given = [array.dtype for array in observed.case.input_arrays().values()]
    answers = [dtype for dtype in _given(observed, where) if dtype.kind == "f"]
    floats = [*answers, *(dtype for dtype in given if dtype.kind == "f")]
    info = np.finfo(_narrowest(floats))
    if coarse > float(info.eps):
        return (coarse, *_HALF[coarse])
    largest = np.finfo(_narrowest(answers or floats)).max
    return float(info.eps), float(largest), float(info.tiny)


def _narrowest(formats: Sequence[np.dtype[Any]]) -> np.dtype[Any]:
    return min(formats, key=lambda dtype: dtype.itemsize, default=np.dtype("float32"))


def whole_numbers(observed: Observed, where: str) -> bool:
    """Do all libraries give whole numbers there?"""
    given = _given(observed, where)
    return bool(given) and all(dtype.kind in "iub" for dtype in given)


def _given(observed: Observed, where: str) -> list[np.dtype[Any]]:
    """The types of what libraries give for an array."""
    return [
        trace.arrays[where].dtype
        for target, trace in observed.traces.items()
        if target != REFERENCE and where in trace.arrays
    ]


def _narrowed(array: Array, like: Array) -> Array:
    """The numbers as the answer's format holds them: what overflows there, overflows."""
    if like.dtype.kind != "f":
        return array
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        return array.astype(like.dtype).astype("float64")


def _same_special(first: Array, second: Array) -> Array:
    """Where both are NaN, or the same infinity."""
    second = second.astype("float64")
    return np.asarray((np.isnan(first) & np.isnan(second)) | (np.isinf(first) & (first == second)))
