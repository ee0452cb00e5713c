"""What an oracle sees, and what it promises."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from assay.ir import Arm, Case, Platform, Relation, Trace, Trial, Verdict

#: ``(target, op) -> implementation``: who computes an op on a target.
Votes = Callable[[str, str], str]
#: Cases that differ in their inputs only, on one target; no traces if it was lost.
Run = Callable[[Sequence[Case], str], Sequence[Trace]]


class HarnessError(Exception):
    """The arms were not asked the same question: our mistake, never a library's."""


class Observed(msgspec.Struct, frozen=True):
    """A trial and the trace of each arm, by the arm's name.

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

    def case_op(self, case: int) -> str:
        """The op that a case of the trial ends with."""
        return self.trial.cases[case].graph.nodes[-1].op

    def parts(self, relation: Relation) -> "Iterator[Observed]":
        """What was observed of each agreement of this kind.

        A part has the arms of its agreement that answered, in its order, and their cases. Of
        peers, which share one, and of further runs, that is a single one. Peers are named by
        their targets there, whatever was done to the case that they run.
        """
        arms = {arm.name: arm for arm in self.trial.arms}
        for agreement in self.trial.agreements:
            if agreement.relation != relation:
                continue
            traces = {name: self.traces[name] for name in agreement.arms if name in self.traces}
            if not traces:
                continue
            asked = tuple(arms[name] for name in agreement.arms if name in traces)
            numbers = sorted({arm.case for arm in asked})
            trial = msgspec.structs.replace(
                self.trial,
                cases=tuple(self.trial.cases[number] for number in numbers),
                arms=tuple(
                    msgspec.structs.replace(arm, case=numbers.index(arm.case)) for arm in asked
                ),
                agreements=(agreement,),
            )
            part = msgspec.structs.replace(self, trial=trial, traces=traces)
            yield _as_it_is(part) if relation == "peers" and asked[0].variant else part

    def peers(self) -> "Observed":
        """The arms that run the (first) case as it is, whether or not they must agree."""
        part = next(self.parts("peers"), None)
        if part is not None:
            return part
        arms = tuple(arm for arm in self.trial.arms if arm.case == 0 and not arm.follows)
        trial = msgspec.structs.replace(
            self.trial, cases=self.trial.cases[:1], arms=arms, agreements=()
        )
        traces = {arm.name: self.traces[arm.name] for arm in arms if arm.name in self.traces}
        return msgspec.structs.replace(self, trial=trial, traces=traces)

    def ids_out_of_range(self, op: str) -> bool:
        """Did the source give this op ids that name nothing? The values do not show it."""
        return (op, "input", "out_of_range") in self.trial.classes

    def native(self, target: str) -> bool:
        """Is it known to be another library than Keras 3, whose findings stay as they were?"""
        platform = self.platforms.get(target)
        return platform is not None and platform.library != "keras"

    def implementations(self, targets: Iterable[str], op: str) -> frozenset[str]:
        """The independent implementations behind these targets."""
        return frozenset(self.votes(target, op) for target in targets)


def _as_it_is(part: Observed) -> Observed:
    """Peers that run a case made of another, as if it were their trial's own."""
    targets = {arm.name: arm.target for arm in part.trial.arms}
    trial = msgspec.structs.replace(
        part.trial, arms=tuple(Arm(target) for target in targets.values()), agreements=()
    )
    traces = {
        targets[name]: msgspec.structs.replace(trace, arm=targets[name])
        for name, trace in part.traces.items()
    }
    return msgspec.structs.replace(part, trial=trial, traces=traces)


#: Runs a trial on all its arms.
Observe = Callable[[Trial], Observed]


class Oracle(Protocol):
    """Judges a trial.

    Deterministic, and a function of its arguments only. ``judge`` gives one verdict per
    disagreement it sees; ``assay.judge.identity.same`` then says whether another trial shows
    the same, so that anything an oracle reports can be confirmed, reduced and replayed.
    """

    name: str

    def judge(self, observed: Observed) -> list[Verdict]:
        """Every disagreement this oracle sees."""
        ...


class PartOracle:
    """An oracle that judges every agreement of one relation by itself."""

    relation: Relation = "peers"

    def judge(self, observed: Observed) -> list[Verdict]:
        """Every disagreement it sees, agreement by agreement."""
        parts = observed.parts(self.relation)
        return [verdict for part in parts for verdict in self.judge_part(part)]

    def judge_part(self, observed: Observed) -> list[Verdict]:
        """Every disagreement among the arms of one agreement."""
        raise NotImplementedError
