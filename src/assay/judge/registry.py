"""The oracles there are."""

from typing import TypeVar

import msgspec

from assay.ir import Finding, Relation, Verdict
from assay.judge._base import HarnessError, Observed, Oracle
from assay.judge.again import NondeterminismOracle
from assay.judge.change_rate import ChangeRateOracle
from assay.judge.equivalent import EquivalenceOracle
from assay.judge.failures import CrashOracle, ErrorOracle
from assay.judge.identity import BLAME, SYMPTOM, same
from assay.judge.numeric import NumericOracle
from assay.judge.precise import PrecisionOracle
from assay.judge.proven import proven
from assay.judge.rewriting import RewriteOracle, TolerantOracle, tolerant
from assay.judge.round_trip import RoundTripOracle
from assay.judge.threshold import ThresholdOracle
from assay.judge.validation import ValidationOracle

#: Every oracle, in the order in which their verdicts are worth reading.
ORACLES: tuple[Oracle, ...] = (
    CrashOracle(),
    ErrorOracle(),
    ValidationOracle(),
    NondeterminismOracle(),
    RoundTripOracle(),
    EquivalenceOracle(),
    RewriteOracle(),
    NumericOracle(),
)
#: The relations that they judge between them.
JUDGED: frozenset[Relation] = frozenset({"peers", "equivalent", "again"})
#: Oracles of presets, in place of the one that judges numbers.
PRESETS: dict[str, Oracle] = {"muffin": ThresholdOracle(), "audee": ChangeRateOracle()}
#: Of searches for the largest error: no hunt has them.
SEARCHES: tuple[Oracle, ...] = (PrecisionOracle(),)


def oracles(preset: str = "", tolerance: tuple[float, float] | None = None) -> tuple[Oracle, ...]:
    """Every oracle of a hunt, with the thresholds of a published method if one is named.

    ``tolerance``, absolute and relative, is that of equivalent programs, if not what rounding
    explains.
    """
    found = (*ORACLES[:-1], PRESETS[preset]) if preset in PRESETS else ORACLES
    if tolerance is None:
        return found
    within = TolerantOracle(*tolerance)
    return tuple(within if isinstance(item, RewriteOracle) else item for item in found)


def oracle(name: str) -> Oracle:
    """The oracle of that name; ``HarnessError`` if a record names one that is not here."""
    for item in (*ORACLES, *PRESETS.values(), *SEARCHES):
        if item.name == name:
            return item
    told = tolerant(name) or proven(name)
    if told is not None:
        return told
    known = ", ".join(item.name for item in ORACLES)
    raise HarnessError(
        f'no oracle is called "{name}". Known here: {known}. Was it recorded by another version?'
    )


Symptomatic = TypeVar("Symptomatic", bound=Verdict | Finding)

#: The target shows the fault by itself: on another target it is another disagreement.
_BLAME_IS_NO_VOTE = ("crash", "nondeterminism")


def symptom(item: Symptomatic) -> Symptomatic:
    """A verdict or finding as an oracle sees it, before a rule says why, and who is wrong."""
    seen, voted = item.evidence.symptom, item.evidence.voted
    return msgspec.structs.replace(
        item,
        kind=item.kind if seen is None else seen,
        blamed=item.blamed if voted is None else voted,
    )


def shown_again(verdict: Verdict, observed: Observed) -> Verdict | None:
    """The same disagreement in another trial; a vote may have become clearer there."""
    verdict = symptom(verdict)
    seen = oracle(verdict.oracle).judge(observed)
    alike = [other for other in seen if same(verdict, other, SYMPTOM)]
    for other in alike:
        if other.blamed == verdict.blamed:
            return other
    return alike[0] if alike and verdict.kind not in _BLAME_IS_NO_VOTE else None


def shows(verdict: Verdict | Finding, observed: Observed) -> bool:
    """Does a trial show the very disagreement, blame included?"""
    mine = symptom(verdict)
    return any(same(mine, other, BLAME) for other in oracle(verdict.oracle).judge(observed))


def shown_on(finding: Verdict | Finding, observed: Observed) -> frozenset[str] | None:
    """On which of the targets it blames a finding still shows; None if it does not show.

    Empty where it shows and blames nobody. Whoever is not wrong any more does not make it
    another finding for the others.
    """
    if shows(finding, observed):
        return frozenset(finding.blamed)
    mine = symptom(finding)
    seen = oracle(finding.oracle).judge(observed)
    alike = [frozenset(other.blamed) for other in seen if same(mine, other, SYMPTOM)]
    # Blame that went over to somebody else is another disagreement.
    left = [blamed for blamed in alike if blamed and blamed < frozenset(mine.blamed)]
    return frozenset().union(*left) if left else None
