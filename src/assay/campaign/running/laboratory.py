"""Runs trials for whoever asks: the stages get its methods as callables."""

import threading
from collections import defaultdict
from collections.abc import Collection, Container, Mapping, Sequence
from typing import Any

from assay.campaign.running.kernels import SHARE, usual_of, without_echoes
from assay.campaign.running.offers import Offers, offers_of
from assay.campaign.running.remembered import Remembered
from assay.campaign.running.witnesses import Witnesses
from assay.execute import (
    Answer,
    Death,
    Hello,
    InternalWorkerError,
    Lane,
    StartFailure,
    Supervisor,
    TargetLost,
    internal_error,
    request_for,
    request_for_all,
    request_for_individuals,
    request_for_sweep,
    traces_of,
    traces_of_arms,
)
from assay.ir import Arm, Case, Machine, Platform, Trace, Trial, derive
from assay.judge import Observed
from assay.libraries import Untold, libraries, vocabulary, worded
from assay.localize.inside import Inside, inside_of
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
#: Requests that wait for a target, below which it will soon have nothing to do.
_HUNGRY = 4


class Laboratory:
    """Targets that started, and the supervisor that runs them.

    ``start_trial`` and ``finished_arms`` serve the hunt on the active workers, on the thread
    that made it; ``observe`` and ``run`` serve explanations on the standbys, and wait for the
    answers, on any thread.
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
        self._offers: dict[str, Offers] = {}
        self._usual = usual_of(targets)
        #: By thread: each books what it asked for.
        self._cpu_seconds: defaultdict[int, float] = defaultdict(float)
        self._remembered = Remembered()
        #: Held while witnesses are asked: their processes serve one thread at a time.
        self._witnessing = threading.Lock()

    @property
    def cpu_seconds(self) -> float:
        """CPU time that workers spent on what this thread asked."""
        return self._cpu_seconds[threading.get_ident()]

    @property
    def all_cpu_seconds(self) -> float:
        """CPU time that workers spent on what any thread asked."""
        return sum(self._cpu_seconds.copy().values())

    def processes(self) -> list[int]:
        """The ids of the worker processes there are, witnesses left aside."""
        return self._supervisor.processes()

    def close(self) -> None:
        """Whoever waits for an answer, on any thread, gets ``Closed``."""
        self._supervisor.close()
        self._witnesses.end()

    def drop_trials(self) -> None:
        """Forget the trials that were started and not begun."""
        self._supervisor.drop()

    def wake(self) -> None:
        """End the wait of ``finished_arms``, from any thread."""
        self._supervisor.wake()

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
        return {
            name: self._targets[name].platform(hello.versions, hello.machine)
            for name, hello in self._hellos.items()
        }

    @property
    def hellos(self) -> Mapping[str, Hello]:
        """What each target said when it was ready."""
        return self._hellos

    @property
    def machines(self) -> dict[str, Machine]:
        """What the worker of each target said of the machine."""
        return {name: hello.machine for name, hello in self._hellos.items()}

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

    def targets_of(self, trial: Trial) -> frozenset[str]:
        """The targets a trial of a hunt runs on.

        Targets that compile take one trial in ``COMPILED_SHARE`` where enough
        others check each other meanwhile; whatever is disputed is explained on all. Those with
        other kernels take one in ``SHARE``, if the one with the usual ones takes it too. A library
        whose own words a case is drawn in is always asked: nobody else speaks them.
        """
        answering = set(self.targets) & set(trial.targets)
        spoken = {node.op.partition(".")[0] for case in trial.cases for node in case.graph.nodes}
        quick = {
            name
            for name in answering
            if not self._targets[name].compiles or self._targets[name].speaks_alone(spoken)
        }
        enough = len({self._targets[name].implementation for name in quick}) >= _ENOUGH
        if enough and derive(trial.index, "kernels") % SHARE:
            echoing = {name for name, usual in self._usual.items() if usual in answering}
            quick, answering = quick - echoing, answering - echoing
        # Not every eighth index: techniques take turns, and each should meet all targets.
        small = max(len(case.graph.nodes) for case in trial.cases) <= _SMALL
        share = COMPILED_SHARE if small else COMPILED_MODELS
        if enough and derive(trial.index, "compiled") % share:
            return frozenset(quick)
        return frozenset(answering)

    def hungry(self) -> bool:
        """Have all targets that take part in every trial almost nothing to do?"""
        quick = [name for name in self.targets if not self._targets[name].compiles]
        return all(self._supervisor.waiting(name) < _HUNGRY for name in quick or self.targets)

    def start_trial(self, trial: Trial, without: Container[str] = ()) -> tuple[str, ...]:
        """Queue the arms on the targets the trial runs on, and say of whom answers will come.

        An arm and its further runs are one request, and one answer. Of targets ``without``
        which it is judged anyway, none is asked.
        """
        chosen = self.targets_of(trial)
        arms = [arm for arm in trial.arms if arm.target in chosen and not arm.follows]
        libraries_asked = {arm.target for arm in arms} - {REFERENCE.name}
        asked = [(arm, self._request(trial, arm, explaining=False)) for arm in arms]
        requests = [(arm, request) for arm, request in asked if request is not None]
        able = {arm.target for arm, _ in requests} - {REFERENCE.name}
        if len(able) < 2 <= len(libraries_asked):
            # Nobody else has the words: the reference compares gradients, too, though it is dear.
            again = [(arm, self._request(trial, arm, explaining=True)) for arm, _ in requests]
            requests = [(arm, request) for arm, request in again if request is not None]
        sent = [(arm, request) for arm, request in requests if arm.target not in without]
        for arm, request in sent:
            self._supervisor.submit((trial.index, arm), arm.target, request)
        return tuple(arm.target for arm, _ in sent)

    def _worded(self, case: Case, target: str) -> Case | None:
        """The case in the words of a target's library; None if it has none for it."""
        try:
            worded_case = worded(case, self._targets[target].library)
        except Untold:
            return None
        offers = self._offered(target)
        return worded_case if all(map(offers.have, worded_case.graph.nodes)) else None

    def _offered(self, target: str) -> Offers:
        """What of its vocabulary a target has; asked once, when it is first needed."""
        if target not in self._offers:
            known = libraries().get(self._targets[target].library)
            names = sorted(vocabulary([known.name])) if known is not None else []
            request = {"do": "offers", "names": names}
            # Of the active worker: at first there is no other.
            owner = self._owner(target)
            answer = owner.ask_all({target: request}, lane="active")[target] if names else {}
            told = answer.get("offers") if isinstance(answer, dict) else None
            versions, patched = self._hellos[target].versions, bool(self._targets[target].prelude)
            self._offers[target] = offers_of(names, told, versions, patched)
        return self._offers[target]

    @property
    def absent(self) -> dict[str, tuple[str, ...]]:
        """The ops that a target was found not to have, and so was not asked."""
        return {name: tuple(sorted(o.absent)) for name, o in self._offers.items() if o.absent}

    @property
    def offers(self) -> dict[str, str]:
        """A hash of what each target was found to offer, names and signatures."""
        return {name: found.digest for name, found in self._offers.items() if found.digest}

    def _request(self, trial: Trial, arm: Arm, explaining: bool) -> dict[str, Any] | None:
        """What an arm and its further runs are asked; None if it cannot be asked this."""
        case = self._worded(trial.cases[arm.case], arm.target)
        if case is None:
            return None
        further = [
            other.variant
            for other in trial.arms
            if other.follows and (other.target, other.case) == (arm.target, arm.case)
        ]
        if trial.draws > 1 and trial.rule:
            return request_for_sweep(case, trial.rule, trial.draws, trial.tolerance)
        stage = self.stage_for(arm.target, explaining)
        return request_for(case, stage, further)

    def finished_arms(
        self, seconds: float
    ) -> list[tuple[int, str, Mapping[str, Trace] | InternalWorkerError | None]]:
        """Answers that came: trial index, target, traces by arm.

        None if the target was lost, the error if our own worker code failed.
        """
        found: list[tuple[int, str, Mapping[str, Trace] | InternalWorkerError | None]] = []
        for key, answer in self._supervisor.completed(seconds):
            assert isinstance(key, tuple)  # made by start_trial
            index, arm = key
            try:
                traces = traces_of_arms(arm, answer)
            except TargetLost:
                found.append((index, arm.target, None))
                continue
            except InternalWorkerError as error:
                found.append((index, arm.target, error))
                continue
            self._spent(traces)
            found.append((index, arm.target, traces))
        return found

    def _spent(self, traces: Mapping[str, Trace]) -> None:
        mine = threading.get_ident()
        self._cpu_seconds[mine] += sum(trace.cpu_seconds for trace in traces.values())

    def run(
        self, cases: Sequence[Case], target: str, seconds: float | None = None
    ) -> tuple[Trace, ...]:
        """Cases that differ in their inputs only, in one request to a target's standby.

        One trace each; fewer if the target died of one, none if it was lost. ``seconds``: the
        deadline, if not the usual one.
        """
        if not cases or not self._owner(target).available(target):
            return ()
        said = [self._worded(case, target) for case in cases]
        asked = [case for case in said if case is not None]
        if len(asked) < len(cases):
            return ()
        request = request_for_all(asked, self.stage_for(target, True))
        try:
            answer = self._ask({target: request}, seconds)[target]
            traces = traces_of(target, answer)
        except TargetLost:
            return ()
        self._spent({str(place): trace for place, trace in enumerate(traces)})
        return traces

    def searchable(self, trial: Trial, finished: Collection[str]) -> tuple[str, ...]:
        """Of targets that finished a trial, those to search on: not the reference, which takes its
        time, nor any that compiles each new shape, or is an echo of another's kernels."""
        return tuple(
            name
            for name in self.targets
            if name in finished
            and name != REFERENCE.name
            and not self._targets[name].compiles
            and self._usual.get(name) not in finished
            and all(self._worded(case, name) is not None for case in trial.cases)
        )

    def individuals(
        self,
        case: Case,
        wanted: str,
        targets: Sequence[str],
        step: str,
        more: Mapping[str, Any],
        seconds: float | None = None,
    ) -> dict[str, dict[str, Any] | Death]:
        """What these targets' standbys say of many individuals of a case, all at the same time.

        See ``assay_worker.individuals``. Nothing of a target that was lost.
        """
        worded_cases = {name: self._worded(case, name) for name in targets}
        requests = {
            name: request_for_individuals(own, wanted, step, more)
            for name, own in worded_cases.items()
            if own is not None
        }
        found: dict[str, dict[str, Any] | Death] = {}
        for name, answer in self._ask(requests, seconds).items():
            if isinstance(answer, StartFailure):
                continue
            if isinstance(answer, dict):
                if "internal" in answer:
                    raise internal_error(name, answer["internal"])
                self._cpu_seconds[threading.get_ident()] += answer["cpu_seconds"]
            found[name] = answer
        return found

    def inside(self, case: Case, targets: Sequence[str], rule: str = "") -> dict[str, Inside]:
        """What happens inside of each of these targets' libraries, as far as the forward pass.

        With a ``rule`` of the case and of its program by the rule. Nothing of those that have no
        word for it, or died of it.
        """
        found: dict[str, Inside] = {}
        for target in targets:
            told = self._worded(case, target) if self._owner(target).available(target) else None
            if told is None:
                continue
            request = {**request_for(told, "forward"), "do": "inside", "rule": rule}
            answer = self._ask({target: request}, None)[target]
            if isinstance(answer, dict) and "internal" in answer:
                raise internal_error(target, answer["internal"])
            if isinstance(answer, dict):
                self._cpu_seconds[threading.get_ident()] += answer["cpu_seconds"]
                found[target] = inside_of(answer)
        return found

    def renew(self, targets: Sequence[str]) -> None:
        """Let new workers take the places of those that these targets have."""
        self._supervisor.renew([name for name in targets if name in self._asked])

    def observe(
        self,
        trial: Trial,
        explaining: bool = True,
        seconds: float | None = None,
        fresh: bool = False,
    ) -> Observed:
        """Every arm of a trial on the standbys, all at once, and those of witnesses.

        Not ``explaining``: as the hunt runs it, on the targets it would choose. ``seconds``:
        the deadline of each, if not the usual one. ``fresh``: by workers that were never asked
        anything, witnesses excepted.
        """
        chosen = self.targets if explaining else self.targets_of(trial)
        if explaining:
            witnesses = self._called(trial)
            trial, chosen = trial.joined(witnesses), (*chosen, *witnesses)
        traces: dict[str, Trace] = {}
        for case in range(len(trial.cases)):
            arms = [a for a in trial.arms if a.case == case and not a.follows]
            mine = [arm for arm in arms if arm.target in chosen]
            traces |= self._traces(trial, mine, explaining, seconds, fresh)
        # In the order of the arms: two runs must judge alike.
        ordered = {arm.name: traces[arm.name] for arm in trial.arms if arm.name in traces}
        return self.observed(trial, ordered)

    def _called(self, trial: Trial) -> tuple[str, ...]:
        """The witnesses who answer, of those who have something new to say about a trial."""
        needed = {target.name for target in self._witnesses.targets if self._adds(target, trial)}
        if not needed:
            return ()
        with self._witnessing:
            called = [item for item in self._witnesses.called() if item.name in needed]
            # New ones, not changed ones: another thread may be looking.
            self._targets = {**self._targets, **{target.name: target for target in called}}
            self._hellos = {**self._hellos, **self._witnesses.hellos}
        return tuple(target.name for target in called)

    def _adds(self, witness: Target, trial: Trial) -> bool:
        """Is nobody who was asked for of the same implementation able to say it?"""
        alike = [
            name
            for name in self.targets
            if self._targets[name].implementation == witness.implementation
        ]
        return not any(self._worded(case, name) for case in trial.cases for name in alike)

    def _owner(self, target: str) -> Supervisor:
        return self._supervisor if target in self._asked else self._witnesses.supervisor

    def _ask(
        self,
        requests: Mapping[str, dict[str, Any]],
        seconds: float | None,
        lane: Lane = "standby",
    ) -> dict[str, Answer]:
        """What standbys and witnesses answer."""
        mine = {name: item for name, item in requests.items() if name in self._asked}
        theirs = {name: item for name, item in requests.items() if name not in self._asked}
        answers = self._supervisor.ask_all(mine, seconds, lane) if mine else {}
        if theirs:
            with self._witnessing:
                self._witnesses.supervisor.adopt()
                answers |= self._witnesses.supervisor.ask_all(theirs, seconds)
        return answers

    def observed(self, trial: Trial, traces: Mapping[str, Trace]) -> Observed:
        """What the oracles see of these traces; see ``without_echoes``."""
        trial, traces = without_echoes(trial, traces, self._usual)
        fusing = frozenset(name for name, target in self._targets.items() if target.fuses)
        return Observed(trial, traces, self.votes, self.platforms, fusing)

    def _traces(
        self,
        trial: Trial,
        arms: Sequence[Arm],
        explaining: bool,
        seconds: float | None,
        fresh: bool,
    ) -> dict[str, Trace]:
        """The traces of these arms, one case on each target, and of their further runs."""
        found: dict[str, Trace] = {}
        for arm in arms:
            if arm.target == REFERENCE.name:
                stage = self.stage_for(arm.target, explaining)
                found |= self._remembered.find(trial.cases[arm.case], arm.name, stage)
        arms = [arm for arm in arms if arm.name not in found]
        asked = {arm.target: self._request(trial, arm, explaining) for arm in arms}
        able = {target: request for target, request in asked.items() if request is not None}
        answers = self._ask(able, seconds, "fresh" if fresh else "standby")
        for arm in arms:
            if arm.target not in answers:
                continue
            try:
                traces = traces_of_arms(arm, answers[arm.target])
            except TargetLost:
                continue
            self._spent(traces)
            found |= traces
            if arm.target == REFERENCE.name and arm.name in traces:
                stage = self.stage_for(arm.target, explaining)
                self._remembered.keep(trial.cases[arm.case], stage, traces[arm.name])
        return found
