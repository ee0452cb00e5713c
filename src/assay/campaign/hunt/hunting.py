"""``hunt``: asked -> executed -> screened -> explained -> stored, as a stream of events."""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from assay.campaign.events import (
    CampaignFinished,
    CampaignStarted,
    Event,
    FindingRecorded,
    Notice,
    Summary,
    TargetChanged,
)
from assay.campaign.faults import Faults
from assay.campaign.hunt.deaths import Deaths
from assay.campaign.hunt.explaining import Explainer
from assay.campaign.hunt.lane import Lane
from assay.campaign.hunt.ledger import Ledger
from assay.campaign.hunt.lines import line_coverage
from assay.campaign.hunt.options import HuntOptions
from assay.campaign.hunt.records import Executed, Explained
from assay.campaign.hunt.resuming import campaign_of
from assay.campaign.hunt.screening import screen
from assay.campaign.hunt.techniques import Turns, sources_for, with_all_inputs
from assay.campaign.hunt.vocabulary import selected
from assay.campaign.hunt.window import Window
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.running.start import started, starting
from assay.campaign.running.witnesses import wanted
from assay.campaign.triage.confirm import confirmed_anew, script_of, unconfirmed
from assay.campaign.triage.reduction import reduced, reducible_bug
from assay.errors import TargetError
from assay.execute import Closed
from assay.ir import Array, Finding, severity_rank
from assay.judge import oracles
from assay.libraries import Vocabulary, everything
from assay.libraries import vocabulary as vocabulary_of
from assay.sources import Source
from assay.sources.rewrite import NAME as REWRITE
from assay.store import Campaign, Store, open_store
from assay.targets import REFERENCE, Target

#: Ops that are named of those that a target lacks.
_NAMED = 3
#: Trials that wait for their explanation, from which on no more are asked for …
_UNEXPLAINED = 16
#: … unless nothing was judged for some seconds: an explanation may hang. Each keeps its arrays.
_STUCK_SECONDS = 2.0
_MOST_UNEXPLAINED = 256
_MORE_TIME = "Give it more time: --budget 10m"


def hunt(options: HuntOptions, stop: threading.Event | None = None) -> Iterator[Event]:
    """Run a campaign to its end, or until ``stop`` is set; every judged trial is stored.

    The events are the campaign: it goes on only while they are taken. Whoever leaves the stream
    early (``close``, or an exception) leaves a campaign that can be resumed, and no process
    behind. ``stop`` ends it after the trial under way, with a ``CampaignFinished``; any thread
    may set it.
    """
    stop = stop or threading.Event()
    began = time.monotonic()
    # Whatever the user can get wrong is found out before a worker starts.
    asked = tuple(target.name for target in options.targets)
    further = (REFERENCE,) if REFERENCE.name not in asked else ()
    targets = (*options.targets, *options.kernels, *further)
    arms = tuple(target.name for target in targets)
    witnesses = wanted(targets) if options.witnesses else ()
    spoken = vocabulary_of(target.library for target in options.targets)
    vocabulary = selected(options, spoken)
    sources = sources_for(options.techniques, options.seed, arms, vocabulary, options.chosen)
    options = with_all_inputs(options, sources)
    told: deque[Event] = deque()
    with open_store(options.store) as store:
        with line_coverage(options.lines) as lines:
            yield from starting(targets)
            watched = lines.watched(targets)
            until = _Until()
            required = asked if options.named else ()
            running = started(watched, told.append, witnesses, options.limits, until.over, required)
            with running as (laboratory, versions):
                machines = laboratory.machines
                campaign = campaign_of(store, options, sources, versions, machines)
                hunting = _Hunt(
                    options, sources, vocabulary, store, campaign, laboratory, told, began, until
                )
                try:
                    yield from _taken(told)
                    yield hunting.announcement()
                    for _ in hunting.trials(stop):
                        yield from _taken(told)
                    yield from _taken(told)
                    yield from hunting.left_out()
                    if not stop.is_set():
                        yield from hunting.reduced(stop)
                finally:
                    laboratory.close()
                    hunting.close()
            shares = lines.share()
        if not stop.is_set():
            yield from hunting.confirmed((*targets, *witnesses), stop)
        if not stop.is_set():
            hunting.finish()
        summary = hunting.summary(stop.is_set(), shares)
    yield CampaignFinished(summary)


