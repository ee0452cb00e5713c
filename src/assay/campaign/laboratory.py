"""Runs trials for whoever asks: the stages get its methods as callables."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.execute import (
    Hello,
    InternalWorkerError,
    Supervisor,
    TargetLost,
    request_for,
    traces_of,
)
from assay.ir import Case, Trace, Trial, derive
from assay.judge import Observed
from assay.targets import REFERENCE, Target

#: A target that compiles each new op and shape takes one trial in this many: it is
#: some ten times slower than the others, which would wait for it.
COMPILED_SHARE = 8
#: Independent implementations, the reference included, that make the others dispensable.
_ENOUGH = 3


class Laboratory:
    """Targets that started, and the supervisor that runs them.

    ``start_trial`` and ``finished_arms`` serve the hunt on the active workers;
    ``observe`` and ``run`` serve explanations on the standbys, synchronously.
    A target that is lost on the way is left out from then on.
    """

    def __init__(
        self, supervisor: Supervisor, targets: Sequence[Target], hellos: Mapping[str, Hello]
    ) -> None:
        self._supervisor = supervisor
        self._targets = {target.name: target for target in targets}
        self._hellos = dict(hellos)
        self.cpu_seconds = 0.0

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of the targets that still answer."""
        return tuple(name for name in self._targets if self._supervisor.available(name))

    def votes(self, target: str, op: str) -> str:
        """The implementation that computes an op on a target."""
        return self._targets[target].votes_as(op)

    @property
    def versions(self) -> dict[str, dict[str, str]]:
        """The libraries of each target, with their versions."""
        return {name: hello.versions for name, hello in self._hellos.items()}

    def independent(self) -> int:
        """How many independent implementations still answer."""
        return len({self._targets[name].implementation for name in self.targets})

    def startup_cpu_seconds(self) -> float:
        """CPU time the workers spent on importing their libraries."""
        return self._supervisor.startup_cpu_seconds()

    def stage_for(self, target: str, explaining: bool) -> str:
        """The last stage a target can do.

        The reference differentiates numerically, which is dear: only when asked
        to explain.
        """
        if target == REFERENCE.name and not explaining:
            return "forward"
        return "gradient" if "gradient" in self._hellos[target].capabilities else "forward"

    def arms_of(self, trial: Trial) -> frozenset[str]:
        """The targets a trial of a hunt runs on.

        Targets that compile take one trial in ``COMPILED_SHARE`` where enough
        others check each other meanwhile; whatever is disputed is explained on all.
        """
        answering = set(self.targets) & {arm.target for arm in trial.arms}
        quick = {name for name in answering if not self._targets[name].compiles}
        enough = len({self._targets[name].implementation for name in quick}) >= _ENOUGH
        # Not every eighth index: techniques take turns, and each should meet all targets.
        if enough and derive(trial.index, "compiled") % COMPILED_SHARE:
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

    def run(self, case: Case, target: str) -> Trace | None:
        """The case on one target's standby; None if the target was lost."""
        return self._traces({target: request_for(case, stage=self.stage_for(target, True))})[target]

    def observe(self, trial: Trial, explaining: bool = True) -> Observed:
        """Every arm of a trial on the standbys, all at once.

        Not ``explaining``: as the hunt runs it, on the targets it would choose.
        """
        chosen = self.targets if explaining else self.arms_of(trial)
        requests = {
            arm.target: request_for(
                trial.cases[arm.case],
                trial.repeat,
                self.stage_for(arm.target, explaining),
                trial.round_trip,
            )
            for arm in trial.arms
            if arm.target in chosen
        }
        traces = {target: trace for target, trace in self._traces(requests).items() if trace}
        return self.observed(trial, traces)

    def observed(self, trial: Trial, traces: Mapping[str, Trace]) -> Observed:
        """What the oracles see of these traces."""
        fusing = frozenset(name for name, target in self._targets.items() if target.fuses)
        return Observed(trial, traces, self.votes, self.versions, fusing)

    def _traces(self, requests: Mapping[str, dict[str, Any]]) -> dict[str, Trace | None]:
        traces: dict[str, Trace | None] = {}
        for target, answer in self._supervisor.ask_all(requests).items():
            try:
                (trace,) = traces_of(target, answer)
            except TargetLost:
                traces[target] = None
                continue
            self.cpu_seconds += trace.cpu_seconds
            traces[target] = trace
        return traces
