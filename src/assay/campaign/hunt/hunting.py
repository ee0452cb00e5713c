"""``hunt``: source -> trial -> traces -> verdicts -> findings -> store."""

import os
import signal
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from assay import __version__
from assay.campaign.events import (
    CampaignFinished,
    CampaignStarted,
    CpuSeconds,
    Event,
    FindingRecorded,
    Handler,
    Notice,
    Summary,
    TargetChanged,
    TrialFinished,
)
from assay.campaign.faults import Faults
from assay.campaign.hunt.bridge import before, behind
from assay.campaign.hunt.coverage import Coverage, at_an_edge
from assay.campaign.hunt.explain import explain, finding_of
from assay.campaign.hunt.lines import line_coverage
from assay.campaign.hunt.state import State, key_of, load, save
from assay.campaign.hunt.techniques import share, sources_for
from assay.campaign.hunt.vocabulary import select
from assay.campaign.interruption import interruption
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.running.start import started
from assay.campaign.running.witnesses import wanted
from assay.campaign.triage.confirm import SECONDS_EACH, confirmed_anew, script_of, unconfirmed
from assay.errors import Interrupted, TargetError
from assay.execute import InternalWorkerError
from assay.ir import Array, Finding, Trace, Trial, Verdict, content_hash
from assay.judge import Observed, nearly_equal, oracles
from assay.judge.conventions import recognise_convention
from assay.ops import specs
from assay.sources import Source
from assay.store import Campaign, Store, open_store
from assay.targets import REFERENCE, Target

#: Trials under way at once: enough to keep targets busy while a slow one compiles or a
#: finding is explained.
_WINDOW = 64
_POLL_SECONDS = 0.2
#: How often a model is run again with disputed nodes bridged, to see what is behind them.
_BRIDGES = 3


class HuntOptions(msgspec.Struct, frozen=True):
    """What to hunt, with what, and for how long.

    ``techniques`` empty means all usual ones, ``ops`` all: patterns as ``assay ops`` takes them.
    ``preset`` names a published method whose thresholds are to be used.
    """

    techniques: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    ops: tuple[str, ...] = ()
    preset: str = ""
    seed: int = 0
    cases: int | None = None
    budget_seconds: float | None = None
    resume: bool = False
    #: Show disagreements to implementations that were not asked for, if too few were.
    witnesses: bool = True
    #: A package whose lines are counted while targets run it; "" for none.
    lines: str = ""
    store: str = "assay.db"


def hunt(options: HuntOptions, handlers: Sequence[Handler]) -> Summary:
    """Run a campaign to its end, or until Ctrl-C; every judged trial is stored."""

    def emit(event: Event) -> None:
        for handler in handlers:
            handler(event)

    began = time.monotonic()
    # Whatever the user can get wrong is found out before a worker starts.
    asked = tuple(target.name for target in options.targets)
    targets = options.targets + ((REFERENCE,) if REFERENCE.name not in asked else ())
    arms = tuple(target.name for target in targets)
    witnesses = wanted(targets) if options.witnesses else ()
    vocabulary = select(options.ops, specs())
    sources = sources_for(options.techniques, options.seed, arms, vocabulary)
    names = tuple(source.name for source in sources)
    with open_store(options.store) as store:
        config = {
            "seed": options.seed,
            "techniques": list(names),
            "targets": list(asked),
            "assay": __version__,
        }
        if options.ops:
            config["ops"] = list(options.ops)
        if not options.witnesses:
            config["witnesses"] = False
        if options.preset:
            config["preset"] = options.preset
        with line_coverage(options.lines) as lines:
            with (
                interruption(patience=0),  # until workers are up, there is nothing to finish
                started(lines.watched(targets), emit, witnesses) as (laboratory, versions),
                interruption(patience=1) as interrupted,
            ):
                campaign = _campaign(store, options, config, versions)
                hunting = _Hunt(options, sources, store, campaign, laboratory, emit)
                emit(hunting.announcement(names, laboratory.targets))
                hunting.run(began, interrupted)
            shares = lines.share()
        if not interrupted:
            hunting.confirm((*targets, *witnesses), interrupted)
        if not interrupted:
            hunting.finish(began)
        summary = hunting.summary(began, bool(interrupted), shares)
    emit(CampaignFinished(summary))
    return summary


def _campaign(
    store: Store, options: HuntOptions, config: dict[str, Any], versions: dict[str, dict[str, str]]
) -> Campaign:
    if options.resume:
        found = store.find_campaign(content_hash(config))
        if found is not None:
            return found
    return store.start_campaign(options.seed, config, versions)


