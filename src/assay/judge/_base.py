"""What an oracle sees, and what it promises."""

from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from assay.ir import Case, Platform, Trace, Trial, Verdict

#: ``(target, op) -> implementation``: who computes an op on a target.
Votes = Callable[[str, str], str]
#: Name of the target whose float64 answer counts as the truth where it has one.
REFERENCE = "reference"


class HarnessError(Exception):
    """The arms were not asked the same question: our mistake, never a library's."""


class Observed(msgspec.Struct, frozen=True):
    """A trial and the trace of each arm, by target.

    ``platforms`` say what each target is made of: its name says nothing. ``fusing``
    are the targets that compile a graph as a whole, so that a fault may need more
    than one node.
    """

    trial: Trial
    traces: Mapping[str, Trace]
    votes: Votes
    platforms: Mapping[str, Platform] = {}
    fusing: frozenset[str] = frozenset()

    @property
    def case(self) -> Case:
        """The case the arms share."""
        return self.trial.case

    def ids_out_of_range(self, op: str) -> bool:
        """Did the source give this op ids that name nothing? The values do not show it."""
        return (op, "input", "out_of_range") in self.trial.classes

    def implementations(self, targets: list[str], op: str) -> frozenset[str]:
        """The independent implementations behind these targets."""
        return frozenset(self.votes(target, op) for target in targets)


class Oracle(Protocol):
    """Judges a trial.

    Deterministic, and a function of its arguments only. ``judge`` gives one
    verdict per disagreement it sees; ``still_fails`` says whether a trial shows
    the same disagreement as an earlier verdict, so that anything an oracle
    reports can be confirmed, reduced and replayed.
    """

    name: str

    def judge(self, observed: Observed) -> list[Verdict]:
        """Every disagreement this oracle sees."""
        ...

    def still_fails(self, verdict: Verdict, observed: Observed) -> bool:
        """Does this trial show the same disagreement?"""
        ...


def same_disagreement(first: Verdict, second: Verdict) -> bool:
    """Same kind, stage, op and blame: what must survive confirmation and reduction.

    Where only the reference dissents, blame is decided later, by what supports it.
    """
    alone = first.evidence.reference_alone and second.evidence.reference_alone
    return (
        first.kind == second.kind
        and first.stage == second.stage
        and first.op == second.op
        and (first.blamed == second.blamed or alone)
    )


class JudgedAgain:
    """``still_fails`` for oracles whose verdicts identify themselves."""

    def judge(self, observed: Observed) -> list[Verdict]:
        """Every disagreement this oracle sees."""
        raise NotImplementedError

    def still_fails(self, verdict: Verdict, observed: Observed) -> bool:
        """Judge again, and look for the same disagreement."""
        return any(same_disagreement(verdict, other) for other in self.judge(observed))
