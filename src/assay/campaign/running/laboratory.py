"""Runs trials for whoever asks: the stages get its methods as callables."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.campaign.running.witnesses import Witnesses
from assay.execute import (
    Answer,
    Hello,
    InternalWorkerError,
    Supervisor,
    TargetLost,
    request_for,
    request_for_all,
    traces_of,
)
from assay.ir import Arm, Case, Platform, Trace, Trial, derive
from assay.judge import Observed
from assay.targets import REFERENCE, Target

#: A target that compiles each new op and shape takes one trial in this many: it is
#: some ten times slower than the others, which would wait for it.
COMPILED_SHARE = 8
#: Of models with more nodes than this, one in so many: each op of theirs is compiled, which
#: takes ten seconds and more while everything else waits for its turn.
_SMALL = 4
COMPILED_MODELS = 64
#: Independent implementations, the reference included, that make the others dispensable.
_ENOUGH = 3


class Laboratory:
    """Targets that started, and the supervisor that runs them.

    ``start_trial`` and ``finished_arms`` serve the hunt on the active workers;
    ``observe`` and ``run`` serve explanations on the standbys, synchronously.
    A target that is lost on the way is left out from then on. ``witnesses`` take
    part in explanations only.
    """

    def __init__(
        self,
        supervisor: Supervisor,
        targets: Sequence[Target],
        hellos: Mapping[str, Hello],
        witnesses: Witnesses | None = None,
    ) -> None:
        self._supervisor = supervisor
        self._asked = tuple(target.name for target in targets)
        self._witnesses = witnesses or Witnesses(())
        self._targets = {target.name: target for target in targets}
        self._hellos = dict(hellos)
        self.cpu_seconds = 0.0

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of the targets that still answer, without witnesses."""
        return tuple(name for name in self._asked if self._supervisor.available(name))

    def votes(self, target: str, op: str) -> str:
        """The implementation that computes an op on a target."""
        return self._targets[target].votes_as(op)

    @property
    def versions(self) -> dict[str, dict[str, str]]:
        """The libraries of each target, with their versions."""
        return {name: hello.versions for name, hello in self._hellos.items()}

    @property
    def platforms(self) -> dict[str, Platform]:
        """What each target is made of."""
        return {n: self._targets[n].platform(hello.versions) for n, hello in self._hellos.items()}

    def independent(self) -> int:
        """How many independent implementations still answer."""
        return len({self._targets[name].implementation for name in self.targets})

    def startup_cpu_seconds(self) -> float:
        """CPU time the workers spent on importing their libraries."""
        return self._supervisor.startup_cpu_seconds() + self._witnesses.startup_cpu_seconds()

    def stage_for(self, target: str, explaining: bool) -> str:
        """The last stage a target can do.

        The reference differentiates numerically, which is dear: only when asked
        to explain.
        """
        if target == REFERENCE.name and not explaining:
            return "forward"
        able = self._hellos[target].capabilities
        return next((stage for stage in ("update", "gradient") if stage in able), "forward")

    def arms_of(self, trial: Trial) -> frozenset[str]:
        """The targets a trial of a hunt runs on.

        Targets that compile take one trial in ``COMPILED_SHARE`` where enough
        others check each other meanwhile; whatever is disputed is explained on all.
        """
        answering = set(self.targets) & {arm.target for arm in trial.arms}
        quick = {name for name in answering if not self._targets[name].compiles}
        enough = len({self._targets[name].implementation for name in quick}) >= _ENOUGH
        # Not every eighth index: techniques take turns, and each should meet all targets.
        small = len(trial.case.graph.nodes) <= _SMALL
        share = COMPILED_SHARE if small else COMPILED_MODELS
        if enough and derive(trial.index, "compiled") % share:
            return frozenset(quick)
        return frozenset(answering)

    def start_trial(self, trial: Trial) -> None:
        """Queue the arms; answers come with key ``(trial index, target)``."""
        chosen = self.arms_of(trial)
        for arm in trial.arms:
            if arm.target in chosen:
                request = request_for(
                    trial.cases[arm.case],
                    trial.repeat,
                    self.stage_for(arm.target, False),
                    trial.round_trip,
                )
                self._supervisor.submit((trial.index, arm.target), arm.target, request)

    def finished_arms(
        self, seconds: float
    ) -> list[tuple[int, str, Trace | InternalWorkerError | None]]:
        """Arms that finished: trial index, target, trace.

        None if the target was lost, the error if our own worker code failed.
        """
        arms: list[tuple[int, str, Trace | InternalWorkerError | None]] = []
        for key, answer in self._supervisor.completed(seconds):
            assert isinstance(key, tuple)  # made by start_trial
            index, target = key
            try:
                (trace,) = traces_of(target, answer)
            except TargetLost:
                arms.append((index, target, None))
                continue
            except InternalWorkerError as error:
                arms.append((index, target, error))
                continue
            self.cpu_seconds += trace.cpu_seconds
            arms.append((index, target, trace))
        return arms

    def run(self, cases: Sequence[Case], target: str) -> tuple[Trace, ...]:
        """Cases that differ in their inputs only, in one request to a target's standby.

        One trace each; fewer if the target died of one, none if it was lost.
        """
        if not cases or not self._owner(target).available(target):
            return ()
        request = request_for_all(cases, self.stage_for(target, True))
        return self._traces({target: request}).get(target, ())

    def observe(self, trial: Trial, explaining: bool = True) -> Observed:
        """Every arm of a trial on the standbys, all at once; a witness runs the first case.

        Not ``explaining``: as the hunt runs it, on the targets it would choose.
        """
        chosen = self.targets if explaining else self.arms_of(trial)
        arms = [arm for arm in trial.arms if arm.target in chosen]
        called = self._called() if explaining else ()
        requests = {
            arm.target: request_for(
                trial.cases[arm.case],
                trial.repeat,
                self.stage_for(arm.target, explaining),
                trial.round_trip,
            )
            for arm in (*arms, *(Arm(name) for name in called))
        }
        answers = self._traces(requests)
        return self.observed(trial, {target: traces[0] for target, traces in answers.items()})

    def _called(self) -> tuple[str, ...]:
        """The witnesses who answer."""
        called = self._witnesses.called()
        self._targets.update((target.name, target) for target in called)
        self._hellos.update(self._witnesses.hellos)
        return tuple(target.name for target in called)

    def _owner(self, target: str) -> Supervisor:
        return self._supervisor if target in self._asked else self._witnesses.supervisor

    def observed(self, trial: Trial, traces: Mapping[str, Trace]) -> Observed:
        """What the oracles see of these traces."""
        fusing = frozenset(name for name, target in self._targets.items() if target.fuses)
        return Observed(trial, traces, self.votes, self.platforms, fusing)

    def _traces(self, requests: Mapping[str, dict[str, Any]]) -> dict[str, tuple[Trace, ...]]:
        """The traces of each target, none of one that was lost."""
        found: dict[str, tuple[Trace, ...]] = {}
        answers: dict[str, Answer] = {}
        for mine in (True, False):
            part = {name: r for name, r in requests.items() if (name in self._asked) is mine}
            if part:
                answers |= self._owner(next(iter(part))).ask_all(part)
        for target, answer in answers.items():
            try:
                found[target] = traces_of(target, answer)
            except TargetLost:
                continue
            self.cpu_seconds += sum(trace.cpu_seconds for trace in found[target])
        return found