def _cpu_with_children() -> float:
    """CPU seconds of this process and of every worker that has ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class _Hunt:
    """One campaign under way."""

    def __init__(
        self,
        options: HuntOptions,
        sources: Sequence[Source],
        store: Store,
        campaign: Campaign,
        laboratory: Laboratory,
        emit: Handler,
    ) -> None:
        self._options = options
        self._sources = sources
        self._store = store
        self._campaign = campaign
        self._laboratory = laboratory
        self._emit = emit
        self._oracles = oracles(options.preset)
        self._state: State = load(campaign.statistics.get("state", {}))
        self._coverage = Coverage(sources, self._state.covered)
        self._findings = {f.fingerprint: f for f in store.findings(campaign.id)}
        self._next = campaign.next_trial
        self._elapsed_before = campaign.elapsed_seconds
        self._waiting: dict[int, tuple[Trial, dict[str, Trace], set[str]]] = {}
        self._faults: dict[int, InternalWorkerError] = {}
        self._excuses = Faults(lambda line: emit(Notice(line)), self._state.harness_errors)
        self._lost: set[str] = set()
        self._cpu_before = self._state.cpu_total
        self._host_cpu = time.process_time()
        self._startup_seconds = 0.0
        self._confirmation_cpu = 0.0

    def announcement(self, names: Sequence[str], targets: tuple[str, ...]) -> CampaignStarted:
        """The first event."""
        return CampaignStarted(
            campaign=self._campaign.id,
            seed=self._options.seed,
            techniques=tuple(names),
            targets=targets,
            store=self._options.store,
            first_trial=self._next,
            cases=self._options.cases,
            budget_seconds=self._options.budget_seconds,
        )

    def run(self, began: float, interrupted: Sequence[int]) -> None:
        """Keep the window full, judge in the order of indices, stop when told."""
        asked = self._next
        self._startup_seconds = time.monotonic() - began
        while not interrupted and not self._spent(began):
            while len(self._waiting) < _WINDOW and self._more(asked):
                self._ask(asked)
                asked += 1
            if not self._waiting:
                break
            self._collect()
            while self._ready(self._next) and not interrupted and not self._spent(began):
                self._judge(began)

    def finish(self, began: float) -> None:
        """Nothing is left to do, or to resume."""
        self._store.finish_campaign(self._campaign.id, self._statistics(), self._elapsed(began))

    def confirm(self, targets: Sequence[Target], interrupted: list[int]) -> None:
        """Show every new bug to processes that have not hunted; what they do not show is flaky."""
        bugs = [
            (bug, self._store.arrays(bug.id))
            for bug in unconfirmed(self._findings.values(), targets)
        ]
        if not bugs:
            return
        self._emit(Notice(f"running {len(bugs)} new bugs once more, in new processes"))
        before = _cpu_with_children()
        try:
            with interruption(patience=0):
                arrays = {bug.fingerprint: own for bug, own in bugs}
                for finding in confirmed_anew(bugs, targets, self._excuses):
                    with self._excuses.excused(f"the confirmation of {finding.id} was not stored"):
                        shown = script_of(finding, arrays[finding.fingerprint])
                        kept = self._store.replace_finding(finding, script=shown)
                        self._findings[finding.fingerprint] = kept
        except Interrupted:
            interrupted.append(signal.SIGINT)
        except TargetError as error:
            line = str(error).splitlines()[0]
            self._emit(Notice(f"not all bugs were run in new processes: {line}"))
        spent = _cpu_with_children() - before
        self._state.cpu_explain += spent
        self._confirmation_cpu = spent

    def _more(self, index: int) -> bool:
        return self._options.cases is None or index < self._options.cases

    def _elapsed(self, began: float) -> float:
        return self._elapsed_before + time.monotonic() - began

    def _spent(self, began: float) -> bool:
        budget = self._options.budget_seconds
        if budget is None:
            return False
        # The last confirmation starts every library again, and belongs to the budget too.
        bugs = sum(finding.category == "bug" for finding in self._findings.values())
        last = self._startup_seconds + bugs * SECONDS_EACH
        return self._elapsed(began) >= budget - min(last, budget / 4)

    def _share(self, index: int) -> tuple[Source, int]:
        """The source of a trial, and the trial's index among those of the source."""
        place, own = share([source.name for source in self._sources], index)
        return self._sources[place], own

    def _ask(self, index: int) -> None:
        before = time.process_time()
        source, own = self._share(index)
        trial = msgspec.structs.replace(source.ask(own), index=index)
        self._state.cpu_generate += time.process_time() - before
        expected = set(self._laboratory.arms_of(trial))
        self._waiting[index] = (trial, {}, expected)
        self._laboratory.start_trial(trial)

    def _collect(self) -> None:
        before = self._laboratory.cpu_seconds
        for index, target, trace in self._laboratory.finished_arms(_POLL_SECONDS):
            if index not in self._waiting:
                continue
            _, traces, expected = self._waiting[index]
            if trace is None:
                expected.discard(target)
                self._lose(target)
            elif isinstance(trace, InternalWorkerError):
                expected.discard(target)
                self._faults[index] = trace
            else:
                traces[target] = trace
        self._state.cpu_execute += self._laboratory.cpu_seconds - before

    def _lose(self, target: str) -> None:
        if target in self._lost:
            return
        self._lost.add(target)
        self._emit(TargetChanged(target, "left-out", message="it can no longer be started"))
        if self._laboratory.independent() < 2:
            raise TargetError(
                f"{target} can no longer be started and too few targets remain. "
                "What was judged is stored; assay doctor says what is wrong."
            )

    def _ready(self, index: int) -> bool:
        if index not in self._waiting:
            return False
        _, traces, expected = self._waiting[index]
        return expected <= set(traces)

    def _judge(self, began: float) -> None:
        """Judge the next trial, store it, and tell."""
        index = self._next
        trial, traces, _ = self._waiting.pop(index)
        # In the order of the arms, not of arrival: two runs must judge alike.
        ordered = {arm.target: traces[arm.target] for arm in trial.arms if arm.target in traces}
        observed = self._laboratory.observed(trial, ordered)
        before = time.process_time()
        verdicts = self._verdicts(observed)
        self._state.cpu_judge += time.process_time() - before
        disputes = [(observed, verdict) for verdict in verdicts]
        with self._excuses.excused(f"trial {index} was judged in part only"):
            self._around(observed, verdicts, disputes)
        recorded = [
            found for seen, verdict in disputes if (found := self._finding(seen, verdict, trial))
        ]
        self._count(observed)
        source, own = self._share(index)
        source.tell(own, tuple(ordered.values()), verdicts)
        fresh = self._stored(index, recorded, began)
        self._next = index + 1
        for finding, new in fresh:
            self._emit(FindingRecorded(finding, new))
        self._emit(self._progress(trial, observed))

    def _stored(
        self, index: int, recorded: Sequence[tuple[Finding, dict[str, Array]]], began: float
    ) -> list[tuple[Finding, bool]]:
        """What of this is kept, and whether it is new; findings that cannot be are forgotten."""
        elapsed = self._elapsed(began)
        names = ", ".join(finding.id for finding, _ in recorded) or "nothing"
        with self._excuses.excused(f"trial {index} is kept without what it showed ({names})"):
            fresh = self._store.record_trial(
                self._campaign.id, index, recorded, self._statistics(), elapsed
            )
            return [(finding, new) for (finding, _), new in zip(recorded, fresh, strict=True)]
        self._findings = {f.fingerprint: f for f in self._store.findings(self._campaign.id)}
        self._state.forget_all_but(self._findings)
        self._store.record_trial(self._campaign.id, index, (), self._statistics(), elapsed)
        return []

    def _around(
        self,
        observed: Observed,
        verdicts: Sequence[Verdict],
        disputes: list[tuple[Observed, Verdict]],
    ) -> None:
        """Add what shows in a model before and behind the nodes that are disputed."""
        for bridge in range(_BRIDGES):
            trials = [behind(observed, verdicts)]
            if not bridge:
                trials.insert(0, before(observed, verdicts))
            for trial in trials:
                if trial is None:
                    continue
                began = self._laboratory.cpu_seconds, time.process_time()
                observed = self._laboratory.observe(trial, explaining=False)
                self._state.cpu_execute += self._laboratory.cpu_seconds - began[0]
                verdicts = self._verdicts(observed)
                self._state.cpu_judge += time.process_time() - began[1]
                disputes += [(observed, verdict) for verdict in verdicts]
            if trials[-1] is None:
                break

    def _verdicts(self, observed: Observed) -> list[Verdict]:
        with self._excuses.excused(f"trial {observed.trial.index} was not judged"):
            fault = self._faults.pop(observed.trial.index, None)
            if fault is not None:
                raise fault
            return [verdict for oracle in self._oracles for verdict in oracle.judge(observed)]
        return []

    def _finding(
        self, observed: Observed, verdict: Verdict, trial: Trial
    ) -> tuple[Finding, dict[str, Array]] | None:
        """The finding a verdict amounts to; None if Assay itself fails on it."""
        what = f"trial {trial.index}: the {verdict.kind} of {verdict.op} was not judged"
        with self._excuses.excused(what):
            return self._explained(observed, verdict, trial)
        return None

    def _explained(
        self, observed: Observed, verdict: Verdict, trial: Trial
    ) -> tuple[Finding, dict[str, Array]]:
        """The finding a verdict amounts to; explained only if it may be news."""
        convention = recognise_convention(verdict, observed)
        key = key_of(verdict, convention.id if convention is not None else "")
        if not self._state.needs_explaining(key):
            known = self._findings[self._state.known[key].fingerprint]
            self._suppressions(known)
            return known, {}
        before = time.process_time(), self._laboratory.cpu_seconds
        try:
            explained = explain(observed, verdict, self._laboratory.observe, self._laboratory.run)
        finally:
            self._state.cpu_explain += (
                time.process_time() - before[0] + self._laboratory.cpu_seconds - before[1]
            )
        finding = finding_of(
            explained,
            trial,
            self._campaign.id,
            self._options.seed,
            self._laboratory.platforms,
            observed,
        )
        if finding.fingerprint not in self._findings:
            # Of any campaign: one defect has one id in a store.
            finding = nearly_equal(finding, self._store.findings(op=finding.op)) or finding
        self._state.learn(key, finding)
        self._suppressions(finding)
        kept = self._findings.setdefault(finding.fingerprint, finding)
        return kept, explained.arrays

    def _suppressions(self, finding: Finding) -> None:
        if finding.recognised:
            self._state.suppress(finding.recognised)

    def _count(self, observed: Observed) -> None:
        finished = [t for t, trace in observed.traces.items() if trace.status == "ok"]
        if observed.trial.intent == "valid":
            self._state.valid_intended += 1
            self._state.valid += any(target != REFERENCE.name for target in finished)
        self._state.at_an_edge += at_an_edge(observed.trial.classes)
        nodes = observed.case.graph.nodes
        if len(observed.implementations(finished, nodes[-1].op)) >= 2:
            self._coverage.add(observed.trial.classes)
            self._state.covered = self._coverage.bits

    def _statistics(self) -> dict[str, Any]:
        self._state.cpu_total = self._cpu_total()
        self._state.harness_errors = self._excuses.count
        limits = {"cases": self._options.cases, "budget_seconds": self._options.budget_seconds}
        return {"state": save(self._state), "limits": limits, "coverage": self._shares()}

    def _shares(self) -> dict[str, float]:
        """How much of the vocabulary was compared, and how daring the cases were."""
        coverage, state = self._coverage, self._state
        return {
            "ops": coverage.ops_covered / max(1, coverage.ops_total),
            "parameters": coverage.parameters,
            "classes": coverage.covered / max(1, coverage.total),
            "valid": state.valid / max(1, state.valid_intended),
            "edges": state.at_an_edge / max(1, self._next),
        }

    def _cpu_total(self) -> float:
        """Everything this campaign cost, earlier runs of it included."""
        workers = self._laboratory.startup_cpu_seconds() + self._laboratory.cpu_seconds
        workers += self._confirmation_cpu
        return self._cpu_before + time.process_time() - self._host_cpu + workers

    def _progress(self, trial: Trial, observed: Observed) -> TrialFinished:
        coverage = self._coverage
        return TrialFinished(
            index=trial.index,
            technique=trial.source,
            valid=any(trace.status == "ok" for trace in observed.traces.values()),
            intent=trial.intent,
            ops_covered=coverage.ops_covered,
            ops_total=coverage.ops_total,
            classes_covered=coverage.covered,
            classes_total=coverage.total,
        )

    def summary(self, began: float, interrupted: bool, shares: dict[str, float]) -> Summary:
        """How it ended; ``shares`` are more of what was covered."""
        state = self._state
        return Summary(
            campaign=self._campaign.id,
            seed=self._options.seed,
            cases=self._next,
            trials=self._next,
            seconds=self._elapsed(began),
            cpu_seconds=CpuSeconds(
                generate=state.cpu_generate,
                execute=state.cpu_execute,
                judge=state.cpu_judge,
                explain=state.cpu_explain,
                total=self._cpu_total(),
            ),
            targets=self._laboratory.targets,
            coverage={**self._shares(), **shares},
            suppressed=dict(state.suppressed),
            findings=self._store.findings(self._campaign.id),
            store=self._options.store,
            interrupted=interrupted,
            faults=self._excuses.count,
        )
