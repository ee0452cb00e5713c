"""A reduction under way: what was reached, and whether a candidate will do."""

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

import msgspec

from assay.ir import Array, Case, content_hash
from assay.ops import Domain
from assay.ops.placing import UNKNOWN_CALL, Vocabulary, domain_in, shapes_of
from assay.reduce.catalogued import ranges_of
from assay.reduce.classes import classes_of, unties
from assay.reduce.order import size


class Shown(msgspec.Struct, frozen=True):
    """A case shows the fault; ``tensors`` are the values of its tensors on an arm we believe."""

    tensors: Mapping[str, Array] = {}


#: Does a case show the same fault (kind, stage, op, blame, message, category)?
Shows = Callable[[Case], Shown | None]


class Search:
    """A reduction under way: the simplest case so far, and how to get a simpler one.

    Deterministic: what is tried depends on the case and on the answers alone.
    """

    def __init__(
        self,
        case: Case,
        shown: Shown,
        shows: Shows,
        vocabulary: Vocabulary,
        spoilt: str = "",
        calls: int = 200,
        careful: bool = False,
    ) -> None:
        self.case = case
        self.shown = shown
        self.vocabulary = vocabulary
        self.spoilt = spoilt
        self.calls = 0
        self.steps: list[Case] = []
        self._shows = shows
        self._left = calls
        self._tried: set[str] = set()
        # Where the rules do not know the case itself, they cannot judge another.
        self._ruled = self.rules_allow(case)
        #: The range of each input, where no spec but the draw says it.
        self.ranges = ranges_of(case)
        #: The special classes that candidates may have; None if any will do.
        self.classes = classes_of(case) if careful else None

    @property
    def exhausted(self) -> bool:
        """Is the budget spent?"""
        return self._left <= 0

    def rules_allow(self, case: Case) -> bool:
        """Do the op specs call the case valid?"""
        try:
            shapes_of(case, self.vocabulary, self.spoilt)
        except UNKNOWN_CALL:
            return False
        return True

    def domain(self, name: str) -> Domain:
        """Where the elements of an input may come from."""
        if name in self.ranges:
            return self.ranges[name]
        return domain_in(self.case, name, self.vocabulary, self.spoilt)

    def daring(self, candidate: Case) -> bool:
        """Does it have special values or lengths that the case did not have at first?

        Those have faults of their own, which are not the one that is reduced.
        """
        return self.classes is not None and not classes_of(candidate, self.vocabulary) <= (
            self.classes
        )

    def accept(self, candidate: Case) -> bool:
        """Go on with the candidate, if it is simpler, valid, and shows the fault."""
        if not size(candidate) < size(self.case) or self.daring(candidate):
            return False
        if unties(self.case, candidate):
            return False
        key = content_hash(candidate)
        if key in self._tried or (self._ruled and not self.rules_allow(candidate)):
            return False
        if self.exhausted:
            return False
        self._tried.add(key)
        self._left -= 1
        self.calls += 1
        shown = self._shows(candidate)
        if shown is None:
            return False
        self.case, self.shown = candidate, shown
        self.steps.append(candidate)
        return True

    def first(self, candidates: Iterator[Case]) -> bool:
        """Accept the first candidate that will do."""
        return any(self.accept(candidate) for candidate in candidates)


class Pass(Protocol):
    """One way to make a case simpler: proposes candidates to ``search.accept``."""

    def __call__(self, search: Search) -> None:
        """Try everything this pass knows, once."""
        ...