def summary_of(events: Iterable[Event]) -> Summary:
    """How a hunt ended, for whoever does not care for what happens meanwhile."""
    for event in events:
        if isinstance(event, CampaignFinished):
            return event.summary
    raise ValueError("expected the events of a hunt, which end with CampaignFinished")


def _taken(told: "deque[Event]") -> Iterator[Event]:
    """What was told meanwhile, in order."""
    while told:
        yield told.popleft()


class _Until:
    """Says when workers are not to be waited for any more; ``passed`` may be set later."""

    passed: Callable[[], bool]

    def __init__(self) -> None:
        self.passed = lambda: False

    def over(self) -> bool:
        """Is it time?"""
        return self.passed()


class _End:
    """A hunt is to end: it was stopped, or its time is over."""

    def __init__(self, stop: threading.Event, ledger: Ledger) -> None:
        self._stop = stop
        self._ledger = ledger

    def is_set(self) -> bool:
        """Is it time?"""
        return self._stop.is_set() or self._ledger.late()


class _Hunt:
    """One campaign under way: the stages, and what they share."""

    def __init__(
        self,
        options: HuntOptions,
        sources: list[Source],
        vocabulary: Vocabulary,
        store: Store,
        campaign: Campaign,
        laboratory: Laboratory,
        told: "deque[Event]",
        began: float,
        until: "_Until",
    ) -> None:
        self._options = options
        self._until = until
        self._store = store
        self._campaign = campaign.id
        self._laboratory = laboratory
        self._told = told
        self._oracles = oracles(options.preset, options.chosen.tolerance)
        known = (*options.targets, *options.kernels, REFERENCE)
        asked = {target.name for target in known}
        self._turns = Turns(sources, campaign.statistics.get("sources", {}), asked)
        self.ledger = Ledger(options, campaign, self._turns, vocabulary, laboratory, began)
        self._findings = {f.fingerprint: f for f in store.findings(campaign.id)}
        self._faults = Faults(
            lambda line: told.append(Notice(line)), self.ledger.state.harness_errors
        )
        explainer = Explainer(
            laboratory,
            self._oracles,
            self.ledger.state,
            self._findings,
            lambda op: store.findings(op=op),
            campaign.id,
            options.seed,
            self._faults,
            options.limits.run_seconds,
        )
        self._lane = Lane(explainer.explained, laboratory.wake)
        self._deaths = Deaths(self.ledger.state.deaths, self.ledger.state.skipped)
        self._window = Window(
            self._turns,
            laboratory,
            self._deaths,
            self.ledger.next,
            self.ledger.open,
            options.cases,
            self._lose,
            self._quiet,
        )
        self._lost: set[str] = set()
        #: When the last trial was.
        self._judged = began

    def announcement(self) -> CampaignStarted:
        """The event that it begins."""
        return CampaignStarted(
            campaign=self._campaign,
            seed=self._options.seed,
            techniques=self._turns.names,
            targets=self._laboratory.targets,
            store=self._options.store,
            first_trial=self.ledger.next,
            cases=self._options.cases,
            budget_seconds=self._options.budget_seconds,
            open_trials=len(self.ledger.open),
        )

    def left_out(self) -> Iterator[Notice]:
        """What targets were not asked because they do not have it."""
        for target, ops in self._laboratory.absent.items():
            some = ", ".join(ops[:_NAMED]) + (" …" if len(ops) > _NAMED else "")
            yield Notice(
                f"{target} was not asked for what it does not have: {len(ops)} ops ({some})"
            )
        for what, count in self.ledger.state.skipped.items():
            yield Notice(f"skipped: {what}; left out of later trials: {count}")
        if len(self._lane):
            yield Notice(
                f"not explained in time: the disagreements of {len(self._lane)} of the trials; "
                "--resume with a longer --budget goes on with them"
            )

    def trials(self, stop: threading.Event) -> Iterator[None]:
        """Keep the window full, judge, explain beside it and store, until it is over."""
        while not (stop.is_set() or self.ledger.spent(self._findings)):
            if self._room():
                with self.ledger.account("generate"):
                    self._window.fill()
            self._lane.start(self._window.under_way)
            if not self._window.under_way and not len(self._lane):
                break
            with self.ledger.account("execute"):
                self._window.collect()
            while not stop.is_set() and (executed := self._window.take()):
                self._judge(executed)
                yield
            for explained in self._lane.finished():
                self.ledger.explained(explained)
                self._commit(explained)
                yield
            yield
        self.ledger.ended()
        self._laboratory.drop_trials()

    def _room(self) -> bool:
        """May more trials be asked for, with those that wait to be explained?"""
        if self.ledger.spent(self._findings, self._lane.seconds_left()):
            return False
        stuck = time.monotonic() - self._judged > _STUCK_SECONDS
        return len(self._lane) < (_MOST_UNEXPLAINED if stuck else _UNEXPLAINED)

    def reduced(self, stop: threading.Event) -> Iterator[Event]:
        """Make the bugs as small as there is time for, the most severe first."""
        bugs = sorted(
            filter(reducible_bug, self._findings.values()),
            key=lambda bug: (severity_rank(bug), bug.trial, bug.id),
        )
        end = self.ledger.reducing_until(self._findings)
        if not bugs or self.ledger.elapsed() >= end:
            return
        yield Notice("making new bugs smaller, the most severe first")
        done = 0
        self._until.passed = lambda: stop.is_set() or self.ledger.elapsed() > end
        try:
            for bug in bugs:
                if self._until.over():
                    break
                what = f"{bug.id} ({bug.kind} of {bug.op}) was not reduced"
                with self.ledger.account("explain"), self._faults.excused(what):
                    small = reduced(bug, self._laboratory, everything())
                    if small is not None:
                        kept = self._store.replace_finding(*small)
                        self._findings[kept.fingerprint] = kept
                        done += 1
                yield from _taken(self._told)
        except Closed:
            pass  # the time is over; what it was at stays as it was
        rest = "; assay reduce does the others" if done < len(bugs) else ""
        yield Notice(f"reduced: {done} of {len(bugs)} new bugs{rest}")

    def summary(self, interrupted: bool, shares: Mapping[str, float]) -> Summary:
        """How it ended."""
        findings = self._store.findings(self._campaign)
        untested = "" if findings else self._untested()
        return self.ledger.summary(findings, interrupted, shares, len(self._lane), untested)

    def _untested(self) -> str:
        """Why no trial was judged, or none of a rule compared anything; "" if that is not so."""
        if self.ledger.trials:
            rules_alone = self._options.techniques == (REWRITE,)
            compared = self.ledger.compared or not rules_alone
            return "" if compared else "no call had a second program: see assay rules --pairs"
        slow = Counter(name for names in self._window.unanswered() for name in names)
        if not slow:
            return f"no trial could be asked. {_MORE_TIME}"
        who = ", ".join(f"{name} {count}" for name, count in slow.most_common())
        waited = f"the first trials still waited for answers when the time was over ({who})"
        return f"{waited}. {_MORE_TIME}"

    def _quiet(self, executed: Executed) -> bool:
        """Does no oracle object? What they cannot judge is told in its turn."""
        faults = Faults(lambda line: None)
        with self.ledger.account("judge"):
            return not (screen(executed, self._oracles, faults).verdicts or faults.count)

    def _judge(self, executed: Executed) -> None:
        """Screen a trial; store it if there is nothing to explain."""
        with self.ledger.account("judge"):
            screened = screen(executed, self._oracles, self._faults)
        if any(verdict.kind == "crash" for verdict in screened.verdicts):
            self._deaths.learn(executed.observed.trial, executed.observed.traces)
        if screened.verdicts or self._turns.learning(executed.trial.index):
            self._lane.add(screened)
        else:
            self._commit(Explained(screened))

    def _commit(self, explained: Explained) -> None:
        """Remember and store what came of a trial, and tell."""
        trial, observed = explained.screened.executed.trial, explained.screened.executed.observed
        found = []
        for item in explained.learned:
            if item.key:
                self.ledger.state.learn(item.key, item.finding)
            if item.finding.recognised:
                self.ledger.state.suppress(item.finding.recognised)
            kept = self._findings.setdefault(item.finding.fingerprint, item.finding)
            found.append((kept, item.arrays))
        self._judged = time.monotonic()
        self.ledger.count(observed)
        self._deaths.forget_before(min(self.ledger.open, default=self.ledger.next))
        verdicts = explained.screened.verdicts
        self._turns.tell(trial.index, tuple(observed.traces.values()), verdicts)
        for finding, new in self._stored(trial.index, found):
            self._told.append(FindingRecorded(finding, new))
        self._told.append(self.ledger.progress(observed))

    def close(self) -> None:
        """Wait for the threads that explain; their workers must be gone."""
        self._lane.close()

    def _stored(
        self, index: int, found: Sequence[tuple[Finding, dict[str, Array]]]
    ) -> list[tuple[Finding, bool]]:
        """What of this is kept, and whether it is new; findings that cannot be are forgotten."""
        names = ", ".join(finding.id for finding, _ in found) or "nothing"
        with self._faults.excused(f"trial {index} is kept without what it showed ({names})"):
            fresh = self._record(index, found)
            return [(finding, new) for (finding, _), new in zip(found, fresh, strict=True)]
        kept = {f.fingerprint: f for f in self._store.findings(self._campaign)}
        self._findings.clear()
        self._findings.update(kept)
        self.ledger.state.forget_all_but(kept)
        self._record(index, ())
        return []

    def _record(
        self, index: int, found: Sequence[tuple[Finding, dict[str, Array]]]
    ) -> tuple[bool, ...]:
        self.ledger.state.harness_errors = self._faults.count
        statistics, elapsed = self.ledger.statistics(), self.ledger.elapsed()
        open_trials = sorted(self.ledger.open)
        return self._store.record_trial(
            self._campaign, index, found, statistics, elapsed, open_trials
        )

    def confirmed(self, targets: tuple[Target, ...], stop: threading.Event) -> Iterator[Event]:
        """Run the script of every new bug; what no new process shows is flaky."""
        bugs = [
            (bug, self._store.arrays(bug.id))
            for bug in unconfirmed(self._findings.values(), targets)
        ]
        if not bugs:
            return
        counted = f"{len(bugs)} new bug{'s' if len(bugs) > 1 else ''}"
        yield Notice(f"running the scripts of {counted}")
        arrays = {bug.fingerprint: own for bug, own in bugs}
        done: set[str] = set()
        try:
            with self.ledger.confirmation():
                end, limits = _End(stop, self.ledger), self._options.limits
                for finding in confirmed_anew(bugs, targets, self._faults, end, limits):
                    done.add(finding.fingerprint)
                    with self._faults.excused(f"the confirmation of {finding.id} was not stored"):
                        shown = script_of(finding, arrays[finding.fingerprint])
                        kept = self._store.replace_finding(finding, script=shown)
                        self._findings[finding.fingerprint] = kept
                    yield from _taken(self._told)
        except TargetError as error:
            line = str(error).splitlines()[0]
            yield Notice(f"not all bugs were run in new processes: {line}")
        if len(done) < len(bugs) and self.ledger.late():
            yield Notice(
                f"no time was left to run the scripts of {len(bugs) - len(done)} of {counted}"
            )

    def finish(self) -> None:
        """Nothing is left to do, or to resume."""
        self.ledger.state.harness_errors = self._faults.count
        self._store.finish_campaign(self._campaign, self.ledger.statistics(), self.ledger.elapsed())

    def _lose(self, target: str) -> None:
        if target in self._lost:
            return
        self._lost.add(target)
        self._told.append(TargetChanged(target, "left-out", message="it can no longer be started"))
        if self._laboratory.independent() < 2:
            raise TargetError(
                f"{target} can no longer be started and too few targets remain. "
                "What was judged is stored; assay doctor says what is wrong."
            )
