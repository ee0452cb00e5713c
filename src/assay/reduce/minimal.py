"""The reduction itself: passes over a case, again and again, until none makes it simpler."""

import msgspec

from assay.ir import Case
from assay.ops.placing import Vocabulary
from assay.reduce.passes import PASSES
from assay.reduce.search import Search, Shows


class Reduced(msgspec.Struct, frozen=True):
    """The simplest case that was reached.

    ``steps`` are the cases on the way, each simpler than the one before, the
    last one ``case`` itself; ``calls`` is how often the oracle was asked.
    """

    case: Case
    steps: tuple[Case, ...]
    calls: int
    exhausted: bool = False


def reduce(
    case: Case,
    shows: Shows,
    vocabulary: Vocabulary,
    spoilt: str = "",
    calls: int = 200,
    careful: bool = False,
) -> Reduced | None:
    """The simplest case found with at most ``calls`` calls of the oracle.

    None if the case itself does not show the fault (that takes one call). The
    order of ``assay.reduce.order`` decides what is simpler; every step is smaller
    than the one before it and was judged. ``spoilt`` is a parameter that is
    deliberately invalid: it keeps its value, and the rest stays valid. A
    ``careful`` reduction puts no zeros, ties, axes of length 1 or other special
    classes where there were none: numbers that differ there differ for a reason
    of their own.
    """
    shown = shows(case)
    if shown is None:
        return None
    search = Search(case, shown, shows, vocabulary, spoilt, calls - 1, careful)
    while not search.exhausted:
        before = len(search.steps)
        for one_pass in PASSES:
            one_pass(search)
        if len(search.steps) == before:
            break
    return Reduced(search.case, tuple(search.steps), search.calls + 1, search.exhausted)
