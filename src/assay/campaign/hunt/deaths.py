"""What targets died of: an op and stage that killed one is left out there for a while.

Decided by index, and when a trial is judged: what a target answered meanwhile is ignored. So
equal seeds stay equal, however soon a death becomes known.
"""

from collections.abc import Container, Mapping

import msgspec

from assay.ir import STAGES, Arm, Case, LossOp, Trace, Trial

#: Trials after a death in which that op and stage are left out on that target.
SKIPPED = 200


class Died(msgspec.Struct, frozen=True):
    """Of what a target died, and in which trial. ``ops`` are all of the case if none is known."""

    index: int
    target: str
    ops: tuple[str, ...]
    stage: str
    cause: str


class Deaths:
    """The deaths of a campaign. ``known`` and ``skipped`` are kept up to date, for a resume.

    ``skipped`` counts the trials that a target was left out of, by what it died of.
    """

    def __init__(self, known: list[Died], skipped: dict[str, int]) -> None:
        self._known = known
        self._skipped = skipped

    def without(self, trial: Trial, targets: Container[str]) -> frozenset[str]:
        """The targets, of those it runs on, that a trial is judged without, as far as known."""
        return frozenset(item.target for item in self._applying(trial, targets))

    def _applying(self, trial: Trial, targets: Container[str]) -> list[Died]:
        """The latest death of each of these targets that this trial would meet again."""
        ops = {op for case in trial.cases for op in _ops_of(case)}
        reached = max(STAGES.index(case.stage) for case in trial.cases)
        found = {
            item.target: item
            for item in self._known
            if item.index < trial.index <= item.index + SKIPPED
            and ops.issuperset(item.ops)
            and STAGES.index(item.stage) <= reached
        }
        return [item for target, item in found.items() if target in targets]

    def judged(self, trial: Trial, targets: Container[str]) -> Trial:
        """The trial, which runs on these targets, as it is judged: without those that it skips."""
        skipping = self._applying(trial, targets)
        for item in skipping:
            told = f"{' + '.join(item.ops)} ({item.stage}) on {item.target}: {item.cause}"
            self._skipped[told] = self._skipped.get(told, 0) + 1
        skipped = {item.target for item in skipping}
        return trial.on(name for name in trial.targets if name not in skipped)

    def learn(self, trial: Trial, traces: Mapping[str, Trace]) -> None:
        """Remember deaths that are told: one that nobody reports must be met again."""
        arms = {arm.name: arm for arm in trial.arms}
        for name, trace in traces.items():
            if name in arms and trace.status in ("crash", "timeout") and trace.failure is not None:
                self._remember(_died(trial, arms[name], trace))

    def _remember(self, death: Died) -> None:
        if death not in self._known:  # of a resumed campaign
            self._known.append(death)

    def forget_before(self, index: int) -> None:
        """No trial before ``index`` will be judged any more."""
        self._known[:] = [item for item in self._known if item.index + SKIPPED >= index]


def _ops_of(case: Case) -> tuple[str, ...]:
    loss = (case.loss.op,) if isinstance(case.loss, LossOp) else ()
    return (*(node.op for node in case.graph.nodes), *loss)


def _died(trial: Trial, arm: Arm, trace: Trace) -> Died:
    assert trace.failure is not None  # of a death there is always one
    case = trial.cases[arm.case]
    named = [node.op for node in case.graph.nodes if node.id == trace.failure.node]
    stage = trace.failure.stage if trace.failure.stage in STAGES else STAGES[0]
    ops = tuple(sorted(set(named or _ops_of(case))))
    cause = trace.failure.signal or trace.failure.exception
    return Died(trial.index, arm.target, ops, stage, cause)
