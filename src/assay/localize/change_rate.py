"""Which parameter makes the difference, by fixed thresholds on the change rate (Audee).

The layer runs alone on identical inputs, so its change rate is what its outputs deviate by
over 1e-7. A search on the inputs amplifies it. A parameter is responsible if the rate exceeds
T1 with the value at hand, and stays below T2 with every other value. What rounding explains is
not asked: for a preset, not for daily use.
"""

from collections.abc import Callable, Sequence

import msgspec

from assay.gaps import CHANGE_RATE, SAME_RATE
from assay.ir import Case
from assay.ir.transform import mixed_case
from assay.localize.parameters import Answer, Responsible, fresh, responsible
from assay.ops.placing import Vocabulary

#: As published.
T1, T2 = CHANGE_RATE, SAME_RATE
#: The change rate of a case between two targets; None if one of them does not work.
Rate = Callable[[Case], float | None]

#: Shares of what was reached in the next candidates of the search; the rest is drawn anew.
_KEPT = (0.75, 0.5, 0.25, 0.0, 0.9, 0.0)


def by_change_rate(
    cases: Sequence[Case], rate: Rate, vocabulary: Vocabulary, calls: int = 120
) -> Responsible:
    """As ``assay.localize.responsible``, but decided by the change rate.

    Nothing is claimed if the rate of the first case does not exceed T1. ``calls`` bounds the
    values that are tried; each costs up to seven runs. Deterministic.
    """
    runs = 0

    def counted(case: Case) -> float | None:
        nonlocal runs
        runs += 1
        return rate(case)

    def ask(case: Case) -> Answer:
        reached = amplified(case, counted, vocabulary, T2)
        if reached is None:
            return "silent"
        return "shows" if reached >= T2 else "agree"

    before = amplified(cases[0], counted, vocabulary, T1)
    if before is None or before <= T1:
        return Responsible(calls=runs)
    found = responsible(cases, ask, vocabulary, calls)
    return msgspec.structs.replace(found, calls=runs)


def amplified(case: Case, rate: Rate, vocabulary: Vocabulary, enough: float) -> float | None:
    """The largest rate that a search on the inputs reaches; it ends above ``enough``.

    Candidates lie between the best inputs so far and ordinary ones that the op's spec
    allows, so that they are allowed, too. None if the case itself has no rate.
    """
    best = rate(case)
    if best is None:
        return None
    for draw, kept in enumerate(_KEPT):
        if best > enough:
            break
        drawn = fresh(case, draw, vocabulary)
        if drawn is None:
            continue
        candidate = mixed_case(case, drawn, kept)
        reached = rate(candidate)
        if reached is not None and reached > best:
            case, best = candidate, reached
    return best
